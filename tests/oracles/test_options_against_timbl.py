"""The oracles of metrics, votes and the other learners against the TiMBL program, on random memories.

Few values, classes and cases, so that ties, exact matches, unknown values, features of one
value and pairs of rare values abound.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from tests import timbl
from tests.oracles import cross_validation, decay, exemplars, ib1, ib2, igtree, leave_one_out, tribl, tribl2, weights
from tests.oracles.metrics import SIMILARITIES, Metric
from tests.oracles.weights import relevance

pytestmark = pytest.mark.peer

METRICS = {
    "overlap": "O",
    "mvdm": "M",
    "jeffrey": "J",
    "jensen_shannon": "S",
    "levenshtein": "L",
    "dice": "DC",
    "numeric": "N",
    "euclidean": "E",
    "cosine": "C",
    "dot": "D",
}
WITH_THRESHOLD = {"mvdm", "jeffrey", "jensen_shannon"}
OF_STRINGS = {"levenshtein", "dice"}
OF_NUMBERS = {"numeric", "euclidean", "cosine", "dot"}
VOTES = {
    "equal": "-dZ",
    "inverse_distance": "-dID",
    "inverse_linear": "-dIL",
    "exponential": "-dED:2:1.5",
}
WEIGHTS = {
    "none": "nw",
    "gain_ratio": "gr",
    "information_gain": "ig",
    "chi_squared": "x2",
    "shared_variance": "sv",
}


@pytest.fixture(autouse=True)
def _timbl():
    timbl.require_timbl()


@dataclass
class Trial:
    """A random memory, questions about it, and options in both their spellings."""

    metric: str
    vote: str
    measure: str
    k: int
    threshold: int
    exact_match: bool
    train: list[list[str]]
    test: list[list[str]]

    def __init__(self, metric: str, seed: int, small: bool = False):
        rng = random.Random(f"{metric} {seed}")
        self.metric = metric
        self.vote = rng.choice(list(VOTES))
        self.measure = rng.choice(list(WEIGHTS))
        self.k = rng.randint(1, 4)
        self.threshold = rng.choice([1, 1, 2, 3]) if metric in WITH_THRESHOLD else 1
        self.exact_match = metric not in SIMILARITIES and rng.random() < 0.2
        n_features = rng.randint(1, 4)
        letters = "ab" if small else "abc"
        # A vector of one number has a cosine of 1 or -1 up to rounding, which the order of meeting then decides.
        n_features = max(n_features, 2) if metric == "cosine" else n_features

        def value(is_new: bool) -> str:
            if metric in OF_NUMBERS:
                return str(rng.randint(1 if metric == "cosine" else -2, 3 if small else 9) + 5 * is_new)
            n_chars = rng.randint(1, 3) if metric in OF_STRINGS else 1
            return "".join(rng.choice(letters) for _ in range(n_chars)) + "z" * (is_new and rng.random() < 0.2)

        def line(is_new: bool) -> list[str]:
            return [*(value(is_new) for _ in range(n_features)), rng.choice("PQR")]

        self.train = [line(False) for _ in range(rng.randint(6, 9) if small else rng.randint(6, 25))]
        self.test = [line(True) for _ in range(10)] + self.train[:3]

    @property
    def options(self) -> list[str]:
        options = ["-m", METRICS[self.metric], "-w", WEIGHTS[self.measure], "-k", str(self.k), VOTES[self.vote]]
        options += ["-L", str(self.threshold)] if self.threshold > 1 else []
        return [*options, "+x"] if self.exact_match else options

    @property
    def numeric(self) -> range:
        return range(len(self.train[0]) - 1 if self.metric in OF_NUMBERS else 0)

    def row(self, line: list[str]) -> list[str | float]:
        return [float(value) if self.metric in OF_NUMBERS else value for value in line[:-1]]

    @property
    def rows(self) -> list[list[str | float]]:
        return [self.row(line) for line in self.train]

    @property
    def labels(self) -> list[str]:
        return [line[-1] for line in self.train]

    @property
    def classes(self) -> list[str]:
        return list(dict.fromkeys(self.labels))

    @property
    def queries(self) -> list[list[str | float]]:
        return [self.row(line) for line in self.test]

    @property
    def order(self) -> list[int]:
        return ib1.summation_order(self.rows, self.labels, numeric=self.numeric)

    def group_weights(self):
        """TiMBL's weights of groups, for one run of questions."""
        return decay.TimblInverseLinear(self.k) if self.vote == "inverse_linear" else decay.named(self.vote, 2, 1.5)

    def weigh(self, rows, labels):
        return relevance(rows, labels, self.measure, numeric=self.numeric)

    def compare(self, rows, labels):
        return Metric(rows, labels, self.metric, threshold=self.threshold, compat="timbl")

    def run(self, test=None, options=()):
        """Return TiMBL's answers; skip the test if it stops at a cosine of more than 1 by rounding."""
        try:
            return timbl.run(self.train, self.test if test is None else test, options=[*self.options, *options])
        except RuntimeError as error:
            if "negative similarity" in str(error):
                pytest.skip("TiMBL stopped at a negative distance")
            raise


def assert_same(run, answers):
    """Class, distance and votes of every answer are those of the run, to its digits."""
    assert len(answers) == len(run.labels)
    for number, answer in enumerate(answers):
        assert answer.label == run.labels[number], number
        assert answer.distance == pytest.approx(run.distances[number], rel=1e-13, abs=1e-14), number
        votes = {label: n for label, n in answer.votes.items() if abs(n) >= weights.EPS}
        assert votes == pytest.approx(run.distributions[number], rel=1e-5), number


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("metric", METRICS)
def test_ib1(metric, seed, small):
    """IB1 with every metric, vote, weighting, threshold and with exact matches alone; ties too."""
    trial = Trial(metric, seed, small)
    run = trial.run()
    rows, labels, order = trial.rows, trial.labels, trial.order
    learnt, weights_, group_weights = trial.compare(rows, labels), trial.weigh(rows, labels), trial.group_weights()
    answers = [
        ib1.classify(
            rows,
            labels,
            query,
            weights_,
            trial.k,
            label_order=trial.classes,
            sum_order=order,
            metric=learnt,
            group_weights=group_weights,
            exact_match=trial.exact_match,
            met=ib1.meeting_order(rows, query, order),
        )
        for query in trial.queries
    ]
    assert_same(run, answers)
    assert sum(answer.was_tied for answer in answers) == run.n_ties


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("metric", [name for name in METRICS if name not in SIMILARITIES])
def test_tribl_and_tribl2(metric, seed):
    """A tree above, every metric and vote below; also with all the features in the tree."""
    trial = Trial(metric, seed)
    rows, labels = trial.rows, trial.labels
    learnt, weights_ = trial.compare(rows, labels), trial.weigh(rows, labels)
    switch = 1 + seed % (len(rows[0]) + 1)
    common = {"metric": learnt, "exact_match": trial.exact_match}
    run = trial.run(options=["-a2", "-q", str(switch)])
    votes = trial.group_weights()
    answers = [
        tribl.classify(
            rows, labels, query, weights_, weights_, switch, trial.k, trial.numeric, None, trial.classes,
            group_weights=votes, **common,
        )
        for query in trial.queries
    ]  # fmt: skip
    assert_same(run, answers)

    run = trial.run(options=["-a4"])
    votes = trial.group_weights()
    answers = [
        tribl2.classify(
            rows, labels, query, weights_, trial.k, trial.numeric, None, trial.classes,
            metric=learnt, group_weights=votes,
        )
        for query in trial.queries
    ]  # fmt: skip
    assert_same(run, answers)


@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("metric", METRICS)
def test_ib2(metric, seed, small):
    """The cases kept, and all that is counted twice afterwards."""
    trial = Trial(metric, seed, small)
    trial.exact_match = False
    bootstrap = 1 + seed % 5
    run = trial.run(options=["-a3", "-b", str(bootstrap)])
    model = ib2.learn(
        trial.rows,
        trial.labels,
        bootstrap,
        trial.weigh,
        trial.compare,
        trial.order,
        trial.k,
        trial.classes,
        group_weights=trial.group_weights(),
        compat="timbl",
    )
    assert_same(run, [model.answer(query) for query in trial.queries])


@pytest.mark.parametrize("is_sloppy", [False, True])
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("metric", METRICS)
def test_leave_one_out(metric, seed, is_sloppy):
    """Each case from all the others, with weights and tables learnt anew or kept."""
    trial = Trial(metric, seed)
    run = trial.run("leave_one_out", options=["--sloppy"] if is_sloppy else [])
    answers = leave_one_out.with_ib1(
        trial.rows, trial.labels, trial.measure, trial.k, trial.numeric, None, trial.classes, sum_order=trial.order,
        names=metric, threshold=trial.threshold, group_weights=trial.group_weights(), exact_match=trial.exact_match,
        is_sloppy=is_sloppy, compat="timbl",
    )  # fmt: skip
    assert_same(run, answers)
