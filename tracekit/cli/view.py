"""`tracekit view`: the viewer in a browser."""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.resources import files
from pathlib import Path

import click

from tracekit.errors import MissingExtra

__all__ = ["command"]

# What .streamlit/config.toml says in a checkout.
_OPTIONS = {
    "browser.gatherUsageStats": "false",
    "client.toolbarMode": "minimal",
    "client.showErrorDetails": "none",
    "server.fileWatcherType": "none",
    # A full collection after every refresh takes the interpreter from the model for 0.1 s and more.
    "runner.postScriptGC": "false",
}


@click.command()
@click.argument("path", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="The port.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")
@click.option("--model", default="pointer", show_default=True, help="What the Live page runs.")
@click.option("--checkpoint", help="A bundled checkpoint's name, or a folder.")
def command(
    path: Path | None, host: str, port: int, no_browser: bool, model: str, checkpoint: str | None
) -> None:
    """Open the viewer on a folder of recordings, or on one recording.

    Without PATH: on recordings/. Nothing outside of the folder can be opened by a link.
    Only this machine can reach it, unless --host says otherwise.

    \b
    Examples:
      tracekit view
      tracekit view recordings/
      tracekit view recordings/pointer-short.json --no-browser --port 8600
    """
    if importlib.util.find_spec("streamlit") is None:
        raise MissingExtra("streamlit", "viewer")
    served = {"server.address": host, "server.port": str(port), "server.headless": str(no_browser).lower()}
    said = [*([str(path)] if path else []), f"--model={model}"]
    if checkpoint is not None:
        said.append(f"--checkpoint={checkpoint}")
    start({**_OPTIONS, **served}, said)


def start(options: dict[str, str], arguments: list[str]) -> None:
    """Become Streamlit: signals and the exit code are then its own."""
    folder = files("tracekit.viewer")
    options = {**options, "theme.base": str(folder.joinpath("theme.toml"))}
    said = [f"--{name}={value}" for name, value in options.items()]
    script = str(folder.joinpath("__main__.py"))
    os.execv(sys.executable, [sys.executable, "-m", "streamlit", "run", script, *said, "--", *arguments])  # noqa: S606
