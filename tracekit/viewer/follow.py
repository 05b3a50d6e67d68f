"""A recording that another process is writing now, as it grows."""

from __future__ import annotations

import time
from pathlib import Path

import streamlit as st

from tracekit.errors import TracekitError
from tracekit.viewer.growth import REFRESH_SECONDS, grown, slowed
from tracekit.viewer.parts import plain, shelf_of
from tracekit.viewer.player import PlayerOptions, player
from tracekit.viewer.settings import Settings
from tracekit.viewer.shelf import Shelf

__all__ = ["page"]

LOOK_SECONDS = 1.0


def page(settings: Settings) -> None:
    """Choose among the folder's journals, the newest first; one that has become a recording stays."""
    shelf = shelf_of(settings.root)
    names = shelf.journals()
    st.fragment(_look, run_every=LOOK_SECONDS)(shelf, tuple(names))
    followed = st.session_state.get("followed")
    if followed and followed not in names:
        names.append(followed)
    if not names:
        _nothing_here(settings)
        return
    name = st.selectbox("Journal", names, key="followed", help="A recording grows in its journal.")
    # Toggled, never removed: without a period the fragment stays as it is.
    is_over = st.session_state.get("follow is over") == name
    period = st.session_state.get("follow period", REFRESH_SECONDS)
    st.fragment(_follow, run_every=None if is_over else period)(shelf, name, period)


def _look(shelf: Shelf, known: tuple[str, ...]) -> None:
    """Draw the page again when a journal has come or gone."""
    if tuple(shelf.journals()) != known:
        st.rerun()


def _follow(shelf: Shelf, name: str, period: float) -> None:
    started = time.monotonic()
    try:
        growth = grown(shelf.path(name))
    except TracekitError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    if growth is None:
        st.info("The recording is about to begin.")
        return
    _say(growth.state, name)
    label = Path(name).name.removesuffix(".journal")
    player([growth.data], PlayerOptions(growth.trace["id"], labels=(label,)))
    if growth.state != "growing" and st.session_state.get("follow is over") != name:
        st.session_state["follow is over"] = name
        st.rerun()
    if growth.state == "growing" and (calmer := slowed(period, time.monotonic() - started)) > period:
        st.session_state["follow period"] = calmer
        st.rerun()


def _nothing_here(settings: Settings) -> None:
    st.info(
        f"Nothing is being recorded into {plain(str(settings.root))} now. Start a run in a terminal, such as "
        "`tracekit record`, and it shows here as it grows.",
        icon=":material/hourglass_empty:",
    )


def _say(state: str, name: str) -> None:
    if state == "recorded":
        st.success("The run has ended; its recording is on the Recordings page.")
    elif state == "interrupted":
        st.warning(
            f"Its recorder died. `tracekit recover` makes a recording of {plain(name)}; nothing is lost.",
            icon=":material/warning:",
        )
