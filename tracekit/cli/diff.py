"""`tracekit diff`: whether two recordings show a model doing the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tracekit.cli.golden_options import overrides_from, tolerance_options
from tracekit.regression.config import find_config


@click.command()
@click.argument("golden")
@click.argument("fresh")
@tolerance_options
@click.option("--timing", type=float, metavar="RATIO", help="Also compare the median gap between rows.")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def command(
    golden: str,
    fresh: str,
    tolerance: Sequence[str],
    tolerances: Path | None,
    timing: float | None,
    as_json: bool,
) -> int:
    """Compare two recordings: identical, within tolerance, a near-tie that flipped, or different.

    Exit code 0 unless they are different: then 1; 2 if one cannot be read.

    \b
    Examples:
      tracekit record --table cycle --seed 1 --out golden.json
      tracekit record --table cycle --seed 1 --out fresh.json
      tracekit diff golden.json fresh.json
      tracekit diff golden.json fresh.json -t rtol=0.01 --timing 9
      tracekit diff golden.json recordings/pointer-short.json --json
    """
    import orjson

    from tracekit.regression.compare import compare
    from tracekit.regression.words import report, to_json
    from tracekit.storage.store import load

    first, second = load(golden), load(fresh)
    overrides = overrides_from(find_config(Path.cwd()), tolerance, tolerances)
    path = None if golden == "-" else Path(golden)
    comparison = compare(first, second, overrides.resolve(first, second, path), timing=timing)
    click.echo(orjson.dumps(to_json(comparison)).decode() if as_json else report(comparison))
    return 0 if comparison.passed else 1
