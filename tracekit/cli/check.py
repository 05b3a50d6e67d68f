"""`tracekit check`: whether models still do what was recorded."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from tracekit.cli.golden_options import overrides_from, tolerance_options
from tracekit.errors import NoGoldens, StorageError
from tracekit.regression.check import CheckOptions, Outcome, counted, find_goldens
from tracekit.regression.config import Config, find_config
from tracekit.regression.files import Update, WritePolicy, in_ci
from tracekit.regression.loading import Loading
from tracekit.regression.obsolete import Unreferenced, action_for, delete_all, unselected
from tracekit.regression.rerun import Rules
from tracekit.sources.registry import MOST_THREADS
from tracekit.storage.atomic import write_atomically
from tracekit.storage.files import append, is_folder, refuse_input, refuse_unusable_folder, refuse_unwritable

_MARKS = {0: "ok  ", 1: "FAIL", 2: "ERR "}


@dataclass(frozen=True)
class Outputs:
    """Where a check is reported, besides the terminal."""

    junit: Path | None
    github: bool
    report: Path | None

    def refuse_unwritable(self, goldens: Sequence[Path]) -> None:
        """Raise what would stop the reports, before there is anything to report."""
        if self.junit is not None:
            refuse_input(self.junit, goldens, "golden")
            refuse_unwritable(self.junit, overwrite=True)
        if self.report is not None:
            refuse_unusable_folder(self.report)


@dataclass(frozen=True)
class Writing:
    """What a check may write, and what the system refused of it: told when everything else has been."""

    policy: WritePolicy
    refusals: dict[str, None] = field(default_factory=dict)

    @contextlib.contextmanager
    def gathered(self) -> Iterator[None]:
        """Take what is refused in the block; what comes after it goes on."""
        try:
            yield
        except StorageError as error:
            self.refusals[str(error)] = None

    def tell(self) -> int:
        """Tell each refusal once; the exit code for them."""
        for refusal in self.refusals:
            click.echo(f"tracekit: {refusal}", err=True)
        return StorageError.exit_code if self.refusals else 0


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that make an `Outputs`."""
    for option in reversed(
        (
            click.option("--junit", type=click.Path(path_type=Path), help="Write a JUnit file."),
            click.option("--github", is_flag=True, help="Annotate, and write the step summary."),
            click.option(
                "--report",
                type=click.Path(path_type=Path),
                metavar="DIR",
                help="Write failures as an HTML page.",
            ),
        )
    ):
        command = option(command)
    return command


def loading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that make a `Loading`."""
    for option in reversed(
        (
            click.option("--checkpoint", help="Load this checkpoint instead of the recorded one."),
            click.option("--device", default="cpu", show_default=True, help="Where to run."),
            click.option(
                "--threads", type=click.IntRange(1, MOST_THREADS), help="Threads that torch may use."
            ),
            click.option(
                "--allow-source", multiple=True, metavar="NAME", help="A package.module:factory to trust."
            ),
        )
    ):
        command = option(command)
    return command


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "-s", "--select", multiple=True, metavar="PATTERN", help="Only goldens that fit, such as 'cycle*'."
)
@click.option(
    "-j", "--jobs", type=click.IntRange(1, MOST_THREADS), default=1, show_default=True, help="Processes."
)
@click.option("--update", type=click.Choice([*map(str, Update)]), default="none", show_default=True)
@click.option("--force-write", is_flag=True, help="Write under CI too.")
@click.option("--free-run", is_flag=True, help="Generate tokens again, instead of scoring the golden's.")
@click.option("--timing", type=float, metavar="RATIO", help="Also compare the median gap between rows.")
@click.option(
    "--unreferenced", type=click.Choice([*map(str, Unreferenced)]), help="[default: fail under CI, else warn]"
)
@loading_options
@tolerance_options
@output_options
def command(paths: Sequence[Path], **values: Any) -> int:
    """Run every golden again and say whether its model still does the same.

    Without PATH: the recordings of [tool.tracekit] in pyproject.toml, or recordings/.
    Exit code 0 if all pass; 1 if one differs, or is obsolete; 2 if one cannot be checked.
    A golden that differs gets its fresh trace beside it: then run `tracekit review`.

    \b
    Examples:
      tracekit check
      tracekit check recordings/ --select 'pointer-*' --jobs 2
      tracekit check --junit report.xml --github --report failures/
    """
    config = find_config(Path.cwd())
    outputs = Outputs(values["junit"], values["github"], values["report"])
    writing = Writing(WritePolicy(Update(values["update"]), in_ci(os.environ), values["force_write"]))
    select = values["select"]
    goldens = _goldens(config, paths, select)
    outputs.refuse_unwritable(goldens)
    options = CheckOptions(
        Loading(
            frozenset((*config.sources, *values["allow_source"])),
            values["checkpoint"],
            values["device"],
            values["threads"],
        ),
        Rules(
            overrides_from(config, values["tolerance"], values["tolerances"]),
            values["free_run"],
            values["timing"],
        ),
    )
    outcomes = list(_checked(goldens, values["jobs"], options, writing))
    asked = Unreferenced(values["unreferenced"]) if values["unreferenced"] else None
    obsolete = [] if paths or select else _obsolete(config, goldens, asked, writing)
    click.echo(counted(outcomes))
    for write in (_write_junit, _write_github, _write_report):
        with writing.gathered():
            write(outputs, outcomes, obsolete)
    return max([1 if obsolete else 0, writing.tell(), *(each.exit_code for each in outcomes)])


def _goldens(config: Config, paths: Sequence[Path], select: Sequence[str]) -> list[Path]:
    if paths:
        return find_goldens(paths, select)
    if not is_folder(config.recordings):
        raise NoGoldens(config.recordings)
    root = [_relative(config.recordings)]
    return find_goldens(root, select) if select else find_goldens(root, config.goldens, config.folder)


def _relative(path: Path) -> Path:
    """As a person would write it from here, for short lines and annotations that link."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _checked(
    goldens: Sequence[Path], jobs: int, options: CheckOptions, writing: Writing
) -> Iterator[Outcome]:
    from tracekit.format.identity import timestamp
    from tracekit.regression.checkrun import settle
    from tracekit.regression.jobs import check_with

    told: set[tuple[str, str]] = set()
    hidden = not sys.stderr.isatty()
    outcomes = check_with(jobs, goldens, options)
    with click.progressbar(outcomes, len(goldens), "checking", file=sys.stderr, hidden=hidden) as progress:
        for outcome in progress:
            if outcome.weights and outcome.weights not in told:
                told.add(outcome.weights)
                recorded, loaded = outcome.weights
                click.echo(f"weights differ: recorded with sha256 {recorded[:12]}…, loaded {loaded[:12]}…")
            done = ""
            with writing.gathered():
                done = settle(outcome, writing.policy, timestamp(time.time()))
            _tell(outcome, done)
            yield outcome


def _tell(outcome: Outcome, done: str) -> None:
    from tracekit.regression.words import headline, report

    text = outcome.error if outcome.comparison is None else headline(outcome.comparison)
    where = "" if text.startswith(str(outcome.path)) else f"{outcome.path}  "
    click.echo(f"{_MARKS[outcome.exit_code]}  {where}{text}")
    if outcome.comparison is not None and not outcome.passed:
        details = report(outcome.comparison).partition("\n")[2].strip("\n")
        click.echo(
            "\n".join(f"      {line}".rstrip() for line in [*details.splitlines(), *([done] if done else [])])
        )


def _obsolete(
    config: Config, goldens: Sequence[Path], asked: Unreferenced | None, writing: Writing
) -> list[str]:
    """The obsolete goldens that fail the check, after they were told of or deleted."""
    action = action_for(asked, writing.policy)
    if action is Unreferenced.IGNORE:
        return []
    found = unselected(_relative(config.recordings), goldens)
    for path in found:
        click.echo(f"obsolete: {path}: no selection in pyproject.toml uses it")
    if action is Unreferenced.DELETE:
        with writing.gathered():
            delete_all(found)
            click.echo(f"deleted {len(found)} obsolete goldens")
    return [str(path) for path in found] if action is Unreferenced.FAIL else []


def _write_junit(outputs: Outputs, outcomes: Sequence[Outcome], obsolete: Sequence[str]) -> None:
    if outputs.junit is not None:
        from tracekit.regression.junit import junit

        write_atomically(outputs.junit, [junit(outcomes, obsolete)], overwrite=True)


def _write_github(outputs: Outputs, outcomes: Sequence[Outcome], obsolete: Sequence[str]) -> None:
    if outputs.github:
        from tracekit.regression.github import annotate, step_summary

        for line in annotate(outcomes, obsolete):
            click.echo(line)
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            append(Path(summary), step_summary(outcomes, obsolete).encode(errors="replace"))


def _write_report(outputs: Outputs, outcomes: Sequence[Outcome], obsolete: Sequence[str]) -> None:
    if outputs.report is not None:
        from tracekit.regression.report import write_report

        click.echo(f"report: {write_report(outputs.report, outcomes, obsolete)}")
