"""The first page: pick a recording, or open a file, and play it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tracekit.errors import TracekitError
from tracekit.viewer.parts import (
    Opened,
    downloads,
    open_recording,
    opened,
    plain,
    provenance,
    rows_table,
    shelf_of,
)
from tracekit.viewer.player import PlayerOptions, player
from tracekit.viewer.settings import Settings
from tracekit.viewer.shelf import Entry, Filter

__all__ = ["page"]

LARGEST_UPLOAD_MB = 64
_WIDTHS = {"": 28, "Recording": 142, "Steps": 56}
_STATUSES = ("complete", "cancelled", "failed", "interrupted")


def page(settings: Settings) -> None:
    """The list in the sidebar, the player, what is known of the run, its rows."""
    entries = shelf_of(settings.root).entries()
    with st.sidebar:
        shown = list(filter(_filter(entries), entries)) if entries else []
        name = _current(settings, shown or entries)
        _list(shown, name, settings)
        upload = st.file_uploader(
            "Or open a file",
            max_upload_size=LARGEST_UPLOAD_MB,
            key=f"upload {st.session_state.get('uploads', 0)}",
            help="It is read, and not kept.",
        )
    try:
        if upload is not None:
            _show(opened(upload.name, upload.getvalue()), linked=False)
        elif name:
            _show(open_recording(shelf_of(settings.root), name), linked=True)
        else:
            _nothing_here(settings)
    except TracekitError as error:
        st.error(plain(str(error)), icon=":material/error:")


def _filter(entries: Sequence[Entry]) -> Filter:
    text = st.text_input(
        "Search",
        key="search",
        bind="query-params",
        live=True,
        placeholder="Name, model or date",
        type="search",
    )
    with st.expander("Filter"):
        kinds = st.pills("Kind", ["loop", "token"], selection_mode="multi", key="kind", bind="query-params")
        outcomes = st.pills(
            "Answer", ["right", "wrong"], selection_mode="multi", key="answer", bind="query-params"
        )
        statuses = st.pills("Status", _STATUSES, selection_mode="multi", key="status", bind="query-params")
        steps = _steps_range(max(entry.steps for entry in entries))
    return Filter(text or "", tuple(kinds), tuple(statuses), tuple(outcomes), steps)


def _steps_range(most: int) -> tuple[int, int] | None:
    if most < 1:
        return None
    low, high = st.slider("Steps", 0, most, (0, most))
    return int(low), int(high)


def _current(settings: Settings, entries: Sequence[Entry]) -> str:
    """What the address bar names; else what the command line named; else the first."""
    first = entries[0].name if entries else ""
    return st.query_params.get("recording") or settings.opened or first


def _list(shown: Sequence[Entry], name: str, settings: Settings) -> None:
    if not shown:
        return
    names = [entry.name for entry in shown]
    key = f"list {hash((*names, name))}"
    st.dataframe(
        {
            "": [_mark(entry) for entry in shown],
            "Recording": [entry.name.removesuffix(".json") for entry in shown],
            "Steps": [entry.steps for entry in shown],
        },
        hide_index=True,
        height=min(460, 37 + 35 * len(shown)),
        selection_mode="single-row-required" if name in names else "single-row",
        selection_default={"selection": {"rows": [names.index(name)] if name in names else []}},
        on_select=lambda: _pick(names, key),
        key=key,
        column_config={name: st.column_config.Column(width=width) for name, width in _WIDTHS.items()},
        alt="Recordings in the folder",
    )
    st.caption(f"{len(shown)} in {plain(settings.root.name or str(settings.root))}/")


def _mark(entry: Entry) -> str:
    marks = {"complete": "·", "cancelled": "◦", "failed": "!", "interrupted": "…", "unreadable": "?"}
    return {True: "✓", False: "✗", None: marks.get(entry.status, "·")}[entry.right]


def _pick(names: Sequence[str], key: str) -> None:
    rows = st.session_state[key]["selection"]["rows"]
    if rows:
        st.query_params["recording"] = names[rows[0]]
        st.query_params.pop("step", None)
        st.session_state["uploads"] = (
            st.session_state.get("uploads", 0) + 1
        )  # an uploader is emptied by a new key


def _show(recording: Opened, *, linked: bool) -> None:
    trace = recording.trace
    options = PlayerOptions(f"{recording.name} {trace['id']}", _step(), (recording.file_name,), linked)
    player([recording.data], options)
    rows, about = st.tabs(["Rows", "About this run"])
    with rows:
        rows_table(trace)
    with about:
        provenance(trace)
    downloads(recording)


def _step() -> int | None:
    text = st.query_params.get("step", "")
    return int(text) if text.isdecimal() and len(text) < 10 else None


def _nothing_here(settings: Settings) -> None:
    st.info(
        f"{plain(str(settings.root))} holds no recordings yet. Make one on the Live page and save it, run "
        "`tracekit record`, or open a file from the sidebar.",
        icon=":material/folder_open:",
    )
