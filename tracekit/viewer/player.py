"""The player as a Streamlit component. It animates in the browser; the server sends only what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files

import orjson
import streamlit as st

from tracekit.player.html import player_css, player_js

__all__ = ["PlayerOptions", "player"]


# The page around it has its own margin.
_EDGES = """
.tk-shell { padding: 0; max-width: none; }
.preview :is(.tk-deck, .tk-badge, .tk-side) { display: none; }
.preview .tk-body { grid-template-columns: 1fr; }
"""


@dataclass(frozen=True)
class PlayerOptions:
    """What the player starts with. Another `run` starts it anew; under the same one it keeps its place.

    `linked` keeps the step in the page's address; a preview has nothing to play yet.
    """

    run: str
    step: int | None = None
    labels: tuple[str, ...] = ()
    linked: bool = False
    is_preview: bool = False


def player(documents: Sequence[bytes], options: PlayerOptions) -> None:
    """Draw one trace, or two side by side, each as the JSON of its whole document."""
    known = {name: value for name, value in asdict(options).items() if value not in (None, ())}
    head = orjson.dumps(known)[:-1]
    data = b"".join([head, b',"traces":[', b",".join(documents), b"]}"])
    component = st.components.v2.component(
        "tracekit_player",
        html="<div data-player></div>",
        css=player_css() + _EDGES,
        js=player_js() + files("tracekit.viewer").joinpath("mount.js").read_text(encoding="utf-8"),
    )
    component(key="player", data=data)
