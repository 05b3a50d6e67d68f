"""A recording that another process is writing now, as it grows."""

from __future__ import annotations

import streamlit as st

from tracekit.errors import TracekitError
from tracekit.viewer.growth import grown
from tracekit.viewer.parts import plain, shelf_of
from tracekit.viewer.player import PlayerOptions, player
from tracekit.viewer.settings import Settings
from tracekit.viewer.shelf import Shelf

__all__ = ["page"]

REFRESH_SECONDS = 0.5


def page(settings: Settings) -> None:
    """Choose among the folder's journals, the newest first; one that has become a recording stays."""
    shelf = shelf_of(settings.root)
    names = shelf.journals()
    followed = st.session_state.get("followed")
    if followed and followed not in names:
        names.append(followed)
    if names:
        st.selectbox("Journal", names, key="followed", help="A recording grows in its journal.")
    # Toggled, never removed: without a period the fragment stays as it is.
    is_over = st.session_state.get("follow is over") == st.session_state.get("followed", "")
    st.fragment(_follow, run_every=None if is_over else REFRESH_SECONDS)(settings, shelf)


def _follow(settings: Settings, shelf: Shelf) -> None:
    name = st.session_state.get("followed")
    if not name:
        _wait(settings, shelf)
        return
    try:
        growth = grown(shelf.path(name))
    except TracekitError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    if growth is None:
        st.info("The recording is about to begin.")
        return
    _say(growth.state, name)
    player([growth.data], PlayerOptions(growth.trace["id"], labels=(name.removesuffix(".journal"),)))
    if growth.state != "growing" and st.session_state.get("follow is over") != name:
        st.session_state["follow is over"] = name
        st.rerun()


def _wait(settings: Settings, shelf: Shelf) -> None:
    st.info(
        f"Nothing is being recorded into {plain(str(settings.root))} now. Start a run in a terminal, such as "
        f"`tracekit record --out-dir`, and it shows here as it grows.",
        icon=":material/hourglass_empty:",
    )
    if shelf.journals():
        st.rerun()


def _say(state: str, name: str) -> None:
    if state == "recorded":
        st.success("The run has ended; its recording is on the Recordings page.")
    elif state == "interrupted":
        st.warning(
            f"Its recorder died. `tracekit recover` makes a recording of {plain(name)}; nothing is lost.",
            icon=":material/warning:",
        )
