"""What a test does with goldens, without any test framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tracekit.errors import GoldenMismatch, MissingGolden, StorageError, UsageError
from tracekit.format.types import Trace
from tracekit.regression.claims import Claim, Claims
from tracekit.regression.compare import compare
from tracekit.regression.files import (
    Acceptance,
    Update,
    WritePolicy,
    accept,
    discard_fresh,
    fresh_path,
    leave_fresh,
    load_golden,
    refuse_uncheckable,
    unfit,
)
from tracekit.regression.loading import Loading, ModelKey
from tracekit.regression.naming import given_name
from tracekit.regression.overrides import Overrides
from tracekit.regression.rerun import Checked, Rules, check_request, recheck, run_again
from tracekit.regression.verdict import Comparison
from tracekit.regression.words import report
from tracekit.storage.files import in_words, make_folder
from tracekit.storage.store import save
from tracekit.streaming.source import Source, accepted

__all__ = ["Golden", "GoldenSession"]

_ASK = "to write it, run pytest with --tracekit-update=new"
_CI = "under CI nothing is written: record it elsewhere and commit it"
_EVERYTHING: Any = {"status": "complete", "trace": []}


@dataclass
class GoldenSession:
    """What the tests of a session share: what may be written, how to compare, what was used.

    `started` is when it began, in seconds since the epoch; `now` gives a moment in RFC 3339.
    """

    policy: WritePolicy
    claims: Claims
    started: float
    now: Callable[[], str]
    loading: Loading = field(default_factory=Loading)
    overrides: Overrides = field(default_factory=Overrides)
    used: set[Path] = field(default_factory=set)
    sources: dict[ModelKey, Source] = field(default_factory=dict)

    def rules(self, tolerance: Mapping[str, float] | None) -> Rules:
        """How to compare, with a test's own tolerances."""
        own = replace(self.overrides, options=tolerance or {}, option_origin="the test's argument")
        return Rules(own)

    def source_for(self, golden: Trace, path: Path) -> Source:
        """The model that a golden names, loaded once a session. Raises as `Loading.load` does."""
        key = ModelKey.of({**golden})
        if key not in self.sources:
            self.sources[key] = self.loading.load(key, path)
        return self.sources[key]


class Golden:
    """One test's goldens. `test` is its id, which a golden that it writes carries."""

    def __init__(self, session: GoldenSession, folder: Path, name: str, test: str) -> None:
        self._session, self._folder, self._name, self._test = session, folder, name, test
        self._unnamed = 0

    def check(
        self,
        subject: Trace | Source,
        request: object = None,
        *,
        name: str | None = None,
        tolerance: Mapping[str, float] | None = None,
    ) -> Comparison:
        """Compare a trace, or what a source makes of a request, with this test's golden.

        Without `name` the golden has the test's name, a second one a number behind it.
        `tolerance` overrides single numbers. Raises GoldenMismatch where they differ,
        MissingGolden where there is none and none may be written.
        """
        __tracebackhide__ = True
        path = self._path(name)
        session = self._session
        session.used.add(path)
        if session.policy.update is Update.NONE:
            return self._check(path, subject, request, tolerance, None)
        with session.claims.hold(path) as claim:
            return self._check(path, subject, request, tolerance, claim)

    def recheck(self, path: Path | str, tolerance: Mapping[str, float] | None = None) -> Comparison:
        """Run a recording again with the model that it names, and compare. Raises as `check` does."""
        __tracebackhide__ = True
        session, path = self._session, Path(path)
        session.used.add(path)
        golden = load_golden(path)
        source = session.source_for(golden, path)
        return self._settle(path, golden, recheck(golden, source, session.rules(tolerance), path), None)

    def _path(self, name: str | None) -> Path:
        if name is not None:
            return self._folder / f"{given_name(name)}.json"
        self._unnamed += 1
        number = f"-{self._unnamed}" if self._unnamed > 1 else ""
        return self._folder / f"{self._name}{number}.json"

    def _check(
        self,
        path: Path,
        subject: Trace | Source,
        request: object,
        tolerance: Mapping[str, float] | None,
        claim: Claim | None,
    ) -> Comparison:
        __tracebackhide__ = True
        with in_words(path):
            is_there = path.exists()
        if not is_there:
            return self._write_new(path, _as_trace(subject, request), claim)
        golden = load_golden(path)
        rules = self._session.rules(tolerance)
        if isinstance(subject, Source):
            checked = check_request(golden, subject, request, rules, path)
        else:
            limits = rules.overrides.resolve(golden, subject, path)
            checked = Checked(compare(golden, subject, limits), subject)
        return self._settle(path, golden, checked, claim)

    def _write_new(self, path: Path, fresh: Trace, claim: Claim | None) -> Comparison:
        __tracebackhide__ = True
        if claim is None:
            raise MissingGolden(_shown(path), _ASK if self._session.policy.may_write else _CI)
        refuse_uncheckable(fresh, path)
        make_folder(path.parent)
        metadata = {**fresh["metadata"], "tracekit": {"test": self._test}}
        save({**fresh, "metadata": metadata}, path)
        claim.settle()
        return compare(fresh, fresh)

    def _settle(self, path: Path, golden: Trace, checked: Checked, claim: Claim | None) -> Comparison:
        __tracebackhide__ = True
        comparison, fresh, policy = checked.comparison, checked.fresh, self._session.policy
        if comparison.passed:
            if policy.may_write:
                self._discard_old(path)
            return comparison
        assert fresh is not None  # noqa: S101 (a check that fails has run)
        if policy.update is Update.ALL and not unfit(fresh) and not (claim and claim.settled):
            reason = Acceptance(
                comparison.verdict, "updated by pytest --tracekit-update=all", self._session.now()
            )
            accept(path, golden, fresh, reason)
            if claim:
                claim.settle()
            return comparison
        try:
            left = leave_fresh(path, fresh) if policy.may_write else None
        except StorageError as error:
            raise GoldenMismatch(_shown(path), report(comparison), None, str(error)) from None
        raise GoldenMismatch(_shown(path), report(comparison), left and _shown(left))

    def _discard_old(self, path: Path) -> None:
        """Remove an earlier session's fresh trace; one of this session is of another test that failed."""
        fresh = fresh_path(path)
        if fresh.exists() and fresh.stat().st_mtime < self._session.started:
            discard_fresh(path)


def _shown(path: Path) -> Path:
    """As a person would write it from here."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _as_trace(subject: Trace | Source, request: object) -> Trace:
    if not isinstance(subject, Source):
        return subject
    if request is None:
        raise UsageError("golden.check(source, request): a source needs a request")
    return run_again(_EVERYTHING, subject, accepted(subject, request))
