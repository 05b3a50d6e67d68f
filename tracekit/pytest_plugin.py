"""The pytest plugin: fixtures `golden` and `cassette`, their options, and goldens that no test uses.

It is loaded into every pytest of an environment that has tracekit, so it imports nothing
but pytest until a test asks for a fixture.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tracekit.regression.cassette import CassetteSource
    from tracekit.regression.golden import Golden, GoldenSession

_SESSION = pytest.StashKey["GoldenSession"]()
_TALLY = pytest.StashKey["Tally"]()
_WORKER_KEY = "tracekit"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tracekit", "golden traces and cassettes")
    group.addoption(
        "--tracekit-update",
        choices=("all", "new", "none"),
        default="none",
        help="Write goldens: all that differ, only new ones, or none (default). Under CI none is written.",
    )
    group.addoption(
        "--tracekit-record",
        choices=("none", "once", "new", "all"),
        default="none",
        help="When cassettes record: never (default), if empty, what is new, or all again.",
    )
    group.addoption(
        "--tracekit-unreferenced",
        choices=("fail", "warn", "delete", "ignore"),
        help="What to do about goldens that no test uses (default: fail under CI, else warn).",
    )
    group.addoption("--tracekit-force-write", action="store_true", help="Write under CI too.")
    parser.addini(
        "tracekit_recordings", "The root of the tests' goldens and cassettes.", default="recordings"
    )


def pytest_configure(config: pytest.Config) -> None:
    tally = Tally(config)
    config.stash[_TALLY] = tally
    config.pluginmanager.register(tally, "tracekit-tally")


def pytest_report_header(config: pytest.Config) -> str:
    ci = "" if _may_write(config) else " (CI: nothing is written)"
    update, record = config.getoption("tracekit_update"), config.getoption("tracekit_record")
    return f"tracekit: {config.getini('tracekit_recordings')}/, update {update}, record {record}{ci}"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """This test's goldens: `golden.check(trace)`, `golden.check(source, request)`, `golden.recheck(path)`."""
    from tracekit.regression.golden import Golden
    from tracekit.regression.naming import test_name

    module, _, test = request.node.nodeid.partition("::")
    folder = _folder(request.config, module)
    return Golden(_session(request.config), folder, test_name(test), request.node.nodeid)


@pytest.fixture
def cassette(request: pytest.FixtureRequest) -> Iterator[Callable[..., CassetteSource]]:
    """`cassette(source)`: the source, or a function that loads it, seen through this test's recordings.

    `name` sets the folder's name, `wait` plays with the recorded timing. The test fails if
    a request was not recorded, even where the code under test swallowed the error.
    """
    from tracekit.regression.cassette import cassette as open_cassette
    from tracekit.regression.naming import given_name, test_name

    config = request.config
    module, _, test = request.node.nodeid.partition("::")
    mode = config.getoption("tracekit_record") if _may_write(config) else "none"
    opened: list[CassetteSource] = []

    def open_named(source: Any = None, *, name: str | None = None, wait: bool = False) -> CassetteSource:
        __tracebackhide__ = True
        folder = _folder(config, module) / f"{given_name(name) if name else test_name(test)}.cassette"
        opened.append(open_cassette(source, folder, mode, wait=wait))
        return opened[-1]

    yield open_named
    for each in opened:
        _session(config).used.update(each.tape.used)
        if each.tape.missed:
            pytest.fail(f"{each.tape.missed[0]}; to record it: pytest --tracekit-record=new", pytrace=False)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:  # noqa: ARG001
    """A process of pytest-xdist has ended: take over what its tests used, which one that died cannot say."""
    tally = node.config.stash[_TALLY]
    tally.run = node.workerinput["testrunuid"]
    found = getattr(node, "workeroutput", {}).get(_WORKER_KEY, {"used": (), "narrowed": True})
    tally.used.update(found["used"])
    tally.narrowed = tally.narrowed or found["narrowed"]


class Tally:
    """What the session's tests did, as far as goldens that no test uses are concerned.

    `unproven` are modules in which a test did not pass: it may have a golden that it did
    not come to. `narrowed` says that some tests were not run at all, or nobody knows what they used.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.used: set[str] = set()
        self.called: set[str] = set()
        self.unproven: set[str] = set()
        self.narrowed = False
        self.run = f"{os.getpid()}-{time.time_ns()}"
        self.obsolete: list[str] = []
        self.deleted = False

    def pytest_deselected(self) -> None:
        self.narrowed = True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.unproven.add(report.nodeid.partition("::")[0])
        elif report.when == "call":
            self.called.add(report.nodeid.partition("::")[0])

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        config = self._config
        goldens = config.stash.get(_SESSION, None)
        self.used.update(str(path.resolve()) for path in (goldens.used if goldens else ()))
        if hasattr(config, "workeroutput"):
            config.workeroutput[_WORKER_KEY] = {"used": sorted(self.used), "narrowed": self.narrowed}
            return
        _clear_claims(self.run)
        root = _root(config)
        if root.is_dir() and exitstatus in (0, 1) and self._is_full(session):
            self._judge(session, root)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if self.obsolete:
            terminalreporter.section("obsolete goldens: no test uses them", yellow=True)
            for path in self.obsolete:
                terminalreporter.line(path + (" (deleted)" if self.deleted else ""))

    def _is_full(self, session: pytest.Session) -> bool:
        option = self._config.option
        narrowed = self.narrowed or session.shouldfail or session.shouldstop
        asked = (getattr(option, name, None) for name in ("lf", "keyword", "markexpr", "collectonly"))
        return not narrowed and not any(asked) and _covers_everything(self._config)

    def _judge(self, session: pytest.Session, root: Path) -> None:
        from tracekit.regression.obsolete import Unreferenced, action_for, delete_all, unused_by_tests

        asked = self._config.getoption("tracekit_unreferenced")
        action = action_for(Unreferenced(asked) if asked else None, _policy(self._config))
        if action is Unreferenced.IGNORE:
            return
        proven = self.called - self.unproven
        found = unused_by_tests(root, self._config.rootpath, proven, {Path(path) for path in self.used})
        self.obsolete = [os.path.relpath(path, self._config.invocation_params.dir) for path in found]
        if action is Unreferenced.DELETE:
            delete_all(found)
            self.deleted = True
        elif found and action is Unreferenced.FAIL and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _covers_everything(config: pytest.Config) -> bool:
    """Whether the arguments leave out nothing that a bare `pytest` would run."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    folder = config.invocation_params.dir
    given = {(folder / argument).resolve() for argument in config.args}
    everything = {(config.rootpath / path).resolve() for path in config.getini("testpaths")}
    return config.rootpath.resolve() in given or (bool(everything) and everything <= given)


def _root(config: pytest.Config) -> Path:
    return config.rootpath / str(config.getini("tracekit_recordings"))


def _folder(config: pytest.Config, module: str) -> Path:
    from tracekit.regression.naming import module_folder

    return module_folder(_root(config), module)


def _may_write(config: pytest.Config) -> bool:
    # As `WritePolicy` has it; but the header needs it in every session, and that would import the room.
    ci = os.environ.get("CI", "").strip().lower() not in ("", "0", "false")
    return bool(config.getoption("tracekit_force_write")) or not ci


def _policy(config: pytest.Config) -> Any:
    from tracekit.regression.files import Update, WritePolicy, in_ci

    return WritePolicy(
        Update(config.getoption("tracekit_update")),
        in_ci(os.environ),
        bool(config.getoption("tracekit_force_write")),
    )


def _claims_folder(run: str) -> Path:
    return Path(tempfile.gettempdir()) / f"tracekit-{run}"


def _clear_claims(run: str) -> None:
    shutil.rmtree(_claims_folder(run), ignore_errors=True)


def _session(config: pytest.Config) -> GoldenSession:
    """What the tests of this process share, made when the first needs it."""
    if _SESSION not in config.stash:
        config.stash[_SESSION] = _new_session(config)
    return config.stash[_SESSION]


def _new_session(config: pytest.Config) -> GoldenSession:
    from tracekit.format.identity import timestamp
    from tracekit.regression.claims import Claims
    from tracekit.regression.config import find_config
    from tracekit.regression.golden import GoldenSession
    from tracekit.regression.loading import Loading
    from tracekit.regression.overrides import Overrides

    # The processes of pytest-xdist have one test run id, and the claims have to be theirs together.
    run = getattr(config, "workerinput", {}).get("testrunuid") or config.stash[_TALLY].run
    project = find_config(config.rootpath)
    return GoldenSession(
        _policy(config),
        Claims(_claims_folder(run)),
        time.time(),
        lambda: timestamp(time.time()),
        Loading(frozenset(project.sources)),
        Overrides(project.tolerance),
    )
