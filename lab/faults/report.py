"""What kills of one kind left behind, as a line of a table."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NoReturn

COLUMNS = ("kills", "old", "new", "neither", "unfinished", "left over")


@dataclass
class Kills:
    """How often the old or the new state was there after a kill, or neither, and what else was in the folder.

    `unfinished` counts the kills after which the folder had an unfinished file, a lock or a journal, and `left_over`
    those after which the next process left one of them. `others` counts what is of interest for this kind alone.
    """

    kind: str
    old: int = 0
    new: int = 0
    neither: int = 0
    unfinished: int = 0
    left_over: int = 0
    seconds: float = 0.0
    others: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        return self.old + self.new + self.neither

    def row(self) -> list[str]:
        numbers = (self.kills, self.old, self.new, self.neither, self.unfinished, self.left_over)
        others = ", ".join(f"{n:,} {what}" for what, n in self.others.items())
        return [self.kind, *(f"{n:,}" for n in numbers), f"{self.seconds:,.0f}", others]


def table(reports: Iterable[Kills]) -> Iterator[str]:
    """Yield the lines of a table of reports, each when its report is there, and a line for each fault."""
    yield f"{'kind':<20}" + "".join(f"{name:>12}" for name in (*COLUMNS, "seconds"))
    for report in reports:
        kind, *numbers, others = report.row()
        yield f"{kind:<20}" + "".join(f"{number:>12}" for number in numbers) + f"   {others}"
        yield from (f"FAULT {fault}" for fault in report.faults)


def show(reports: Iterable[Kills]) -> NoReturn:
    """Print a table of reports, and end the process: with exit code 1 if there is a fault."""
    has_faults = False
    for line in table(reports):
        has_faults |= line.startswith("FAULT")
        print(line, flush=True)
    sys.exit(has_faults)
