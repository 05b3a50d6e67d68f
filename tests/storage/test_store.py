"""Recordings: saved whole, loaded whole, known by their ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

import tracekit
from tests.storage.actors import ROOT, source
from tracekit.errors import InvalidTrace, OutputExists, StorageError, UnreadableDocument, UnsupportedVersion
from tracekit.format.codec import Outline, encode
from tracekit.format.types import Trace
from tracekit.format.versions import downgrade
from tracekit.storage.store import find, load, outline, save

Listing = Callable[[Path], list[str]]


def outlined(trace: Trace) -> Outline:
    rows = trace["trace"]
    return Outline({key: value for key, value in trace.items() if key != "trace"}, rows[-1] if rows else None)


def test_what_is_saved_loads_equal(tmp_path: Path, short: Trace) -> None:
    assert load(save(short, tmp_path / "run.json")) == short
    assert (tmp_path / "run.json").read_bytes() == encode(short)


def test_an_invalid_trace_is_not_saved(tmp_path: Path, short: Trace, listing: Listing) -> None:
    with pytest.raises(InvalidTrace, match=r"run\.json: /status"):
        save({**short, "status": "done"}, tmp_path / "run.json")

    assert listing(tmp_path) == []


def test_an_invalid_trace_does_not_replace_a_valid_one(
    tmp_path: Path, short: Trace, listing: Listing
) -> None:
    path = save(short, tmp_path / "run.json")
    late = [*short["trace"][:-1], {**short["trace"][-1], "correct": 1}]

    with pytest.raises(InvalidTrace, match=r"run\.json: /trace/11/correct"):
        save({**short, "trace": late}, path, overwrite=True)

    assert load(path) == short
    assert listing(tmp_path) == ["run.json"]


def test_a_recording_is_not_overwritten_unasked(tmp_path: Path, short: Trace) -> None:
    path = save(short, tmp_path / "run.json")

    with pytest.raises(OutputExists):
        save({**short, "metadata": {"a": 1}}, path)
    assert load(path)["metadata"] == {}

    save({**short, "metadata": {"a": 1}}, path, overwrite=True)
    assert load(path)["metadata"] == {"a": 1}


def test_a_version_1_document_loads_as_the_current_version(tmp_path: Path, short: Trace) -> None:
    path = save(downgrade(short), tmp_path / "old.json")

    assert load(path)["schema_version"] == 2
    assert load(path)["trace"] == short["trace"]


def test_an_outline_is_found_in_canonical_bytes(tmp_path: Path, short: Trace) -> None:
    assert outline(save(short, tmp_path / "run.json")) == outlined(short)


def test_an_outline_is_in_the_documents_own_version(tmp_path: Path, short: Trace) -> None:
    old = downgrade(short)

    assert outline(save(old, tmp_path / "old.json")) == outlined(old)


def test_an_outline_of_any_other_spelling_is_the_same(tmp_path: Path, short: Trace) -> None:
    for name, data in {
        "compact": orjson.dumps(short),
        "indented": orjson.dumps(short, option=orjson.OPT_INDENT_2),
        "broken": encode(short).replace(b'{"loop":12,', b'{\n"loop":12,'),
        "twice": encode({**short, "metadata": {"trace": []}}).replace(
            b'{"trace":[]}', b'{\n"trace": [\n]\n}'
        ),
    }.items():
        (tmp_path / name).write_bytes(data)
        assert outline(tmp_path / name) == outlined(load(tmp_path / name))


def test_an_outline_of_a_run_without_rows(tmp_path: Path, short: Trace) -> None:
    assert outline(save({**short, "trace": []}, tmp_path / "run.json")) == outlined({**short, "trace": []})


def test_an_outline_does_not_read_the_rows(tmp_path: Path) -> None:
    trace = tracekit.record(source(5000), {}, tmp_path / "run.json")
    data = bytearray((tmp_path / "run.json").read_bytes())
    data[len(data) // 2] = 0
    (tmp_path / "run.json").write_bytes(data)

    assert outline(tmp_path / "run.json") == outlined(trace)
    with pytest.raises(UnreadableDocument):
        load(tmp_path / "run.json")


@pytest.mark.parametrize("characters", [100_000, 5_000_000])
def test_an_outline_of_a_head_and_a_summary_of_any_length(
    characters: int, tmp_path: Path, short: Trace
) -> None:
    summary = {**short["summary"], "stop_reason": "x" * characters}
    trace = {**short, "metadata": {"note": "y" * characters}, "summary": summary}

    assert outline(save(trace, tmp_path / "run.json")) == outlined(trace)


def test_an_outline_of_an_invalid_head_is_refused_as_loading_it_is(tmp_path: Path, short: Trace) -> None:
    (tmp_path / "run.json").write_bytes(encode(short).replace(b'"status": "complete"', b'"status": "failed"'))

    with pytest.raises(InvalidTrace) as refused:
        outline(tmp_path / "run.json")

    assert str(refused.value).startswith(f'{tmp_path / "run.json"}: line 1: /: expected the key "error"')


def test_an_outline_whose_last_row_is_numbered_beyond_the_file_is_refused_as_loading_it_is(
    tmp_path: Path, short: Trace
) -> None:
    path = save(short, tmp_path / "run.json")
    path.write_bytes(path.read_bytes().replace(b'{"loop":12,', b'{"loop":9223372036854775807,'))

    with pytest.raises(InvalidTrace, match=r"/trace/11/loop: expected 12, .* found 9223372036854775807"):
        outline(path)


def test_an_outline_of_a_newer_version_is_refused_by_name(tmp_path: Path, short: Trace) -> None:
    data = encode(short).replace(b'"schema_version": 2', b'"schema_version": 9')
    (tmp_path / "run.json").write_bytes(data)

    with pytest.raises(UnsupportedVersion, match="schema version 9 is newer than this tracekit knows"):
        outline(tmp_path / "run.json")


def test_an_outline_cut_off_anywhere_is_refused(tmp_path: Path, short: Trace) -> None:
    data = encode(short)
    path = tmp_path / "run.json"

    for cut in range(1, len(data) - 2, 13):
        path.write_bytes(data[:cut])
        with pytest.raises(UnreadableDocument, match="is cut off"):
            outline(path)


def test_files_are_found_as_named_and_under_folders_in_order(tmp_path: Path) -> None:
    for name in ("b.json", "a.json", "sub/c.json", ".hidden/d.json", ".e.json", "f.txt", "g.new.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert list(find([tmp_path / "f.txt", tmp_path])) == [
        tmp_path / name for name in ("f.txt", "a.json", "b.json", "sub/c.json")
    ]


def test_a_folder_without_recordings_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"holds no recordings \(\*\.json\)"):
        list(find([tmp_path]))


def test_every_shipped_recording_is_found_and_valid() -> None:
    found = list(find([ROOT / "recordings"]))

    assert len(found) >= 6
    assert all(load(path)["status"] in ("complete", "cancelled") for path in found)
