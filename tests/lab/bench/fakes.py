"""A clock that only moves when work says so, and records to report."""

from collections.abc import Callable

from lab.bench.report import Curve, Row
from lab.bench.stored import Report
from lab.bench.timing import Runs


class FakeClock:
    """Stands still until work takes time; remembers the names of what was done."""

    def __init__(self) -> None:
        self.now = 0.0
        self.done: list[str] = []

    def __call__(self) -> float:
        return self.now

    def work(self, name: str, *seconds: float) -> Callable[[], None]:
        """Return work that takes so long the first time, so long the second, and so on."""
        left = list(seconds)

        def run() -> None:
            self.done.append(name)
            self.now += left.pop(0) if len(left) > 1 else left[0]

        return run


def row(ratio: float, **given: object) -> Row:
    return Row(**{"work": "IB1", "ours": "1 s", "peer": "2 s", "ratio": ratio, "part": "ib1", **given})  # type: ignore[arg-type]


def curve(power: float, n_cases: tuple[int, ...] = (1_000, 10_000, 100_000), name: str = "IB1") -> Curve:
    return Curve(name, n_cases, tuple(Runs((1e-6 * n**power,)) for n in n_cases), part="growth")


def report(made: str = "2024-01-02T00:00:00Z", **given: object) -> Report:
    kept = {"machine": "a machine", "peers": {"timbl": "6.5"}, "sizes": "full", "parts": ("ib1",), **given}
    return Report(made, **kept)  # type: ignore[arg-type]
