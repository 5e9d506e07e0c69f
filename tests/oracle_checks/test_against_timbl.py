"""The oracles against the TiMBL program: class, votes, distance and ties, line by line."""

from __future__ import annotations

import random

import pytest

from lab.peers import timbl
from lab.peers.programs import PeerError
from tests.oracles import ib1, igtree, leave_one_out, tribl
from tests.oracles.weights import relevance
from tests.peers import demo_rows, require_timbl

pytestmark = pytest.mark.peer

OPTION = {
    "none": "nw",
    "gain_ratio": "gr",
    "information_gain": "ig",
    "chi_squared": "x2",
    "shared_variance": "sv",
}

TOY_TRAIN = [list(row) for row in ["ax1P", "ay2P", "bx3Q", "by4Q", "cx5P", "cz1R", "az2Q"]]
TOY_TEST = [list(row) for row in ["ax3P", "bz9Q", "dx1R", "dw8P", "az2Q"]]


@pytest.fixture(autouse=True)
def _timbl():
    require_timbl()


@pytest.fixture(scope="module")
def dimin():
    """Every seventh training line and some test lines of TiMBL's Dutch diminutives."""
    require_timbl()
    return demo_rows("dimin.train")[::7], demo_rows("dimin.test")[::12]


@pytest.fixture(params=["toy", "dimin"])
def task(request):
    return request.getfixturevalue("dimin") if request.param == "dimin" else (TOY_TRAIN, TOY_TEST)


def split(lines, numeric=()):
    """Return rows and labels, with numbers in the numeric columns."""
    rows = [[float(v) if f in numeric else v for f, v in enumerate(line[:-1])] for line in lines]
    return rows, [line[-1] for line in lines]


def first_seen(labels):
    return list(dict.fromkeys(labels))


def assert_same(run, answers):
    """Class, votes and distance of every answer are those of the run, to its digits."""
    for number, answer in enumerate(answers):
        assert answer.label == run.labels[number], number
        assert answer.votes == pytest.approx(run.distributions[number], rel=1e-5), number
        assert answer.distance == pytest.approx(run.distances[number], rel=1e-13, abs=1e-14), number


def numeric_task(seed, n_distinct, n_train=150, n_test=60):
    """Return random lines of two numbers, a symbol and a class that depends on all three."""
    rng = random.Random(seed)

    def line(spread):
        x, y = (rng.randrange(-spread, n_distinct + spread) / 4 for _ in range(2))
        symbol = rng.choice("abc")
        score = x - y + 3 * "abc".index(symbol) + rng.gauss(0, n_distinct / 20)
        return [f"{x:g}", f"{y:g}", symbol, "low" if score < 0 else "mid" if score < 4 else "high"]

    return [line(0) for _ in range(n_train)], [line(5) for _ in range(n_test)]


@pytest.mark.parametrize("measure", OPTION)
@pytest.mark.parametrize("k", [1, 3, 5])
def test_ib1(task, measure, k):
    """IB1 with every weighting: each line's answer, and the number of ties."""
    train, test = task
    run = timbl.run(train, test, options=["-k", str(k), "-w", OPTION[measure]])
    rows, labels = split(train)
    queries, _ = split(test)
    weights = relevance(rows, labels, measure)
    order = ib1.summation_order(rows, labels)
    answers = [
        ib1.classify(rows, labels, query, weights, k, label_order=first_seen(labels), sum_order=order)
        for query in queries
    ]

    assert_same(run, answers)
    assert sum(answer.was_tied for answer in answers) == run.n_ties
    if run.weights:
        assert weights == pytest.approx(run.weights, rel=1e-12, abs=1e-14)


def test_ib1_with_counts():
    """A case of count n answers as n copies do: in weights, votes and class frequencies."""
    counts = [2, 1, 1, 3, 1, 2, 1]
    copies = [line for line, n in zip(TOY_TRAIN, counts) for _ in range(n)]
    run = timbl.run(copies, TOY_TEST, options=["-k", "2"])
    rows, labels = split(TOY_TRAIN)
    weights = relevance(rows, labels, "gain_ratio", counts)
    queries, _ = split(TOY_TEST)

    assert weights == pytest.approx(run.weights, rel=1e-12)
    assert_same(
        run,
        [ib1.classify(rows, labels, q, weights, 2, counts=counts, label_order=first_seen(labels)) for q in queries],
    )


@pytest.mark.parametrize("measure", OPTION)
def test_igtree(task, measure):
    """Answers, distributions, distances and the number of nodes (TiMBL's is without the root)."""
    train, test = task
    run = timbl.run(train, test, options=["-a", "IGTREE", "-w", OPTION[measure]])
    rows, labels = split(train)
    queries, _ = split(test)
    weights = relevance(rows, labels, measure)
    order = sorted(range(len(weights)), key=lambda feature: -weights[feature])
    tree = igtree.grow(rows, labels, order, label_order=first_seen(labels))
    walks = [igtree.classify(tree, query) for query in queries]

    assert igtree.count_nodes(tree) == run.n_nodes + 1
    assert [walk.label for walk in walks] == run.labels
    assert [walk.distribution for walk in walks] == run.distributions
    unmatched = [sum(weights[f] for f in order[walk.depth :]) for walk in walks]
    assert unmatched == pytest.approx(run.distances, rel=1e-13, abs=1e-14)


def test_igtree_of_the_whole_demonstration_data():
    """All of the diminutives: 192 nodes with the root, 918 of 950 right."""
    train, test = demo_rows("dimin.train"), demo_rows("dimin.test")
    run = timbl.run(train, test, options=["-a1"])
    rows, labels = split(train)
    weights = relevance(rows, labels, "gain_ratio")
    order = sorted(range(len(weights)), key=lambda feature: -weights[feature])
    tree = igtree.grow(rows, labels, order, label_order=first_seen(labels))

    assert igtree.count_nodes(tree) == run.n_nodes + 1 == 192
    assert [igtree.classify(tree, line[:-1]).label for line in test] == run.labels
    assert run.n_correct == 918


@pytest.mark.parametrize("measure", OPTION)
@pytest.mark.parametrize(("switch", "k"), [(1, 1), (2, 1), (2, 3), (3, 1), (3, 3)])
def test_tribl(task, measure, switch, k):
    """TRIBL with one weighting above and below the switch, as TiMBL has it."""
    train, test = task
    options = ["-a", "TRIBL", "-q", str(switch), "-k", str(k), "-w", OPTION[measure]]
    run = timbl.run(train, test, options=options)
    rows, labels = split(train)
    queries, _ = split(test)
    weights = relevance(rows, labels, measure)
    answers = [
        tribl.classify(rows, labels, query, weights, weights, switch, k, label_order=first_seen(labels))
        for query in queries
    ]

    assert_same(run, answers)


@pytest.mark.parametrize("measure", OPTION)
@pytest.mark.parametrize(("seed", "n_distinct"), [(1, 15), (2, 53), (3, 200)])
def test_numeric(measure, seed, n_distinct):
    """Numbers in fewer and in more distinct values than bins, and questions out of range."""
    train, test = numeric_task(seed, n_distinct)
    rows, labels = split(train, numeric={0, 1})
    queries, _ = split(test, numeric={0, 1})
    weights = relevance(rows, labels, measure, numeric={0, 1})
    order = ib1.summation_order(rows, labels, numeric={0, 1})
    for k in [1, 3]:
        run = timbl.run(train, test, options=["-w", OPTION[measure], "-k", str(k)], numeric=[0, 1])
        if run.weights:
            assert weights == pytest.approx(run.weights, rel=1e-12)
        assert_same(
            run,
            [
                ib1.classify(rows, labels, q, weights, k, {0, 1}, label_order=first_seen(labels), sum_order=order)
                for q in queries
            ],
        )


@pytest.mark.parametrize("k", [1, 3])
def test_tribl_with_numbers(k):
    """Numbers in the tree match when equal; below it they are compared with the whole range."""
    train, test = numeric_task(4, 20)
    run = timbl.run(train, test, options=["-a", "TRIBL", "-q", "1", "-k", str(k)], numeric=[0, 1])
    rows, labels = split(train, numeric={0, 1})
    queries, _ = split(test, numeric={0, 1})
    weights = relevance(rows, labels, "gain_ratio", numeric={0, 1})
    assert_same(
        run,
        [
            tribl.classify(rows, labels, q, weights, weights, 1, k, {0, 1}, label_order=first_seen(labels))
            for q in queries
        ],
    )


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("n_cases", [7, 40])
def test_leave_one_out(k, n_cases, dimin):
    """Every case from all the others, weights learnt anew; the order of addition is kept."""
    lines = TOY_TRAIN if n_cases == 7 else dimin[0][:n_cases]
    run = timbl.run(lines, "leave_one_out", options=["-k", str(k)])
    rows, labels = split(lines)
    answers = leave_one_out.with_ib1(
        rows,
        labels,
        k=k,
        label_order=first_seen(labels),
        sum_order=ib1.summation_order(rows, labels),
    )

    assert_same(run, answers)
    assert sum(answer.was_tied for answer in answers) == run.n_ties


@pytest.mark.parametrize("seed", range(120))
def test_small_random_memories(seed):
    """Few values and classes, so that ties, exact matches and useless features abound."""
    rng = random.Random(seed)
    n_features, n_values, n_classes = rng.randint(1, 5), rng.randint(1, 5), rng.randint(1, 4)
    numeric = {f for f in range(n_features) if rng.random() < 0.4} if seed % 3 == 0 else set()

    def line(n_unseen):
        values = (
            str(rng.randint(-3, 25 + n_unseen)) if f in numeric else "abcdef"[rng.randrange(n_values + n_unseen)]
            for f in range(n_features)
        )
        return [*values, rng.choice("PQRS"[:n_classes])]

    train = [line(0) for _ in range(rng.randint(2, 30))]
    test = [line(1) for _ in range(10)] + train[:4]
    measure, k, switch = rng.choice(list(OPTION)), rng.randint(1, 4), rng.randint(1, n_features + 1)
    rows, labels = split(train, numeric)
    queries, _ = split(test, numeric)
    classes = first_seen(labels)
    weights = relevance(rows, labels, measure, numeric=numeric)
    options = ["-k", str(k), "-w", OPTION[measure]]

    run = timbl.run(train, test, options=options, numeric=sorted(numeric))
    assert_same(run, [ib1.classify(rows, labels, q, weights, k, numeric, None, classes) for q in queries])

    run = timbl.run(train, test, options=[*options, "-a2", "-q", str(switch)], numeric=sorted(numeric))
    assert_same(
        run,
        [tribl.classify(rows, labels, q, weights, weights, switch, k, numeric, None, classes) for q in queries],
    )


def test_run_reads_values_that_look_like_its_own_marks():
    """Braces and commas are ordinary values and classes; backslashes come back doubled."""
    train = [["a{", "x,", "}", "{"], ["a{", "\\y", "2", "P,"], ["b", "é", "{}", "}"]]
    run = timbl.run(train, [*train, ["b", "{", "}", "{"]], options=["-w", "nw", "-k", "1"])
    assert run.labels[:3] == ["{", "P,", "}"]
    assert run.distributions[:3] == [{"{": 1}, {"P,": 1}, {"}": 1}]
    assert run.distances[:3] == [0, 0, 0]
    assert run.n_correct >= 3


def test_run_refuses_what_timbl_cannot_read():
    """A value with a blank would shift all the fields after it."""
    with pytest.raises(ValueError, match="cannot read the value 'a b'"):
        timbl.run([["a b", "P"]], [["a", "P"]])


def test_run_reports_a_refused_test():
    """TiMBL says why on standard error, and ends with status 0 all the same."""
    with pytest.raises(PeerError, match="number of neighbors must be 1"):
        timbl.run(TOY_TRAIN, TOY_TEST, options=["-a", "IGTREE", "-k", "3"])
