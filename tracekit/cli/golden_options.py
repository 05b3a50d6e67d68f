"""Options that several commands on goldens share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from tracekit.regression.config import Config
from tracekit.regression.overrides import Overrides, parse_options

__all__ = ["overrides_from", "tolerance_options"]


def tolerance_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that change a tolerance."""
    for option in reversed(
        (
            click.option(
                "-t",
                "--tolerance",
                multiple=True,
                metavar="KEY=NUMBER",
                help="Such as rtol=0.01; wins over all else; repeatable.",
            ),
            click.option(
                "--tolerances",
                type=click.Path(path_type=Path),
                metavar="FILE",
                help="A TOML file of tolerances, in place of tolerances.toml beside the golden.",
            ),
        )
    ):
        command = option(command)
    return command


def overrides_from(config: Config, tolerance: Sequence[str], tolerances: Path | None) -> Overrides:
    """What the options say, over what the project does."""
    return Overrides(config.tolerance, tolerances, parse_options(tolerance))
