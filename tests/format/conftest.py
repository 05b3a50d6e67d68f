"""How hypothesis runs here: without a deadline, since machines that test are busy ones."""

from __future__ import annotations

import hypothesis

hypothesis.settings.register_profile(
    "tracekit", max_examples=40, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("tracekit")
