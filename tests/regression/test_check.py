"""Many goldens: found, grouped, run again; and never green for the wrong reason."""

from __future__ import annotations

import shutil
from dataclasses import replace

import pytest

from tests.conftest import RECORDINGS
from tests.regression.app import SHA, Careless, open_source
from tests.regression.traces import EVERYTHING, changed, token, tokens
from tracekit import Script, ScriptedSource, Verdict, load, save
from tracekit.errors import NoGoldens, StorageError
from tracekit.regression.check import CheckOptions, check, find_goldens, group_goldens
from tracekit.regression.loading import Loading
from tracekit.regression.rerun import run_again

APP = "tests.regression.app:open_source"
ALLOWED = CheckOptions(Loading(frozenset({APP})))


@pytest.fixture
def golden():
    """A trace of the source in tests/regression/app.py."""
    return run_again(EVERYTHING, open_source(), {"ask": 1})


@pytest.fixture
def folder(tmp_path, golden):
    """Three goldens of that source: a, b and sub/c."""
    (tmp_path / "sub").mkdir()
    for name in ("a", "b", "sub/c"):
        save(golden, tmp_path / f"{name}.json")
    return tmp_path


def results(paths, options=ALLOWED):
    """What came of each, by its file's stem."""
    return {outcome.path.stem: outcome.result for outcome in check(paths, options)}


def test_the_shipped_recordings_pass():
    outcomes = list(check(find_goldens([RECORDINGS], ["pointer-*"]), CheckOptions()))

    assert len(outcomes) == 6
    assert [outcome.exit_code for outcome in outcomes] == [0] * 6
    assert all(outcome.weights is None for outcome in outcomes)


def test_every_golden_under_a_folder_is_checked(folder):
    assert results(find_goldens([folder])) == {"a": "identical", "b": "identical", "c": "identical"}


def test_each_model_is_loaded_once(folder, monkeypatch):
    loads = []
    monkeypatch.setattr("tests.regression.app.open_source", lambda: loads.append(1) or open_source())

    results(find_goldens([folder]))

    assert loads == [1]


def test_goldens_are_grouped_by_source_checkpoint_and_dtype(folder, golden):
    save(changed(golden, checkpoint="early"), folder / "d.json")
    save(changed(golden, model={**golden["model"], "dtype": "float64"}), folder / "e.json")

    groups, unreadable = group_goldens(find_goldens([folder]))

    assert [[path.stem for path in group.paths] for group in groups] == [["a", "b", "c"], ["d"], ["e"]]
    assert unreadable == []


def test_a_golden_that_differs_is_different_and_brings_its_fresh_trace(folder, golden):
    golden["trace"][0]["prediction"] = "Z"
    save(golden, folder / "a.json", overwrite=True)

    outcome = next(check([folder / "a.json"], ALLOWED))

    assert outcome.exit_code == 1
    assert outcome.comparison.verdict is Verdict.DIFFERENT
    assert outcome.fresh["trace"][0]["prediction"] == "A"


def test_a_fresh_trace_beside_a_golden_is_no_golden(folder, golden):
    save(golden, folder / "a.new.json")

    assert results(find_goldens([folder])) == {"a": "identical", "b": "identical", "c": "identical"}


def test_weights_that_are_not_the_recorded_ones_are_told(folder, golden):
    recorded = "b" * 64
    save(changed(golden, model={**golden["model"], "sha256": recorded}), folder / "a.json", overwrite=True)

    (outcome,) = check([folder / "a.json"], ALLOWED)

    assert outcome.weights == (recorded, SHA)


@pytest.mark.parametrize(("pattern", "found"), [("a", ["a"]), ("*.json", ["a", "b", "c"]), ("*sub/*", ["c"])])
def test_a_selection_takes_names_and_paths(folder, pattern, found):
    assert [path.stem for path in find_goldens([folder], [pattern])] == found


def test_a_selection_that_matches_nothing_is_an_error(folder):
    with pytest.raises(NoGoldens, match="no golden matches 'z\\*'; nothing was checked"):
        find_goldens([folder], ["z*"])


def test_a_folder_without_goldens_is_an_error(tmp_path):
    with pytest.raises(StorageError, match="holds no recordings"):
        find_goldens([tmp_path])


def test_a_folder_of_other_json_is_an_error(tmp_path):
    (tmp_path / "package.json").write_text('{"name": "web"}')

    with pytest.raises(NoGoldens, match="no golden found; nothing was checked"):
        find_goldens([tmp_path])


def test_other_json_beside_goldens_is_passed_over(folder):
    (folder / "package.json").write_text('{"name": "web"}')

    assert sorted(results(find_goldens([folder]))) == ["a", "b", "c"]


@pytest.mark.parametrize("damage", ["", "{", '{"schema_version": 2, "kind"', '{"schema_version": 99}'])
def test_a_damaged_golden_is_an_error_and_not_passed_over(folder, damage):
    (folder / "a.json").write_text(damage)

    outcomes = {outcome.path.stem: outcome for outcome in check(find_goldens([folder]), ALLOWED)}

    assert outcomes["a"].exit_code == 2
    assert str(folder / "a.json") in outcomes["a"].error
    assert outcomes["b"].passed


def test_a_golden_against_the_schema_is_an_error(folder):
    text = (folder / "a.json").read_text()
    (folder / "a.json").write_text(text.replace('"prediction":"A"', '"prediction":7'))

    assert results(find_goldens([folder]))["a"] == "error"


def test_a_path_that_is_not_there_is_an_error(tmp_path):
    assert results(find_goldens([tmp_path / "gone.json"])) == {"gone": "error"}


@pytest.mark.parametrize("status", ["failed", "interrupted", "streaming"])
def test_a_golden_that_is_not_complete_is_an_error(folder, golden, status):
    document = changed(golden, status=status)
    del document["summary"]
    document |= {"error": {"type": "E", "message": ""}} if status == "failed" else {}
    document = {key: document[key] for key in document if status != "streaming" or key != "inference_seconds"}
    save(document, folder / "a.json", overwrite=True)

    (outcome,) = check([folder / "a.json"], ALLOWED)

    assert outcome.exit_code == 2
    assert f"is {status}, not complete, so it cannot be a golden" in outcome.error


def test_a_golden_that_was_cancelled_before_its_first_row_is_an_error(folder, golden):
    document = changed(golden, status="cancelled", trace=[])
    del document["summary"]
    save(document, folder / "a.json", overwrite=True)

    (outcome,) = check([folder / "a.json"], ALLOWED)

    assert "was cancelled before its first row" in outcome.error


def test_a_golden_names_no_code_that_nobody_allowed(folder):
    outcomes = list(check(find_goldens([folder]), CheckOptions()))

    assert [outcome.exit_code for outcome in outcomes] == [2, 2, 2]
    assert "--allow-source" in outcomes[0].error
    assert "would run its code" in outcomes[0].error


def test_refusing_a_source_imports_nothing(folder, golden, monkeypatch):
    (folder / "evil_module.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(folder)
    model = {"source": "evil_module:open_source", "name": "evil"}
    save(changed(golden, model=model), folder / "a.json", overwrite=True)

    assert results([folder / "a.json"]) == {"a": "error"}


@pytest.mark.parametrize("source", ["nothing_known", "scripted", "hf:/no/such/folder"])
def test_a_source_that_cannot_be_loaded_is_an_error(folder, golden, source):
    save(changed(golden, model={"source": source, "name": "x"}), folder / "a.json", overwrite=True)

    assert results([folder / "a.json"]) == {"a": "error"}


def test_a_checkpoint_that_is_not_there_is_an_error_that_another_checkpoint_can_mend(tmp_path):
    golden = load(RECORDINGS / "pointer-short.json")
    save(changed(golden, checkpoint="gone"), tmp_path / "a.json")

    assert results([tmp_path / "a.json"], CheckOptions()) == {"a": "error"}
    assert results([tmp_path / "a.json"], CheckOptions(Loading(checkpoint="final"))) == {"a": "identical"}


def test_a_request_that_the_source_refuses_is_an_error(tmp_path):
    golden = load(RECORDINGS / "pointer-short.json")
    save(changed(golden, request={"something": "else"}), tmp_path / "a.json")

    (outcome,) = check([tmp_path / "a.json"], CheckOptions())

    assert outcome.exit_code == 2
    assert "expected the keys mapping, start and steps" in outcome.error


def test_a_version_1_golden_is_run_again_by_its_checkpoint(tmp_path):
    shutil.copy(RECORDINGS / "pointer-short.json", tmp_path / "two.json")
    golden = load(tmp_path / "two.json")
    old = {
        "schema_version": 1,
        "source": "live",
        "checkpoint": "final",
        "request": golden["request"],
        **golden["settings"],
        "status": "complete",
        "trace": golden["trace"],
        "summary": golden["summary"],
        "inference_seconds": golden["inference_seconds"],
    }
    save(old, tmp_path / "one.json")

    (outcome,) = check([tmp_path / "one.json"], CheckOptions())

    assert outcome.passed
    assert outcome.comparison.compared == len(golden["trace"])
    assert replace(outcome).weights is None


@pytest.mark.parametrize("where", ["describe", "with_settings", "payload", "interpreter"])
@pytest.mark.parametrize("error", [RuntimeError("out of memory"), SystemExit(0)], ids=["error", "exit"])
def test_what_a_source_raises_outside_of_its_run_is_an_error_of_that_golden(
    folder, monkeypatch, where, error
):
    monkeypatch.setattr("tests.regression.app.open_source", lambda: Careless(where, error))

    outcomes = list(check(find_goldens([folder]), ALLOWED))

    assert [outcome.exit_code for outcome in outcomes] == [2, 2, 2]
    told = f"{folder / 'b.json'}: the source {APP} raised {type(error).__name__}: {error}"
    assert outcomes[1].error == told


def test_a_factory_that_raises_is_an_error_of_each_of_its_goldens(folder, monkeypatch):
    monkeypatch.setattr("tests.regression.app.open_source", lambda: 1 / 0)

    assert results(find_goldens([folder])) == {"a": "error", "b": "error", "c": "error"}


class Scoring(ScriptedSource):
    """Generates a token, and raises when it is asked to score it."""

    can_score = True

    def score(self, request, token_ids):
        raise RuntimeError("CUDA out of memory")


def test_a_scoring_that_raises_is_an_error_of_that_golden(tmp_path, monkeypatch):
    golden = tokens(token(1, -0.1))
    save(changed(golden, model={"source": APP, "name": "app"}), tmp_path / "a.json")
    script = Script(golden["trace"])
    monkeypatch.setattr("tests.regression.app.open_source", lambda: Scoring("token", script))

    (outcome,) = check([tmp_path / "a.json"], ALLOWED)

    assert outcome.error.endswith(f"the source {APP} raised RuntimeError: CUDA out of memory")
