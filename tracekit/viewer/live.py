"""Run the model now, watch it, stop it, and keep the run."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from tracekit.errors import TracekitError
from tracekit.format.codec import encode
from tracekit.format.parsing import parse_object
from tracekit.format.types import Json
from tracekit.sources.pointer.task import (
    SYMBOLS,
    random_cycle,
    random_function,
    random_permutation,
    shuffled_pairs,
)
from tracekit.sources.registry import LoadOptions, load_source
from tracekit.storage.files import make_folder
from tracekit.storage.store import save
from tracekit.streaming.recorder import Target
from tracekit.streaming.source import Source
from tracekit.viewer.parts import Opened, downloads, plain, rows_table
from tracekit.viewer.player import PlayerOptions, player
from tracekit.viewer.running import LiveRun
from tracekit.viewer.settings import Settings

__all__ = ["page", "stop_run"]

REFRESH_SECONDS = 0.2

# Drawing the page takes the interpreter from the model: a run of milliseconds ends before it, undisturbed.
HEAD_START_SECONDS = 0.2
MOST_STEPS = 256
_TABLES = {"Random": random_function, "Permutation": random_permutation, "Cycle": random_cycle}


def stop_run() -> None:
    """End the session's run, if one goes on. The app calls it whenever its script runs anew."""
    run: LiveRun | None = st.session_state.get("run")
    if run is not None:
        run.stop()


def page(settings: Settings) -> None:
    """What to ask on the left, the run on the right."""
    try:
        left, right = st.columns([1, 2.6], gap="medium")
        with left:
            source = _source(settings)
            request = _request(source)
            source = source.with_settings(_limits(source))
            _buttons(source, request)
        with right:
            _watch(source, request, settings)
    except TracekitError as error:
        st.error(plain(str(error)), icon=":material/error:")


@st.cache_resource(show_spinner="Loading the model…")
def load_once(model: str, checkpoint: str | None) -> Source:
    """The source, loaded once for all sessions."""
    return load_source(model, LoadOptions(checkpoint))


def _source(settings: Settings) -> Source:
    from tracekit.sources.pointer.checkpoint import BUNDLED

    checkpoint = settings.checkpoint
    if settings.model == "pointer" and checkpoint is None:
        checkpoint = st.segmented_control(
            "Checkpoint",
            BUNDLED,
            default=BUNDLED[0],
            required=True,
            key="checkpoint",
            help="The early one was saved while it still made mistakes.",
        )
    return load_once(settings.model, checkpoint)


def _request(source: Source) -> Json:
    """The request as the widgets have it; the source itself says what is wrong with it."""
    from tracekit.sources.pointer.source import PointerSource

    if not isinstance(source, PointerSource):
        text = st.text_area("Request, as JSON", '{"prompt": "Once upon a time"}', key="request")
        return parse_object(text.encode(), "request")
    table = _table()
    start, steps = st.columns(2)
    return {
        "mapping": table,
        "start": start.selectbox("Start", list(SYMBOLS), key="start"),
        "steps": steps.number_input("Steps", 1, MOST_STEPS, 24, key="steps"),
    }


def _table() -> list[list[Any]]:
    """The 26 rules, in the order in which the model reads them."""
    if "pairs" not in st.session_state:
        _draw_table("Cycle")
    st.markdown("Draw a table")
    with st.container(horizontal=True, gap="small"):
        for name in _TABLES:
            st.button(name, key=f"draw {name}", on_click=_draw_table, args=(name,))
    pairs: tuple[tuple[str, str], ...] = st.session_state["pairs"]
    edited = st.data_editor(
        {"from": list(SYMBOLS), "to": [to for _, to in sorted(pairs)]},
        hide_index=True,
        height=248,
        row_height=30,
        disabled=["from"],
        column_config={
            "from": st.column_config.TextColumn("From", width="small"),
            "to": st.column_config.SelectboxColumn("To", options=list(SYMBOLS), required=True, width="small"),
        },
        key=f"table {st.session_state['table number']}",
        alt="The table of rules",
    )
    rules = dict(zip(edited["from"], edited["to"], strict=True))
    return [[source, rules[source]] for source, _ in pairs]


def _draw_table(name: str) -> None:
    chance = random.Random()  # noqa: S311
    st.session_state["pairs"] = shuffled_pairs(_TABLES[name](chance), chance)
    st.session_state["table number"] = st.session_state.get("table number", 0) + 1


def _limits(source: Source) -> Mapping[str, Any]:
    known = source.describe().settings
    if "threshold" not in known:
        return {}
    with st.expander("Stopping"):
        threshold = st.slider(
            "Completion threshold", 0.0, 1.0, float(known["threshold"]), 0.01, key="threshold"
        )
        cap = st.number_input("Loop cap", 1, 2 * MOST_STEPS, int(known["safety_cap"]), key="cap")
    return {"threshold": threshold, "safety_cap": cap}


def _buttons(source: Source, request: Json) -> None:
    run, stop = st.columns(2)
    icon = ":material/play_arrow:"
    stop.button("Stop", key="stop button", icon=":material/stop:", width="stretch")  # any rerun stops
    if run.button("Run", key="run button", type="primary", icon=icon, width="stretch"):
        _start(source, request)


def _start(source: Source, request: Json) -> None:
    run = LiveRun(source, request, _watcher())
    run.start()
    run.wait(HEAD_START_SECONDS)
    st.session_state["run"] = run


def _watcher() -> Callable[[], bool]:
    """Whether this session's tab is still open, asked from any thread."""
    context = get_script_run_ctx()
    session = context.session_id if context else ""
    return lambda: not runtime.exists() or runtime.get_instance().is_active_session(session)


def _watch(source: Source, request: Json, settings: Settings) -> None:
    run: LiveRun | None = st.session_state.get("run")
    if run is None:
        _preview(source, request)
        return
    is_on = run.stage != "ended"
    # Toggled, never removed: without a period the fragment stays as it is.
    st.fragment(_show_run, run_every=REFRESH_SECONDS if is_on else None)(run, is_on)
    if not is_on:
        _keep(run, settings)


def _preview(source: Source, request: Json) -> None:
    """The request as the player will show it, before anything has run."""
    trace = LiveRun(source, request).trace
    player([encode(trace, "request")], PlayerOptions("preview", labels=("Press Run",), is_preview=True))


def _show_run(run: LiveRun, was_on: bool) -> None:
    stage = run.stage
    trace = run.trace
    if stage == "waiting":
        st.info("Another run holds the model. You are waiting in line; yours starts when it is done.")
    elif "error" in trace:
        error = trace["error"]
        st.error(plain(f"The model raised {error['type']}: {error['message']}"), icon=":material/error:")
    at_end = None if was_on else len(trace["trace"]) + 1
    player([encode(trace, "run")], PlayerOptions(trace["id"], at_end))
    if was_on and stage == "ended":
        st.rerun()


def _keep(run: LiveRun, settings: Settings) -> None:
    trace = run.trace
    recording = Opened(f"run-{trace['id'][-8:]}.json", trace, encode(trace))
    with st.container(horizontal=True):
        clicked = st.button("Save as a recording", key="save button", icon=":material/save:")
        downloads(recording)
    if clicked:
        _save(recording, settings.root)
    rows_table(trace)


def _save(recording: Opened, folder: Path) -> None:
    try:
        make_folder(folder)
        path = save(recording.trace, Target(folder).file({**recording.trace}))
    except TracekitError as error:
        st.warning(plain(f"It could not be saved: {error}"), icon=":material/warning:")
    else:
        st.success(plain(f"Saved as {path.name}; it is on the Recordings page."))
