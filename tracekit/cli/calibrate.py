"""`tracekit calibrate`: how wide a tolerance has to be, measured."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from tracekit.cli.check import loading_options
from tracekit.cli.golden_options import overrides_from, tolerance_options
from tracekit.errors import OutputExists
from tracekit.regression.calibrate import Calibration, calibrate, proposal, variations
from tracekit.regression.config import find_config
from tracekit.regression.files import load_golden
from tracekit.regression.loading import Loading
from tracekit.storage.files import refuse_unwritable


@click.command()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--runs", type=click.IntRange(min=1), default=8, show_default=True, help="How often to run it.")
@click.option("--margin", type=float, default=10.0, show_default=True, help="Times the spread that was seen.")
@click.option("--write", type=click.Path(path_type=Path), metavar="FILE", help="Write the proposal as TOML.")
@loading_options
@tolerance_options
def command(path: Path, **values: Any) -> int:
    """Run a golden again under other thread counts and batch sizes, and propose tolerances.

    Each proposal stands with its basis, the spread that was seen. It is never tighter than that.

    \b
    Examples:
      tracekit calibrate recordings/pointer-cycle.json
      tracekit calibrate recordings/pointer-cycle.json --runs 12 --write tolerances.toml
    """
    golden = load_golden(path)
    config = find_config(Path.cwd())
    current = overrides_from(config, values["tolerance"], values["tolerances"]).resolve(golden, path=path)
    proposal(Calibration((), (), (), 0, None), values["margin"], current)  # refuses a margin before the runs
    if values["write"] is not None:
        _refuse_unwritable(values["write"])
    loading = Loading(
        frozenset((*config.sources, *values["allow_source"])), values["checkpoint"], values["device"]
    )
    runs = variations(values["runs"], values["threads"] or os.cpu_count() or 1)
    hidden = not sys.stderr.isatty()
    with click.progressbar(length=len(runs), label="running", file=sys.stderr, hidden=hidden) as progress:
        found = calibrate(golden, path, loading, runs, lambda: progress.update(1))
    proposed = proposal(found, values["margin"], current)
    click.echo("\n".join([*_seen(found), "", *_proposed(proposed)]))
    if values["write"] is not None and proposed:
        from tracekit.storage.atomic import write_atomically

        write_atomically(values["write"], ["\n".join(_proposed(proposed)).encode() + b"\n"])
    return 0


def _refuse_unwritable(path: Path) -> None:
    try:
        refuse_unwritable(path)
    except OutputExists as error:  # tolerances that someone chose: there is no option that replaces them
        raise OutputExists(path, "choose another name, or remove it first") from error


def _seen(found: Calibration) -> list[str]:
    said = ", ".join(f"{run.threads} × {run.batch}" for run in found.runs)
    lines = [f"# {len(found.runs)} runs (threads × batch): {said}"]
    if found.skipped:
        lines.append(f"# {len(found.skipped)} skipped: the source runs no batches")
    lines += [
        f"# {each.field}: moved by up to {each.absolute:.3g}, {each.relative:.3g} of its value"
        for each in found.spreads
    ]
    if found.flipped:
        lines.append(f"# {found.flipped} runs predicted something else or stopped elsewhere")
    if found.smallest_gap is not None:
        lines.append(f"# the two most probable were never closer than {found.smallest_gap:.3g} nats")
    return lines


def _proposed(proposed: dict[str, tuple[float, str]]) -> Sequence[str]:
    if not proposed:
        return ["# nothing moved, so there is no basis for other tolerances"]
    return [f"{key} = {number:g}  # {basis}" for key, (number, basis) in proposed.items()]
