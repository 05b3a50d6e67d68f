"""Every recording that ships is run again with the model that it names, and compared."""

from __future__ import annotations

import pytest

from tests.conftest import RECORDINGS
from tracekit.storage.store import find

# `tracekit record` names its own recordings run-….json; they are a person's, and git ignores them.
SHIPPED = [path for path in find([RECORDINGS]) if not path.name.startswith("run-")]


def test_there_are_recordings_of_a_whole_run_a_cancelled_one_and_one_that_errs():
    assert {"pointer-long", "pointer-cancelled", "pointer-errs"} <= {path.stem for path in SHIPPED}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_model_still_does_what_was_recorded(golden, path):
    assert golden.recheck(path).compared > 0
