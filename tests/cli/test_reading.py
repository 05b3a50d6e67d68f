"""The commands that read recordings: show, info, validate, convert, upgrade, recover, schema, replay."""

from __future__ import annotations

import json
import shutil

import pytest

import tracekit
from tests.cli.conftest import one_line
from tests.conftest import RECORDINGS, lines

SHORT = RECORDINGS / "pointer-short.json"
ERRS = RECORDINGS / "pointer-errs.json"


@pytest.fixture
def version_1(tk, tmp_path):
    """The short recording as a version 1 file."""
    tk("convert", SHORT, "--schema-version", 1, "--out", "v1.json")
    return tmp_path / "v1.json"


def test_show_prints_the_head_every_row_and_the_summary(tk):
    result = tk("show", ERRS)

    printed = lines(result.out)
    assert result.code == 0
    assert any(line.startswith("request   T, 40 steps of ") for line in printed)
    assert sum("not " in line for line in printed[5:-1]) == 39
    assert printed[-1].startswith(
        "48 loops, stopped by cap: answer wrong, stop not exact, first error at loop 10"
    )


def test_show_json_is_the_recordings_bytes(tk):
    assert tk("show", "--json", SHORT).out.encode() == SHORT.read_bytes()


def test_show_reads_standard_input(cli):
    result = cli("show", "-", stdin=SHORT.read_text())

    assert result.returncode == 0
    assert lines(result.stdout)[-1].startswith("12 loops, stopped by head")


def test_text_from_a_trace_cannot_steer_the_terminal(tk, tmp_path):
    hostile = json.loads(SHORT.read_text())
    hostile["model"]["name"] = "evil\x1b[2J\x07"
    hostile["trace"][0]["prediction"] = "\x1b]0;title\x07"
    (tmp_path / "x.json").write_text(json.dumps(hostile))

    result = tk("show", "x.json")

    assert result.code == 0
    assert "\x1b" not in result.out
    assert "evil\\x1b[2J" in result.out


def test_info_gives_header_count_and_summary(tk):
    result = tk("info", SHORT)

    assert "rows      12" in result.out
    assert "ended     12 loops, stopped by head: answer right, stop exact" in result.out


def test_info_json_is_a_line_a_recording_without_rows(tk):
    result = tk("info", "--json", RECORDINGS)

    documents = [json.loads(line) for line in lines(result.out)]
    short = next(d for d in documents if d["path"] == str(SHORT))
    assert short["rows"] == 12
    assert all("trace" not in document for document in documents)
    assert len(documents) == len(list(RECORDINGS.glob("*.json")))


def test_info_of_a_file_that_is_not_canonical_reads_it_whole(tk, tmp_path):
    (tmp_path / "x.json").write_text(json.dumps(json.loads(SHORT.read_text()), indent=4))

    assert "rows      12" in tk("info", "x.json").out


def test_info_json_takes_metadata_as_deep_as_a_recording_may_hold(tk, tmp_path):
    deepest = '{"a":' + "[" * 253 + "]" * 253 + "}"
    (tmp_path / "x.json").write_text(SHORT.read_text().replace('"metadata": {}', f'"metadata": {deepest}'))

    assert f'"metadata":{deepest},' in tk("info", "--json", "x.json").out


@pytest.mark.parametrize("command", ["info", "check"])
def test_metadata_nested_deeper_is_a_line_that_says_so(tk, tmp_path, command):
    deep = '{"a":' + "[" * 1000 + "]" * 1000 + "}"
    (tmp_path / "x.json").write_text(SHORT.read_text().replace('"metadata": {}', f'"metadata": {deep}'))

    result = tk(command, "x.json")

    assert result.code == 2
    assert "x.json: is nested too deeply to be a trace" in result.out + result.err


def test_validate_says_version_kind_rows_and_status(tk):
    result = tk("validate", SHORT)

    assert result == (0, f"{SHORT}: valid, version 2, 12 loop rows, complete\n", "")


def test_validate_goes_through_folders_and_counts_the_worst(tk, tmp_path):
    (tmp_path / "sub").mkdir()
    shutil.copy(SHORT, tmp_path / "sub" / "good.json")
    broken = SHORT.read_text().replace('"loop":3,', '"loop":30,')
    (tmp_path / "sub" / "bad.json").write_text(broken)

    result = tk("validate", "sub")

    assert result.code == 1
    assert "good.json: valid" in result.out
    row = next(at for at, line in enumerate(broken.splitlines(), 1) if '"loop":30' in line)
    assert result.err == (
        f"sub/bad.json: line {row}: /trace/2/loop: expected 3, since rows count up from 1; found 30\n"
    )


@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (b"", 2, "x.json: is empty"),
        (b"[]", 2, "x.json: expected a JSON object; found an empty array"),
        (b'{"schema_version": 9}', 2, "schema version 9 is newer than this tracekit knows (2)"),
        (b'{"schema_version": 2}', 1, "/: expected the key"),
        (b"[" * 100_000, 2, "nested too deeply"),
        (b'{"a": NaN}', 2, "NaN and Infinity are not JSON"),
        (b"\xff\xfe", 2, "is not UTF-8"),
    ],
)
@pytest.mark.parametrize("command", ["show", "info", "validate", "convert", "upgrade", "replay"])
def test_what_is_no_trace_is_one_line(tk, tmp_path, command, content, code, said):
    (tmp_path / "x.json").write_bytes(content)

    result = tk(command, "x.json")

    assert said in one_line(result, code)
    assert (tmp_path / "x.json").read_bytes() == content


@pytest.mark.parametrize("command", ["show", "info", "validate", "convert", "upgrade", "replay", "recover"])
def test_a_file_that_is_missing_is_one_line(tk, command):
    assert "there is no such file" in one_line(tk(command, "nope.json.journal"))


def test_convert_to_version_1_and_back_is_the_same_run(tk, version_1):
    old = json.loads(version_1.read_text())

    assert old["schema_version"] == 1
    assert list(old)[:4] == ["schema_version", "source", "checkpoint", "request"]
    assert tracekit.load(version_1)["trace"] == tracekit.load(SHORT)["trace"]


def test_convert_refuses_what_version_1_cannot_hold(tk):
    result = tk("convert", RECORDINGS / "pointer-cancelled.json", "--schema-version", 1)

    assert "version 1 cannot hold this trace" in one_line(result)


def test_convert_never_overwrites_unasked(tk, version_1):
    before = version_1.read_bytes()

    assert "is there already" in one_line(tk("convert", SHORT, "--out", "v1.json"))
    assert version_1.read_bytes() == before


def test_upgrade_replaces_in_place_and_keeps_the_old_one_if_asked(tk, version_1):
    before = version_1.read_bytes()

    first, second = tk("upgrade", "--backup", "v1.json"), tk("upgrade", "v1.json")

    assert (first.out, second.out) == ("v1.json: upgraded\n", "v1.json: is current\n")
    assert version_1.with_name("v1.json.bak").read_bytes() == before
    assert json.loads(version_1.read_text())["schema_version"] == 2


def test_schema_prints_the_file_as_it_ships(tk):
    assert tk("schema").out == (RECORDINGS.parent / "schemas" / "trace.v2.schema.json").read_text()
    assert json.loads(tk("schema", 1).out)["title"] == "tracekit trace, version 1"
    assert "there is no version 7" in one_line(tk("schema", 7))


def test_replay_into_a_pipe_gives_the_rows_of_show(tk):
    shown, played = lines(tk("show", SHORT).out), lines(tk("replay", SHORT).out)

    assert played[1:] == shown[-13:]


def test_replay_json_gives_every_row(tk):
    rows = [json.loads(line) for line in lines(tk("replay", "--json", SHORT).out)]

    assert rows == tracekit.load(SHORT)["trace"]


def test_replay_refuses_a_pace_that_is_none(tk):
    assert "speed must be a number above 0" in one_line(tk("replay", SHORT, "--speed", 0))


def test_recover_wants_a_journal(tk, tmp_path):
    shutil.copy(SHORT, tmp_path / "x.json")

    assert "a journal's name ends in .journal" in one_line(tk("recover", "x.json"))
