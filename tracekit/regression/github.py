"""A check for GitHub Actions: annotations, ten at most, and a step summary in Markdown.

The syntax of annotations is that of "Workflow commands for GitHub Actions"; a run shows
only ten errors a step, so what is beyond the ninth is told in the tenth.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tracekit.regression.check import Outcome, counted
from tracekit.regression.words import headline

__all__ = ["annotate", "step_summary"]

_MOST = 10
_ROWS = 100


def annotate(outcomes: Sequence[Outcome], obsolete: Sequence[str] = ()) -> list[str]:
    """A workflow command for each golden that fails, ten at most."""
    told = [(str(each.path), _why(each)) for each in outcomes if not each.passed]
    told += [(path, "obsolete: nothing uses this golden") for path in obsolete]
    if len(told) <= _MOST:
        return [_command(path, text) for path, text in told]
    rest = told[_MOST - 1 :]
    last = f"{len(rest)} more goldens fail, beginning with {rest[0][0]}; the step summary has them all"
    return [*(_command(path, text) for path, text in told[: _MOST - 1]), _command("", last)]


def step_summary(outcomes: Sequence[Outcome], obsolete: Sequence[str] = ()) -> str:
    """What came of it, as Markdown: the numbers, then a table of what fails."""
    lines = [f"### tracekit check: {counted(outcomes)}", ""]
    if weights := next((each.weights for each in outcomes if each.weights), None):
        lines += [f"The loaded weights are `{weights[1][:12]}…`, the recorded ones `{weights[0][:12]}…`.", ""]
    rows = [(str(each.path), _why(each)) for each in outcomes if not each.passed]
    rows += [(path, "obsolete: nothing uses this golden") for path in obsolete]
    if rows:
        lines += ["| golden | why |", "| --- | --- |"]
        lines += [f"| {_cell(path)} | {_cell(why)} |" for path, why in rows[:_ROWS]]
    if len(rows) > _ROWS:
        lines += ["", f"… and {len(rows) - _ROWS} more"]
    return "\n".join(lines) + "\n"


def _why(outcome: Outcome) -> str:
    return outcome.error if outcome.comparison is None else headline(outcome.comparison)


def _command(path: str, text: str) -> str:
    where = f" file={_property(path)},line=1" if path else ""
    return f"::error{where}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    """Text that a table cell shows as it is: no markup, no column, no line of its own."""
    shown = escape(" ".join(text.split()))
    return "".join(f"\\{char}" if char in "|\\`*_[]~#!" else char for char in shown)
