"""The oracles of metrics, votes and the other learners against the TiMBL program, on random memories.

Few values, classes and cases, so that ties, exact matches, unknown values, features of one
value and pairs of rare values abound.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from lab.peers import timbl
from tests.oracles import cross_validation, decay, exemplars, ib1, ib2, igtree, leave_one_out, tribl, tribl2, weights
from tests.oracles.metrics import SIMILARITIES, Metric
from tests.oracles.weights import relevance
from tests.peers import require_timbl

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
OPTION = WEIGHTS | {"standard_deviation": "sd"}


@pytest.fixture(autouse=True)
def _timbl():
    require_timbl()


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
        options = ["-m", METRICS[self.metric], "-w", OPTION[self.measure], "-k", str(self.k), VOTES[self.vote]]
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
        return (
            decay.TimblInverseLinear(self.k)
            if self.vote == "inverse_linear"
            else decay.group_weights(self.vote, 2, 1.5, "timbl")
        )

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
            rows,
            labels,
            query,
            weights_,
            weights_,
            switch,
            trial.k,
            trial.numeric,
            None,
            trial.classes,
            group_weights=votes,
            **common,
        )
        for query in trial.queries
    ]
    assert_same(run, answers)

    run = trial.run(options=["-a4"])
    votes = trial.group_weights()
    answers = [
        tribl2.classify(
            rows,
            labels,
            query,
            weights_,
            trial.k,
            trial.numeric,
            None,
            trial.classes,
            metric=learnt,
            group_weights=votes,
        )
        for query in trial.queries
    ]
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


@pytest.mark.parametrize("clip", [0, 1, 1000])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("metric", ["mvdm", "jeffrey", "jensen_shannon", "levenshtein", "dice"])
def test_clipping(metric, seed, clip):
    """How frequent values must be to be looked up in TiMBL's table decides what it finds there, in IB1 and IB2."""
    trial = Trial(metric, seed)
    trial.exact_match = False

    def compare(rows, labels):
        return Metric(rows, labels, metric, threshold=trial.threshold, compat="timbl", clip=clip)

    run = trial.run(options=["-c", str(clip)])
    learnt, weights_ = compare(trial.rows, trial.labels), trial.weigh(trial.rows, trial.labels)
    votes = trial.group_weights()
    answers = [
        ib1.classify(
            trial.rows,
            trial.labels,
            query,
            weights_,
            trial.k,
            label_order=trial.classes,
            sum_order=trial.order,
            metric=learnt,
            group_weights=votes,
            met=ib1.meeting_order(trial.rows, query, trial.order),
        )
        for query in trial.queries
    ]
    assert_same(run, answers)

    run = trial.run(options=["-a3", "-b", "2", "-c", str(clip)])
    model = ib2.learn(
        trial.rows,
        trial.labels,
        2,
        trial.weigh,
        compare,
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
        trial.rows,
        trial.labels,
        trial.measure,
        trial.k,
        trial.numeric,
        None,
        trial.classes,
        sum_order=trial.order,
        names=metric,
        threshold=trial.threshold,
        group_weights=trial.group_weights(),
        exact_match=trial.exact_match,
        is_sloppy=is_sloppy,
        compat="timbl",
    )
    assert_same(run, answers)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("metric", ["overlap", "mvdm", "jeffrey", "jensen_shannon", "levenshtein", "dice"])
def test_cross_validation(metric, seed, tmp_path):
    """Each file from the others; inverse linear votes remember a tie of an earlier file."""
    trial = Trial(metric, seed)
    trial.exact_match = False
    third = len(trial.train) // 3
    parts = [trial.train[:third], trial.train[third : 2 * third], trial.train[2 * third :]]
    for number, part in enumerate(parts):
        (tmp_path / f"part{number}").write_text("".join(" ".join(line) + "\n" for line in part))
    (tmp_path / "parts").write_text("part0\npart1\npart2\n")
    arguments = ["-F", "Columns", "-f", "parts", "-t", "cross_validate", "+vdb+di", *trial.options]
    assert timbl.execute(arguments, tmp_path).status == 0

    def compare(rows, labels, seen, label_order):
        return Metric(
            rows, labels, metric, threshold=trial.threshold, compat="timbl", label_order=label_order, seen=seen
        )

    folds = [([trial.row(line) for line in part], [line[-1] for line in part]) for part in parts]
    answers = cross_validation.with_ib1(
        folds, trial.weigh, compare, trial.k, trial.numeric, group_weights=trial.group_weights()
    )
    for number, part in enumerate(parts):
        assert_same(timbl.read_answers(tmp_path / f"part{number}.cv", part), answers[number])


@pytest.mark.parametrize("seed", range(30))
def test_exemplar_weights(seed, tmp_path):
    """Distances divided by the first weight of a pattern and class, exact matches that vote with it."""
    trial = Trial(["overlap", "mvdm"][seed % 2], seed)
    rng = random.Random(seed)
    train = [[*line, rng.choice(["1", "1.0", "2", "0.5", "-3"])] for line in trial.train]
    (tmp_path / "train").write_text("".join(" ".join(line) + "\n" for line in train))
    (tmp_path / "test").write_text("".join(" ".join([*line, "1"]) + "\n" for line in trial.test))
    arguments = ["-s", "-F", "Columns", "-f", "train", "-t", "test", "-o", "out", "+vdb+di", *trial.options]
    assert timbl.execute(arguments, tmp_path).status == 0

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
            exemplars=exemplars.stored_weights(rows, labels, [float(line[-1]) for line in train]),
            compat="timbl",
        )
        for query in trial.queries
    ]
    assert_same(timbl.read_answers(tmp_path / "out", trial.test), answers)


@pytest.mark.parametrize("measure", WEIGHTS)
@pytest.mark.parametrize("seed", range(6))
def test_igtree_distance_and_depth(seed, measure, tmp_path):
    """The weights not matched, the number of features matched, and whether the walk ended at a leaf."""
    trial = Trial("overlap", seed)
    timbl.write_rows(tmp_path / "train", trial.train)
    timbl.write_rows(tmp_path / "test", trial.test)
    arguments = ["-a1", "+D", "-F", "Columns", "-f", "train", "-t", "test", "-o", "out", "+vdb+di+md"]
    assert timbl.execute([*arguments, "-w", WEIGHTS[measure]], tmp_path).status == 0
    weights_ = relevance(trial.rows, trial.labels, measure)
    order = sorted(range(len(weights_)), key=lambda feature: -weights_[feature])
    tree = igtree.grow(trial.rows, trial.labels, order, label_order=trial.classes)
    for line, out in zip(trial.test, (tmp_path / "out").read_text().splitlines(), strict=True):
        walk = igtree.classify(tree, trial.row(line))
        *_, distance, depth = out.split()
        assert depth == f"{walk.depth}:{'L' if walk.at_leaf else 'N'}"
        assert igtree.unmatched(walk, weights_, order) == pytest.approx(float(distance), rel=1e-13, abs=1e-14)


def distances_with(trial, weights_, order, **options):
    """The distance of each question to its nearest case."""
    learnt = trial.compare(trial.rows, trial.labels)
    return [
        ib1.classify(
            trial.rows,
            trial.labels,
            query,
            weights_,
            trial.k,
            label_order=trial.classes,
            sum_order=order,
            metric=learnt,
            **options,
        ).distance
        for query in trial.queries
    ]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("metric", ["overlap", "mvdm", "numeric"])
def test_diversify(metric, seed):
    """Every weight less the smallest; the order of addition is that of before."""
    trial = Trial(metric, seed)
    trial.exact_match = False
    run = trial.run(options=["--Diversify"])
    spread = weights.diversify(trial.weigh(trial.rows, trial.labels))
    assert distances_with(trial, spread, trial.order) == pytest.approx(run.distances, rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("metric", ["overlap", "mvdm", "numeric"])
def test_feature_limit(metric, seed):
    """All features but the worst by gain ratio per value, whatever the weighting.

    TiMBL itself writes the list of the features to ignore wrongly where they are two, or two apart.
    """
    trial = Trial(metric, seed)
    trial.exact_match = False
    if len(trial.rows[0]) == 1:
        pytest.skip("nothing to leave out")
    limit = len(trial.rows[0]) - 1
    run = trial.run(options=[f"--limit={limit}"])
    order = trial.order[:limit]
    assert distances_with(trial, trial.weigh(trial.rows, trial.labels), order) == pytest.approx(
        run.distances, rel=1e-13, abs=1e-14
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("metric", ["numeric", "euclidean", "dot"])
def test_standard_deviation(metric, seed):
    """What TiMBL calls standard deviation, to the digits that it prints; features are added up by column."""
    trial = Trial(metric, seed)
    trial.exact_match = False
    trial.measure = "standard_deviation"
    run = trial.run()
    deviations = weights.timbl_deviations(trial.rows)
    assert deviations == pytest.approx(run.weights, rel=1e-13)
    assert distances_with(trial, deviations, range(len(deviations))) == pytest.approx(
        run.distances, rel=1e-13, abs=1e-14
    )
