"""The record of a flip, and the numbers that a flip may choose."""

import json
import math

import numpy as np
import pytest

from casebase import evidence_from_dict, render_html
from casebase.base import flips
from casebase.base.flips import Change, Domain, Flip, Removal
from casebase.base.flips.domains import short_number


def flip(**fields):
    usual = {
        "features": ("sex", "fare"),
        "values": ("male", 12345.67),
        "label": "died",
        "wanted": None,
        "new_label": "survived",
        "changes": (Change("sex", "male", "female"), Change("fare", 12345.67, 12345.81)),
        "cost": 0.5,
        "limit": 3,
        "proved": 1,
        "is_cheapest": True,
        "n_tried": 9,
    }
    return Flip(**usual | fields)


@pytest.mark.parametrize(
    "one",
    [
        flip(),
        flip(removal=Removal(("7", "b"), "survived", 1), records=("x",), frozen=("age",)),
        flip(new_label=None, changes=(), removal=Removal((), None, 2)),
        flip(label=3, new_label=4, wanted=4, values=(None, 1.0)),
    ],
)
def test_json_gives_the_record_back(one):
    """Also through text, and as any other kind of evidence."""
    assert evidence_from_dict(json.loads(json.dumps(one.to_dict()))) == one


def test_text_quotes_values_and_says_what_is_proved():
    """Numbers have all their digits."""
    text = str(flip(removal=Removal((4, 9), "survived", 1), records=(17,)))

    assert text.splitlines() == [
        "died → survived, with 2 changes",
        "  query: sex = male, fare = 12345.67",
        "  sex: male → female",
        "  fare: 12345.67 → 12345.81",
        "  no flip has fewer changes (proved)",
        "  it would then be decided by record 17",
        "  without records 4, 9 it would be survived: no smaller set does (proved)",
    ]


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"proved": 0, "is_cheapest": False}, "best found: nothing is proved"),
        ({"proved": 3, "changes": (), "new_label": None}, "proved: every combination of so many changes"),
        ({"proved": 1, "changes": (), "new_label": None}, "not all were tried: no flip has 1 change or fewer (proved)"),
        ({"changes": (), "wanted": "died", "new_label": "died"}, "predicted already: no change is needed"),
        ({"changes": (), "proved": 3, "frozen": ("fare", "sex")}, "every feature is frozen"),
        ({"removal": Removal((1,), "survived", 0)}, "without record 1 it would be survived"),
        (
            {"removal": Removal(tuple(range(9)), "survived", 3)},
            "4 and 4 more it would be survived: best found, none of",
        ),
        ({"removal": Removal((), None, 3)}, "no removal of up to 3 records changes it"),
    ],
)
def test_every_outcome_is_said(fields, sentence):
    one = flip(**fields)

    assert sentence in str(one)
    assert sentence in render_html(one).replace("<small>", "") or sentence[0].upper() + sentence[1:] in render_html(one)
    assert one._repr_html_()


def test_page_lists_several_flips():
    """With their queries."""
    page = render_html([flip(), flip(changes=(), new_label=None, proved=3)], "What would change these predictions")

    assert "<title>What would change these predictions</title>" in page
    assert "sex: male → female" in page
    assert "no flip within 3 changes" in page
    assert "asked" not in page.lower()


def test_a_class_named_no_is_not_confused_with_no_flip():
    """Previously the first line was "no, no flip within 3 changes"."""
    one = flip(label="no", changes=(), new_label=None, proved=3)

    assert str(one).startswith("no: no flip within 3 changes\n")


@pytest.mark.parametrize(
    ("low", "high", "scale", "from_above", "number"),
    [
        (30.5, math.inf, 30.5, False, 31.0),
        (-math.inf, 30.5, 30.5, True, 30.0),
        (2.45, 4.75, 4.75, False, 2.5),
        (2.45, 2.4501, 4.75, False, 2.4501),
        (0.00012, math.inf, 0.00012, False, 0.00013),
        (-math.inf, -3.0, 3.0, True, -3.0),
        (-math.inf, math.inf, 1.0, False, 0.0),
        (0.0, math.inf, 0.0, False, 1.0),
        (123456789.5, math.inf, 123456789.5, False, 130000000.0),
    ],
)
def test_short_numbers_lie_in_their_interval(low, high, scale, from_above, number):
    found = short_number(low, high, scale, from_above=from_above)

    assert found == number
    assert low < found <= high


def test_any_interval_has_a_number():
    rng = np.random.default_rng(0)
    for _ in range(500):
        low, high = np.sort(rng.normal(size=2) * 10.0 ** rng.integers(-6, 7))
        for from_above in (False, True):
            assert low < short_number(low, high, max(abs(low), abs(high)), from_above=from_above) <= high
    low = 1.0
    assert short_number(low, float(np.nextafter(low, 2)), 1.0, from_above=False) == np.nextafter(low, 2)


def test_domains_choose_one_value_of_each_group():
    """Of numbers the nearest, of symbols the first; never one of the query's own group."""
    numbers = Domain(np.array([0.0, 1.0, 2.0, 3.0, 4.0]), cuts=np.array([1.5, 3.5]))
    symbols = Domain(np.array([0, 1, 2, 3]), groups=np.array([4, 4, 2, 3]))

    assert numbers.choices(1.0).tolist() == [2.0, 4.0]
    assert numbers.choices(4.0).tolist() == [1.0, 3.0]
    assert numbers.choices(math.nan).tolist() == [0.0, 2.0, 4.0]
    assert symbols.choices(0).tolist() == [2, 3]
    assert symbols.choices(2).tolist() == [0, 3]
    assert symbols.choices(255).tolist() == [0, 2, 3]


def test_rules_depend_on_one_failed_test_of_each_earlier_rule():
    """And on all tests of the rule that decided."""
    yes, no = np.array([True]), np.array([False])
    rules = [[(0, no), (3, no)], [(1, yes), (2, no)], [(3, yes)]]

    assert flips.asked_by_rules(rules, 1, 5)[0].tolist() == [False, False, True, True, False]
    assert flips.asked_by_rules([], 2, 3).tolist() == [[False] * 3] * 2
