"""Which of two representations is better on held-out cases, and whether a method chose it."""

from dataclasses import dataclass

from scipy.special import stdtr

from lab.papers.acr.splits import ACR, HELD_OUT, PERCEPTRONS, SHARES
from lab.papers.acr.tasks import Task
from lab.papers.records import Measured
from lab.papers.running import Results

LEVEL = 0.01
T_TEST = (
    "Splits share most of their cases, so the t-test of a difference counts its variance 1/n + 1/9 times for n splits "
    "instead of 1/n (Nadeau and Bengio, 2003); without that nearly any difference is significant after enough splits."
)


@dataclass(frozen=True)
class Outcome:
    """A task over all splits: the accuracies of both representations, and how often each was chosen."""

    task: Task
    accuracy: tuple[Measured, Measured]
    choices: Measured

    @property
    def difference(self) -> Measured:
        """The accuracy of the second minus that of the first, split by split."""
        return self.accuracy[1].minus(self.accuracy[0])

    @property
    def p(self) -> float:
        """The p-value of the corrected t-test, two-sided."""
        return t_test(self.difference)

    @property
    def better(self) -> str | None:
        """The representation with the higher accuracy; None if the difference is not significant."""
        return self.task.names[self.difference.mean > 0] if self.p < LEVEL else None

    @property
    def seems_better(self) -> str | None:
        """The same by a t-test that takes the splits as independent, as the paper's may have been."""
        return self.task.names[self.difference.mean > 0] if t_test(self.difference, shared=0.0) < LEVEL else None

    @property
    def chosen(self) -> str | None:
        """The representation that was chosen in more than half of the splits."""
        return next((name for name in self.task.names if 2 * self.n_chosen(name) > self.choices.n_runs), None)

    def n_chosen(self, name: str) -> int:
        return sum(choice == 2 * self.task.names.index(name) - 1 for choice in self.choices.runs)

    @property
    def verdict(self) -> str:
        """Whether the choice was right, wrong or open; "no difference" if neither representation is better."""
        return self.judged(self.better)

    def judged(self, better: str | None) -> str:
        if better is None:
            return "no difference"
        return "undecided" if self.chosen is None else "right" if self.chosen == better else "wrong"

    def votes(self) -> str:
        """Return how many splits chose each representation."""
        votes = [f"{name} in {self.n_chosen(name)}" for name in self.task.names if self.n_chosen(name)]
        return f"{' and '.join(votes) or 'neither'} of {self.choices.n_runs} splits"


def outcome_of(task: Task, results: Results, method: str = ACR) -> Outcome:
    """Return the outcome of a task's splits with the choices of a method."""
    learnt = PERCEPTRONS if method == PERCEPTRONS else SHARES[-1]
    first, second = (results[task.name, name, learnt] for name in task.names)
    return Outcome(task, (first, second), results[task.name, method])


def t_test(difference: Measured, shared: float = HELD_OUT / (1 - HELD_OUT)) -> float:
    """Return the probability of a mean this far from 0, two-sided; 1 for a single split.

    `shared` is what is added to 1/n because the splits share cases; 0 takes them as independent.

    >>> some = Measured((5.0, 6.0, 7.0, 6.0))
    >>> round(t_test(some), 4), round(t_test(some, shared=0.0), 4), t_test(Measured((5.0,)))
    (0.0012, 0.0007, 1.0)
    """
    n, deviation = difference.n_runs, difference.deviation
    if deviation is None:
        return 1.0
    if deviation == 0:
        return 0.0 if difference.mean else 1.0
    spread = deviation * (1 / n + shared) ** 0.5
    return float(2 * stdtr(n - 1, -abs(difference.mean) / spread))
