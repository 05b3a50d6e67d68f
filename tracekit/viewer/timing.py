"""When the steps came: gaps as a curve and a histogram, percentiles, several recordings overlaid."""

from __future__ import annotations

import streamlit as st

from tracekit.errors import TracekitError
from tracekit.viewer.charts import curve, histogram, milliseconds_between, statistics
from tracekit.viewer.parts import names_to_choose, open_recording, plain, shelf_of
from tracekit.viewer.settings import Settings

__all__ = ["page"]

MOST_RECORDINGS = 6


def page(settings: Settings) -> None:
    """Choose recordings; the numbers first, then the charts."""
    shelf = shelf_of(settings.root)
    names = names_to_choose(shelf, "recordings")
    if not names:
        st.info(f"{plain(str(settings.root))} holds no recordings yet.", icon=":material/folder_open:")
        return
    chosen = st.multiselect(
        "Recordings", names, names[:2], max_selections=MOST_RECORDINGS, key="recordings", bind="query-params"
    )
    try:
        traces = {name: open_recording(shelf, name).trace for name in chosen}
    except TracekitError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    if not traces:
        st.info("Choose one recording, or several to lay over each other.")
        return
    st.dataframe(
        statistics(traces),
        hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.3f") for name in _NUMBERS},
        alt="Percentiles of the time between steps",
    )
    series = {name: milliseconds_between(trace) for name, trace in traces.items()}
    left, right = st.columns(2, gap="medium")
    left.altair_chart(curve(series))
    right.altair_chart(histogram(series))


_NUMBERS = ("First step, ms", "Median, ms", "p90, ms", "p99, ms", "Longest, ms", "Steps a second")
