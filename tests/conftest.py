"""Settings of hypothesis (fixed examples in CI, new ones elsewhere), and model files without fsync."""

import os

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "casebase",
    derandomize=os.environ.get("CI") == "true",
    max_examples=int(os.environ.get("HYPOTHESIS_MAX_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("casebase")


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk():
    """Models saved by tests need not outlive a power failure: without fsync, thousands of files are written sooner."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        yield
