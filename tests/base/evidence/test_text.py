"""Evidence as text for a terminal."""

import dataclasses
import re

import pytest

from casebase.base.evidence import AskedRule, Step, Unseen
from casebase.neighbours.evidence import Neighbour, NeighbourEvidence
from casebase.render.page import render_html
from casebase.render.text import render_text
from casebase.render.words import list_counts, n_columns
from casebase.smile.evidence import Pool
from tests.base.evidence import records


def table_of(text: str) -> list[str]:
    """Return the lines from the heading of the table of cases to its last row."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  record "))
    rest = [line for line in lines[start:] if not line.lstrip().startswith(("…", "not shown"))]
    assert len(rest) > 2, text
    return rest


def test_only_a_list_that_is_cut_short_ends_in_dots():
    """Four classes are all there, five are not."""
    assert list_counts({"P": 4, "Q": 3, "R": 2, "S": 1}) == "P 4, Q 3, R 2, S 1"
    assert list_counts({"P": 5, "Q": 4, "R": 3, "S": 2, "T": 1}) == "P 5, Q 4, R 3, S 2, …"


def test_whole_text_of_neighbours():
    """The prediction, the records for it, the nearest rival; what is new, what agrees, and the records."""
    expected = """\
class = P: 2 of 3 records at distance 0.5 say so; the nearest of another class (Q) is record 7 at
    0.5.
  1 of 3 values never seen: f3 = 9

  all agree on: f1 = a (0.2), f2 = x (0.1)
  record  class  distance   f3  cost of ≠
  query                     9            
  4       P      0.5       ≠1   f3 0.5   
  12      P      0.5       ≠2   f3 0.5   
  7       Q      0.5       ≠3   f3 0.5   """  # noqa: W291  # the rows of a table are padded

    assert render_text(records.neighbours()) == expected


def test_whole_text_of_a_tree():
    """The path is indented, with the default and the counts of every node."""
    expected = """\
class = P: 3 of 4 records at the end of the path say so; the next class (Q) has 1.
  path: 1 of 2 features matched; stopped: f1 = z has no branch here

  all records  → Q  10 records: Q 6, P 4
    f2 = x     → P   4 records: P 3, Q 1"""

    assert render_text(records.tree()) == expected


def test_whole_text_of_a_lattice():
    """The sets of features with their pools, then cases from them, those in most pools first."""
    expected = """\
class = P: 4 of 5 votes from 4 records; the next class (Q) has 1.
  2 sets of features are shared with more than 1 record; 4 records are in their pools

  records  classes   agree on
        2  P 2       f1 = a, f2 = x
        3  P 2, Q 1  f3 > 2

  record  class  pools   f1   f2         f3
  query                  a    x          2.5
  4       P      2       a    x          3
  7       P      1       a    x         ≠1
  9       Q      1      ≠b   ≠?missing   4.5
  … and 1 more record in the pools"""

    assert render_text(records.lattice()) == expected


def test_whole_text_of_a_rule():
    """The rule, what it overrides, what did not override it, and its cases."""
    expected = """\
class = P: 2 of 2 records that the rule decides say so; no other class has any.
  rule: f1 = a and f3 > 2 → P (3 records, 1 exception), level 2 of 3
  overrides: f2 = x → Q (5 records, 2 exceptions)
  the exception to it does not hold: f2 = y → Q (1 record)

  all agree on: f1 = a
  record  class              f2   f3
  query                      x    2.5
  4       P                  x    3
  7       Q      exception  ≠y    4
  … and 1 more record for which the rule holds"""

    assert render_text(records.rule()) == expected


def test_whole_text_of_a_path():
    """The tests that led to the leaf, with the classes of the cases at each of them."""
    expected = """\
class = P: 3 of 4 records at the end of the path say so; the next class (Q) has 1.
  path: 2 tests; stopped at a leaf of 2 classes

  all records   → Q  10 records: Q 6, P 4
    f1 = a      → P   6 records: P 4, Q 2
      f2 > 2.5  → P   4 records: P 3, Q 1"""

    assert render_text(records.path()) == expected


def test_whole_text_of_a_path_that_parts():
    """Where a value is not known, the shares of the case stand beside the branches."""
    expected = """\
class = P: 60% of what 3 leaves say; the next class (Q) has 40%.
  not known: f1; every branch was taken, and 3 leaves decided together
  the path leads to the 2 with the greatest shares

  all records        → Q  10 records: Q 6, P 4
    f1 = a      60%  → P   6 records: P 4, Q 2
      f2 > 2.5  60%  → P   4 records: P 3, Q 1
    f1 = b      30%  → Q   3 records: Q 3"""

    assert render_text(records.parted()) == expected


def test_the_default_is_said():
    """Where no rule holds, the text says so."""
    text = render_text(records.rule(rule=AskedRule((), (), "P", 4, 9.0, 3.0), overridden=(), exceptions=()))

    assert text.splitlines()[1] == "  no rule holds: the default decides"


def test_no_pool_is_said():
    """Where no pool is large enough, the text says that all cases vote, and nothing more."""
    text = render_text(records.lattice(pools=(), cases=(), n_cases=0, alpha=7))

    assert text.endswith("no set of features is shared with more than 7 records: all records vote")


def test_many_pools_and_long_joints_are_cut():
    """Twelve sets are shown, each in at most three lines, and what is left out is counted."""
    names = tuple(f"a rather long name {i}" for i in range(20))
    pools = tuple(Pool(names, ("value",) * 20, 3.0, {"P": 3.0}) for _ in range(15))

    text = render_text(records.lattice(pools=pools))

    assert "… and 3 more sets, of as many features or fewer" in text
    assert sum(", +" in line and line.endswith(" more") for line in text.splitlines()) == 12
    assert text.count("a rather long name 0 =") == 12


def test_str_is_the_text():
    """Printing a record shows what render_text returns."""
    assert str(records.tree()) == render_text(records.tree())


def test_table_lines_have_equal_widths():
    """Columns stay aligned when ids, classes and values differ in width."""
    near, other = (
        records.neighbours().neighbours[0],
        Neighbour("long-id", ("漢字", "x", "2"), "Klasse", 0.7, 3.0, (0.2, 0, 0.5)),
    )

    widths = {n_columns(line) for line in table_of(render_text(records.neighbours(neighbours=(near, other))))}

    assert len(widths) == 1


def test_wide_characters_take_two_columns():
    """A row with two ideographs is two characters shorter than the others, and so as wide."""
    case = Neighbour(0, ("漢字", "x", "9"), "P", 0.2, 1.0, (0.2, 0.0, 0.0))

    heading, _, row = table_of(render_text(records.neighbours(neighbours=(case,), nearest_other=None)))

    assert len(heading) - len(row) == 2


def test_nearest_other_that_did_not_vote_gets_a_row():
    """Its values can be compared though it is not a neighbour."""
    other = Neighbour(99, ("b", "x", "9"), "R", 0.887, 1.0, (0.887, 0.0, 0.0))

    text = render_text(records.neighbours(nearest_other=other))

    assert "the nearest of another class (R) is record 99 at 0.887." in " ".join(text.split())
    assert any(line.split()[:2] == ["99", "R"] for line in table_of(text))


def test_no_other_class():
    """A memory of one class has no nearest other case, and the text says so."""
    assert "no record of another class was compared." in render_text(records.neighbours(nearest_other=None))


def test_count_column_only_if_needed():
    """Counts are shown when a stored case stands for more than one."""
    heavy = dataclasses.replace(records.neighbours().neighbours[0], weight=3.0)

    assert "count" not in render_text(records.neighbours())
    assert "count" in render_text(records.neighbours(neighbours=(heavy,)))


@pytest.mark.parametrize(("n", "expected"), [(1, "an identical record (4)"), (2, "all 2 identical records")])
def test_identical_cases(n, expected):
    """An exact match is said in words, not as a distance of 0."""
    text = render_text(
        records.neighbours(is_exact=True, distances=(0.0,), n_neighbours=n, n_for=n, votes={"P": float(n)})
    )

    assert text.startswith(f"class = P: {expected} say")


def test_several_distances():
    """With k above 1 the least and the greatest distance are given."""
    text = render_text(records.neighbours(k=5, distances=(0.1, 0.2, 0.3, 0.4, 0.5)))

    assert "2 of 3 records at distances 0.1 to 0.5 say so" in text


def test_tie_that_one_more_distance_decided():
    """A tied vote that was taken again is told, and that the cases shown are of the first vote."""
    text = render_text(records.neighbours(was_tied=True))

    assert "the vote at k = 1 was tied and was taken again with one more distance" in " ".join(text.split())


def test_tie_that_remained():
    """Votes still tied mean that the preference decided."""
    text = render_text(records.neighbours(was_tied=True, votes={"P": 1.0, "Q": 1.0}))

    assert "the vote was tied: the class preferred in ties was taken" in text


def test_tied_counts_in_a_tree():
    """The default of a node with tied counts is the preferred class, and the text says so."""
    assert "the counts are tied" in render_text(records.tree(votes={"P": 2.0, "Q": 2.0}))


def test_many_values_never_seen():
    """The number is exact, the list is short."""
    new = tuple(Unseen(f"f{i}", "new") for i in range(9))

    text = render_text(
        records.neighbours(unseen=new, features=("f",) * 9, values=("new",) * 9, neighbours=(), nearest_other=None)
    )

    assert "9 of 9 values never seen: f0 = new" in text
    assert "f5 = new, …" in text


def test_neighbours_below_a_tree_show_both():
    """The path comes first, and the cases are said to be those at its end."""
    text = render_text(records.neighbours(path=records.PATH))

    assert "2 of 3 records at distance 0.5, among the 4 at the end of the path, say so" in text
    assert text.index("all records") < text.index("cost of ≠")


def test_neighbours_not_listed_are_counted():
    """A list cut short says by how much."""
    assert "… and 22 neighbours not listed" in render_text(records.neighbours(n_neighbours=25))


def test_missing_is_a_word_of_its_own():
    """A missing value and a text that looks like one are told apart."""
    query = records.neighbours(values=(None, "?missing", ""), unseen=(), neighbours=(), nearest_other=None)
    near = Neighbour(0, ("a", "b", "c"), "P", 0.8, 1.0, (0.2, 0.1, 0.5))
    same = Neighbour(0, (None, "?missing", ""), "P", 0.0, 1.0, (0.0, 0.0, 0.0))

    row = table_of(render_text(dataclasses.replace(query, neighbours=(near,))))[1]

    assert row.split() == ["query", '""', "?missing", '"?missing"']
    assert 'it agrees on: f3 = "" (0.5), f1 = ?missing (0.2), f2 = "?missing" (0.1)' in render_text(
        dataclasses.replace(query, neighbours=(same,))
    )


@pytest.mark.parametrize("asked", [None, "y"])
def test_missing_value_that_costs_is_marked(asked):
    """A stored value that is missing differs if it adds to the distance, even from another missing one."""
    case = Neighbour(0, ("a", None, "9"), "P", 0.1, 1.0, (0.0, 0.1, 0.0))

    text = render_text(records.neighbours(values=("a", asked, "9"), neighbours=(case,), nearest_other=None))

    assert "≠?missing" in text


def test_numbers_agree_however_they_are_written():
    """A question of '5' and a stored 5.0 are the same value of a numeric feature."""
    case = Neighbour(0, ("a", "x", 5.0), "P", 0.0, 1.0, (0.0, 0.0, 0.0))

    assert "≠5" not in render_text(records.neighbours(values=("a", "x", "5"), neighbours=(case,), nearest_other=None))


def test_feature_that_is_not_compared_is_not_evidence():
    """No stored value and no cost: the feature has no column, and does not count among those that agree."""
    case = Neighbour(0, ("a", None, "8"), "P", 0.5, 1.0, (0.0, 0.0, 0.5))

    text = render_text(records.neighbours(neighbours=(case,), nearest_other=None))

    assert table_of(text)[0].split() == ["record", "class", "distance", "f3", "cost", "of", "≠"]
    assert "it agrees on: f1 = a (0.2)\n" in text
    assert "f2" not in text


def test_long_values_are_shortened():
    """A value of any length leaves the table narrow."""
    case = Neighbour(0, ("v" * 500, "x", "9"), "L" * 500, 0.2, 1.0, (0.2, 0.0, 0.0))

    text = render_text(records.neighbours(values=("w" * 500, "x", "9"), neighbours=(case,), nearest_other=case))

    assert "≠vvvvvvvvvvvvvvv…" in text
    assert max(map(n_columns, text.splitlines())) <= 100


def test_long_reason_is_wrapped_or_cut():
    """A path of long values stays within the width."""
    steps = (
        Step(None, None, "Q" * 90, {c * 30: 1.0 for c in "ABCDEF"}, 6.0),
        Step("f" * 90, "v" * 90, "P", {"P": 1.0}, 1.0),
    )

    text = render_text(records.tree(path=steps, stopped=f"f1 = {'long ' * 100}has no branch here"))

    assert max(map(n_columns, text.splitlines())) <= 100


def test_200_features_keep_those_that_differ():
    """Of many features the table shows those that differ, and sums up the others, the heaviest first by name."""
    text = render_text(records.with_features(200, {150: 0.3, 20: 0.1}))

    heading, _, row = table_of(text)
    assert "feature150" in heading
    assert row.count("≠b") == 2
    assert "  it agrees on: feature0 = a (1), feature1 = a (0.5)," in text
    assert " more\n" in text
    assert max(map(n_columns, text.splitlines())) <= 100


def test_many_features_are_ordered_by_weight():
    """The heaviest feature that differs stands first."""
    heading = table_of(render_text(records.with_features(200, {150: 0.3, 7: 0.1, 20: 0.2})))[0].split()

    assert heading[3:6] == ["feature7", "feature20", "feature150"]


def test_hidden_features_that_differ_are_named():
    """Differences without a column are not passed over in silence."""
    text = render_text(records.with_features(40, dict.fromkeys(range(40), 0.1)))

    assert re.search(r"not shown: feature\d, .* and \d+ more", " ".join(text.split()))
    assert "more" in table_of(text)[-1]


def test_many_classes_show_the_largest_four():
    """Counts of many classes are the four largest and an ellipsis."""
    text = render_text(records.plain(votes={c: float(n) for n, c in enumerate("ABCDEFG")}, label="G"))

    assert "votes: G 6, F 5, E 4, D 3, …" in text


def test_control_characters_are_written_out():
    """A value cannot clear the screen or break a line."""
    text = render_text(records.neighbours(unseen=(Unseen("f3", "\x1b[2J\n\u202e"),), label="P\nQ", votes={"P\nQ": 1.0}))

    assert "\x1b" not in text
    assert "\u202e" not in text
    assert text.startswith("class = P\\nQ: ")


def test_classes_that_are_numbers():
    """Labels need not be text."""
    assert render_text(records.plain(label=1, votes={1: 3.0, 0: 1.0})).startswith(
        "class = 1: 3 of 4 votes; the next class (0) has 1."
    )


def test_the_width_is_the_callers():
    """A narrow terminal gets narrow lines, a wide one more columns; the text of a record is as wide as always."""
    record = records.with_features(40, dict.fromkeys(range(40), 0.1))

    narrow, usual, wide = (render_text(record, width) for width in (60, 100, 160))

    assert max(map(n_columns, narrow.splitlines())) <= 60
    assert str(record) == usual
    assert 100 < max(map(n_columns, wide.splitlines())) <= 160
    assert (
        table_of(narrow)[0].count("feature") < table_of(usual)[0].count("feature") < table_of(wide)[0].count("feature")
    )


def test_the_heaviest_feature_is_not_hidden_where_all_agree():
    """Regression: on a passenger list "sex" decided and was left out, because only what differs had a column."""
    text = render_text(records.with_features(30, dict.fromkeys(range(1, 30), 0.1)))

    assert "it agrees on: feature0 = a (1)\n" in text


def test_features_are_listed_by_what_they_contribute():
    """What the nearest rival costs more than the records that decided, feature by feature, adds up to the margin."""
    near = [
        Neighbour(4, ("a", "x", "1"), "P", 0.5, 1.0, (0.0, 0.0, 0.5)),
        Neighbour(5, ("b", "x", "9"), "P", 0.2, 1.0, (0.2, 0.0, 0.0)),
    ]
    rival = Neighbour(7, ("b", "y", "9"), "Q", 0.9, 1.0, (0.2, 0.7, 0.0))
    record = records.neighbours(
        neighbours=tuple(near), n_neighbours=2, distances=(0.2, 0.5), votes={"P": 2.0}, nearest_other=rival
    )

    assert record.contributions == pytest.approx((0.1, 0.7, -0.25))
    assert sum(record.contributions) == pytest.approx(0.9 - (0.5 + 0.2) / 2)
    assert "  what sets the rival apart: f2 +0.7, f3 −0.25, f1 +0.1\n" in render_text(record)


def undecided(n_features: int, costs: dict[int, float], **changes) -> NeighbourEvidence:
    """Return evidence of features of falling weights, in which the rival differs at some costs, and a record at all."""
    names = tuple(f"feature{i}" for i in range(n_features))
    near = Neighbour(4, ("b",) * n_features, "P", 0.1 * n_features, 1.0, (0.1,) * n_features)
    dear = tuple(0.1 + costs.get(i, 0.0) for i in range(n_features))
    record = {
        "features": names,
        "values": ("a",) * n_features,
        "unseen": (),
        "weights": tuple(1 / (i + 1) for i in range(n_features)),
        "neighbours": (near,),
        "nearest_other": Neighbour(7, ("c",) * n_features, "Q", sum(dear), 1.0, dear),
    }
    return records.neighbours(**{**record, **changes})


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_features_that_decided_have_the_first_columns(width):
    """Regression: the table showed the heaviest features, and named those that decided as not shown."""
    text = render_text(undecided(30, {29: 0.2, 17: -0.05, 28: 0.1}), width)

    assert "what sets the rival apart: feature29 +0.2, feature28 +0.1, feature17 −0.05" in " ".join(text.split())
    heading = re.findall(r"feature\d+", table_of(text)[0])
    assert heading == [f"feature{i}" for i in (29, 28, 17, *range(17))][: len(heading)]
    assert len(heading) >= (2 if width == 60 else 3)
    assert max(map(n_columns, text.splitlines())) <= width


@pytest.mark.parametrize(("n", "has_costs", "has_provenance"), [(2, True, True), (4, False, True), (6, False, False)])
def test_costs_and_then_provenance_give_way_to_features_that_decided(n, has_costs, has_provenance):
    """A column less than those that decided would hide why; what is left out is named."""
    record = undecided(6, {i: 0.3 - i / 100 for i in range(n)})
    sourced = {"source": "a register of 1912"}
    near, rival = (dataclasses.replace(one, provenance=sourced) for one in (*record.neighbours, record.nearest_other))

    text = render_text(dataclasses.replace(record, neighbours=(near,), nearest_other=rival))

    heading = table_of(text)[0]
    assert re.findall(r"feature\d", heading)[:n] == [f"feature{i}" for i in range(n)]
    assert ("cost of ≠" in heading, "source" in heading) == (has_costs, has_provenance)
    assert ("not shown: source" in text) is not has_provenance


def test_costs_are_shortened_before_they_are_left_out():
    """Fewer entries of the costs leave room for the features that decided."""
    text = render_text(undecided(10, {i: 0.3 - i / 100 for i in range(8)}), 160)

    assert re.findall(r"feature\d", table_of(text)[0]) == [f"feature{i}" for i in range(8)]
    assert table_of(text)[-1].endswith("  feature0 0.4, feature1 0.39, +8 more")


@pytest.mark.parametrize("costs", [(0.3, 0.1 + 0.2, 0.5), (0.3, 0.1 + 0.2, 0.0)])
def test_rounding_is_no_contribution(costs):
    """Regression: "age +2.776e-17" was listed among what sets the rival apart."""
    near = Neighbour(4, ("b", "y", "9"), "P", 0.6, 1.0, (0.1 + 0.2, 0.3, 0.0))
    rival = Neighbour(7, ("b", "y", "8"), "Q", sum(costs), 1.0, costs)

    record = records.neighbours(neighbours=(near,), nearest_other=rival)

    assert record.contributions == (0.0, 0.0, costs[2])
    assert ("what sets the rival apart: f3 +0.5\n" in render_text(record)) is (costs[2] > 0)
    assert "e-17" not in render_text(record)


LONG = [
    "https://example.org/records/{}",
    "2020-01-01 00:0{}:00",
    "{} is where they differ, not at the end",
    "a" * 90 + "{}" + "b" * 90,
]


@pytest.mark.parametrize("value", LONG, ids=["end", "time", "begin", "middle"])
@pytest.mark.parametrize("width", [60, 100])
def test_values_that_differ_look_different(value, width):
    """Regression: "2020-01-01 00:0…" stood three times in a column, with ≠ between them."""
    near, other = (
        Neighbour(
            value.format(i), (value.format(i), "x", "9"), label, 0.2, 1.0, (0.2, 0, 0), {"source": value.format(i)}
        )
        for i, label in ((1, "P"), (2, "Q"))
    )
    record = records.neighbours(values=(value.format(0), "x", "9"), neighbours=(near,), nearest_other=other)

    query, *rows = table_of(text := render_text(record, width))[1:]

    shown = [query.split("query")[1].strip(), *(row.split("≠")[1].split("  ")[0].strip() for row in rows)]
    assert len(set(shown)) == 3
    assert len({row.split("  ")[1] for row in rows}) == 2  # the ids
    assert max(map(n_columns, text.splitlines())) <= width
    assert all(f">{mark}{value.format(i)}<" in render_html(record) for i, mark in enumerate(["", "≠ ", "≠ "]))


def test_votes_that_are_not_numbers_of_records_are_told():
    """Where near records count for more, a minority of the records may decide."""
    record = records.neighbours(n_for=1, votes={"P": 3.0, "Q": 1.0})

    assert "class = P: 1 of 3 records at distance 0.5, with 3 of 4 votes, says so;" in render_text(record)


def test_the_class_variable_is_named():
    """The first word of the text is what was predicted."""
    assert render_text(records.tree(target="survived")).startswith("survived = P: 3 of 4 records")


@pytest.mark.parametrize(("actual", "expected"), [("P", "right"), ("Q", "wrong")])
def test_a_known_class_gives_a_verdict(actual, expected):
    """Who explains queries whose class is known sees which predictions are wrong."""
    text = render_text(records.tree().with_actual(actual))

    assert text.splitlines()[1] == f"  {expected}: the class of the query is {actual}"
    assert "the class of the query" not in render_text(records.tree())


def test_a_rule_that_decides_no_record_says_so():
    """Regression: its class had one vote, which was told as one record."""
    text = render_text(records.rule(votes={"P": 1.0}, n_decided=0.0))

    assert text.startswith("class = P: the rule says so, though it decides none of the records.")
