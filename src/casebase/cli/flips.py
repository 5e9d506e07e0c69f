"""The options of `casebase explain` that ask for the smallest flip."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from casebase import methods
from casebase.base.flips import Flip
from casebase.base.leave_out import each_without_itself
from casebase.base.model import Model
from casebase.cli.options import together
from casebase.data import Cases

LIMIT = 3

flip_options = together(
    click.option(
        "--flip",
        is_flag=True,
        help="Show what would change each prediction instead: the fewest other values, and the stored cases without "
        "which it would be another one.",
    ),
    click.option("--to", metavar="CLASS", help="With --flip: the class that should be predicted."),
    click.option("--freeze", metavar="NAME,NAME…", help="With --flip: columns that must not change, such as age,sex."),
    click.option(
        "--flip-limit",
        type=click.IntRange(min=1),
        help=f"With --flip: the largest number of changes.  [default: {LIMIT}]",
    ),
)


@dataclass(frozen=True)
class FlipOptions:
    """What the options ask for."""

    to: str | None
    frozen: Sequence[str]
    limit: int

    @classmethod
    def from_options(
        cls, flip: bool, to: str | None, freeze: str | None, flip_limit: int | None
    ) -> "FlipOptions | None":
        """Return what the options ask for; None without --flip."""
        if not flip:
            given = {"--to": to, "--freeze": freeze, "--flip-limit": flip_limit}
            for option, value in given.items():
                if value is not None:
                    raise click.UsageError(f"{option} belongs to --flip: give both.")
            return None
        frozen = [name.strip() for name in (freeze or "").split(",") if name.strip()]
        return cls(to, frozen, LIMIT if flip_limit is None else flip_limit)

    def flips(self, model: Model, cases: Cases, rows: np.ndarray | None = None) -> list[Flip]:
        """Return the smallest flip of each case; with rows of stored cases, without the case itself."""
        options: dict[str, Any] = {"to": self.to, "frozen": self.frozen, "limit": self.limit}
        if rows is None:
            return methods.flip(model, cases, **options)
        return [
            replace(methods.flip(others, case, **options)[0], left_out=left_out)
            for others, case, left_out in each_without_itself(model, cases, rows)
        ]
