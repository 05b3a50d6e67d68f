"""The app: five pages under one bar."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from tracekit.errors import TracekitError
from tracekit.viewer import comparing, follow, live, recordings, timing
from tracekit.viewer.parts import plain
from tracekit.viewer.settings import Settings

__all__ = ["main"]

_LOGO = str(Path(__file__).with_name("logo.svg"))
_ICON = str(Path(__file__).with_name("icon.svg"))

_STYLE = """<style>
.stMainBlockContainer { padding: 4.5rem 1.5rem 3rem; max-width: 1320px; }
[data-testid="stSidebarContent"] { padding-top: .5rem; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: 6px 18px; margin: 0; padding: 0; }
.facts dt { opacity: .65; }
.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
@media (max-width: 640px) {
  .stMainBlockContainer { padding: 4rem .5rem 2rem; }
  .facts { grid-template-columns: 1fr; gap: 0; }
  .facts dd { margin-bottom: 8px; }
}
</style>"""


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(page_title="tracekit", page_icon=_ICON, layout="wide", initial_sidebar_state=320)
    st.logo(_LOGO, size="large", icon_image=_ICON)
    st.html(_STYLE)
    live.stop_run()
    try:
        settings = Settings.parse(sys.argv[1:])
    except TracekitError as error:
        st.error(plain(str(error)))
        return
    st.navigation([_page(*page, settings) for page in _PAGES], position="top").run()


def _page(draw: Callable[[Settings], None], title: str, icon: str, settings: Settings) -> st.Page:
    path = title.lower()
    bound = partial(draw, settings)
    return st.Page(
        bound, title=title, icon=f":material/{icon}:", url_path=path, default=title == "Recordings"
    )


_PAGES: tuple[tuple[Callable[[Settings], None], str, str], ...] = (
    (recordings.page, "Recordings", "play_circle"),
    (live.page, "Live", "sensors"),
    (follow.page, "Follow", "visibility"),
    (comparing.page, "Compare", "compare_arrows"),
    (timing.page, "Timing", "timer"),
)
