"""Two recordings side by side, and what differs between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from tracekit.errors import TracekitError
from tracekit.regression.compare import compare
from tracekit.regression.verdict import ABSENT, Comparison, Difference, Verdict
from tracekit.regression.words import headline
from tracekit.viewer.parts import Opened, names_to_choose, open_recording, plain, shelf_of
from tracekit.viewer.player import PlayerOptions, player
from tracekit.viewer.settings import Settings
from tracekit.viewer.shelf import Shelf

__all__ = ["page"]

_OUTCOMES = {
    Verdict.IDENTICAL: "identical",
    Verdict.WITHIN_TOLERANCE: "within tolerance",
    Verdict.NEAR_TIE: "near-tie",
    Verdict.DIFFERENT: "different",
}


def page(settings: Settings) -> None:
    """A golden on the left and a fresh one on the right, under one transport."""
    shelf = shelf_of(settings.root)
    goldens, others = names_to_choose(shelf, "golden"), names_to_choose(shelf, "fresh")
    if not (goldens and others):
        st.info(f"{plain(str(settings.root))} holds no recordings yet.", icon=":material/folder_open:")
        return
    left, right = st.columns(2)
    golden = left.selectbox("Golden", goldens, 0, key="golden", bind="query-params")
    fresh = right.selectbox("Fresh", others, min(1, len(others) - 1), key="fresh", bind="query-params")
    try:
        _show(*_both(shelf, golden, fresh))
    except TracekitError as error:
        st.error(plain(str(error)), icon=":material/error:")


def _both(shelf: Shelf, golden: str, fresh: str) -> tuple[Opened, Opened]:
    return open_recording(shelf, golden), open_recording(shelf, fresh)


def _show(golden: Opened, fresh: Opened) -> None:
    comparison = compare(golden.trace, fresh.trace)
    say = {Verdict.DIFFERENT: st.error, Verdict.NEAR_TIE: st.warning}.get(comparison.verdict, st.success)
    say(plain(headline(comparison)))
    if golden.trace["kind"] == fresh.trace["kind"]:
        run = f"{golden.name}\n{fresh.name}"
        labels = (f"Golden: {golden.name}", f"Fresh: {fresh.name}")
        player([golden.data, fresh.data], PlayerOptions(run, labels=labels))
    else:
        st.info("They are of different kinds, so they do not play side by side.")
    _differences(comparison)


def _differences(comparison: Comparison) -> None:
    values, provenance = st.tabs(["Differences", "Provenance"])
    with values:
        _table(comparison.differences, "Every value is equal.", comparison.unit)
        if comparison.not_compared:
            st.caption(
                f"{comparison.not_compared} rows come after a token that differs; they were not compared."
            )
    with provenance:
        _table(comparison.provenance, "Both were recorded by the same model in the same place.")


def _table(differences: Sequence[Difference], nothing: str, unit: str = "") -> None:
    if not differences:
        st.caption(nothing)
        return
    columns: dict[str, list[Any]] = {
        unit: [each.row for each in differences],
        "Field": [each.field for each in differences],
        "Golden": [_shown(each.golden) for each in differences],
        "Fresh": [_shown(each.fresh) for each in differences],
    }
    if unit:
        columns["Off by"] = [each.delta for each in differences]
        columns["Allowed"] = [each.allowed for each in differences]
        columns["Outcome"] = [_OUTCOMES[each.outcome] for each in differences]
    else:
        del columns[unit]
    st.dataframe(columns, hide_index=True, alt="The values that differ")


def _shown(value: object) -> str:
    return "–" if value is ABSENT else value[:500] if isinstance(value, str) else repr(value)[:500]
