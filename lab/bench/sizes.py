"""Sizes of the benchmark: full ones, for which the targets hold, and tiny ones that only show that a part works."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sizes:
    """Numbers of cases and queries. `many` is None for the whole corpus; `repeats` is the number of runs per side."""

    name: str = "full"
    repeats: int = 5
    few: int = 10_000
    middle: int = 100_000
    many: int | None = None
    asked: int = 10_000
    asked_of_timbl: int = 2_000
    asked_of_sklearn: int = 2_000
    asked_of_threads: int = 100_000
    left_out: int = 20_000
    two_words: int = 20_000
    mixed: int = 50_000
    mixed_asked: int = 2_000
    batches: int = 50
    batch: int = 100
    bits: int = 1_000_000
    bits_of_threads: int = 50_000
    bits_growing: int = 200_000
    held_out: int = 40
    letters: int = 18_000
    letters_few: int = 2_000
    letters_asked: int = 2_000
    words: tuple[int, int] = (5_000, 50_000)
    sentences: int | None = None
    trees: tuple[int, ...] = (12_500, 25_000, 50_000, 100_000, 200_000, 400_000, 800_000)
    growth: tuple[int, ...] = (1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000)
    growth_asked: int = 1_000
    growth_limit: float = 120.0  # seconds: a size that would take longer is left out, and the report says so
    scale: tuple[int, ...] = (1_000_000, 10_000_000, 100_000_000)
    scale_part: int = 1_000_000
    scale_compared: int = 10_000_000
    scale_in_memory: tuple[int, ...] = (100_000_000, 50_000_000, 20_000_000)  # the first that fits
    scale_of_timbl: int = 1_000_000
    scale_asked: int = 20_000

    @property
    def is_full(self) -> bool:
        return self.name == "full"


FULL = Sizes()
SMALL = Sizes(
    name="small",
    repeats=2,
    few=200,
    middle=500,
    many=1_000,
    asked=50,
    asked_of_timbl=20,
    asked_of_sklearn=50,
    asked_of_threads=100,
    left_out=200,
    two_words=200,
    mixed=300,
    mixed_asked=50,
    batches=2,
    batch=5,
    bits=500,
    bits_of_threads=500,
    bits_growing=1_000,
    held_out=2,
    letters=500,
    letters_few=100,
    letters_asked=20,
    words=(50, 200),
    sentences=200,
    trees=(100, 200, 400),
    growth=(100, 200, 400),
    growth_asked=20,
    growth_limit=20.0,
    scale=(1_000, 3_000, 10_000),
    scale_part=1_000,
    scale_compared=3_000,
    scale_in_memory=(5_000,),
    scale_of_timbl=1_000,
    scale_asked=50,
)


def short(n: int) -> str:
    """Return a number of cases as tables name it.

    >>> short(1_044_663), short(100_000), short(500)
    ('1M', '100k', '500')
    """
    if n >= 1_000_000:
        return f"{n // 1_000_000}M"
    return f"{n // 1_000}k" if n >= 1_000 else str(n)
