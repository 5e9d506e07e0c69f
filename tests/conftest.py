"""How hypothesis searches: the same examples on every run of CI, new ones elsewhere."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "casebase",
    derandomize=os.environ.get("CI") == "true",
    max_examples=int(os.environ.get("HYPOTHESIS_MAX_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("casebase")
