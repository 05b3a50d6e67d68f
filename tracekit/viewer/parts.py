"""What several pages show: recordings by name, facts, rows, downloads, and text that is only text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from tracekit.cli.text import candidates, head_lines
from tracekit.format.codec import decode, encode
from tracekit.format.types import Trace
from tracekit.player.html import Entry as PageEntry
from tracekit.player.html import export_html
from tracekit.storage.files import read_file
from tracekit.viewer.shelf import Shelf, stamp

__all__ = [
    "Opened",
    "downloads",
    "facts",
    "names_to_choose",
    "open_recording",
    "opened",
    "plain",
    "provenance",
    "rows_table",
    "shelf_of",
]

_FRACTIONS = (
    "seconds",
    "stop probability",
    "logprob",
    "sampled logprob",
    "entropy",
    "kl",
    "cosine",
)
_MARKDOWN = re.compile(r"([!-/:-@\[-`{-~])")


@dataclass(frozen=True)
class Opened:
    """A trace that has been read, with its canonical bytes."""

    name: str
    trace: Trace
    data: bytes

    @property
    def file_name(self) -> str:
        """The name under which it is downloaded."""
        return Path(self.name).name


@st.cache_resource(show_spinner=False)
def shelf_of(root: Path) -> Shelf:
    """The folder's shelf: one for all sessions, so that a file is read once."""
    return Shelf(root)


def names_to_choose(shelf: Shelf, key: str) -> list[str]:
    """The readable recordings' names; after them what the address has under `key`.

    A name that stands for none is chosen all the same: opening it says what is wrong, where a
    choice that did not offer it would silently be another recording.
    """
    readable = [entry.name for entry in shelf.entries() if not entry.problem]
    return list(dict.fromkeys([*readable, *filter(None, st.query_params.get_all(key))]))


def open_recording(shelf: Shelf, name: str) -> Opened:
    """The recording of that name. Raises StorageError, OutsideFolder among them, or DocumentError."""
    path = shelf.path(name)
    return _open(name, str(path), stamp(path))


@st.cache_resource(show_spinner="Reading the recording…", max_entries=8)
def _open(name: str, path: str, stamp: tuple[int, int]) -> Opened:  # noqa: ARG001
    return opened(name, read_file(Path(path)))


def opened(name: str, data: bytes) -> Opened:
    """What the bytes of a recording of any version hold. Raises DocumentError."""
    trace = decode(data, name)
    return Opened(name, trace, encode(trace, name))


def plain(text: str) -> str:
    """Text as Markdown that shows just this text: a name or a trace must not format, link or load."""
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def facts(pairs: Iterable[tuple[str, str]]) -> None:
    """Named values in two columns."""
    lines = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>" for name, value in pairs)
    st.html(f'<dl class="facts">{lines}</dl>')


def provenance(trace: Trace) -> None:
    """Who ran what, where, and what was asked."""
    facts(head_lines(trace))


def rows_table(trace: Trace) -> None:
    """Every row as a line of a table."""
    st.dataframe(
        _columns(trace["trace"]),
        hide_index=True,
        height=min(420, 37 + 35 * max(1, len(trace["trace"]))),
        column_config={name: st.column_config.NumberColumn(format="%.6f") for name in _FRACTIONS},
        alt="The recording's rows",
    )


def downloads(recording: Opened) -> None:
    """The recording as JSON, byte for byte in canonical form, and as one page that plays without a server."""
    name = recording.file_name.removesuffix(".json")
    page = partial(export_html, [PageEntry(recording.trace, recording.file_name)])
    icon = ":material/download:"
    with st.container(horizontal=True):
        st.download_button(
            "JSON", recording.data, f"{name}.json", "application/json", on_click="ignore", icon=icon
        )
        st.download_button("HTML page", page, f"{name}.html", "text/html", on_click="ignore", icon=icon)


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Rows as columns, candidates as text."""
    columns: dict[str, list[Any]] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        if key in ("top3", "top"):
            columns["most probable"] = [candidates(row) for row in rows]
        else:
            columns[_heading(key)] = [row.get(key) for row in rows]
    return columns


def _heading(key: str) -> str:
    return "seconds" if key == "arrival_seconds" else key.replace("_", " ")
