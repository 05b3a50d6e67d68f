"""The `tracekit` command: a table of commands, and the one place where errors become exit codes.

0 all well; 1 a check found differences, or a trace is invalid; 2 wrong usage or unreadable
input; 130 interrupted. A command's module is imported only when it runs.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

import click

from tracekit.cli.streams import OutputLostError, drop_output, guard_streams
from tracekit.errors import TracekitError

__all__ = ["cli", "main"]

INTERRUPTED = 130

# In the order in which a newcomer meets them; each is `tracekit/cli/NAME.py` with a `command`.
COMMANDS = {
    "record": "Run a model and record every step.",
    "models": "List the sources, and what each needs.",
    "replay": "Play a recording again with its timing, without the model.",
    "show": "Print a recording's run as a table.",
    "export": "Write a recording as a page, a table, a picture or a timeline.",
    "info": "Print recordings' headers and summaries.",
    "validate": "Say whether files are valid traces.",
    "convert": "Write a recording in another schema version.",
    "upgrade": "Bring recordings to the current schema version, in place.",
    "recover": "Make a recording of an interrupted run's journal.",
    "diff": "Compare two recordings.",
    "check": "Run goldens again and say whether the model still does the same.",
    "review": "Accept or reject what a check left.",
    "calibrate": "Measure how wide a golden's tolerances have to be.",
    "view": "Open the viewer in a browser.",
    "schema": "Print a JSON Schema of the format.",
}


class LazyGroup(click.Group):
    """Knows its commands by name and one line each, and imports one only to run it."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"tracekit.cli.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="tracekit")
def cli() -> None:
    """Record what a streaming model did, replay it anywhere, hold it as a golden.

    \b
    Examples:
      tracekit record --steps 12 --out run.json
      tracekit show run.json
      tracekit COMMAND --help
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code."""
    guard_streams()
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; its exit code. Errors of ours and of usage are one line on stderr."""
    try:
        result = cli.main(arguments, prog_name="tracekit", standalone_mode=False)
        sys.stdout.flush()
    except TracekitError as error:
        click.echo(f"tracekit: {error}", err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("tracekit: interrupted", err=True)
        return INTERRUPTED
    except OutputLostError as lost:
        drop_output()
        if lost.reader_gone:
            return INTERRUPTED
        click.echo(f"tracekit: {lost.refusal}", err=True)
        return lost.refusal.exit_code
    return result if isinstance(result, int) else 0
