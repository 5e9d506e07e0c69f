"""Pictures of decision trees: what is written in them, where they go, and when there are too many leaves."""

import pytest

from casebase.errors import CasebaseError
from casebase.render.drawing import matplotlib, save
from casebase.trees.draw.decision_tree import draw_tree
from tests.trees.test_export_decision_tree import model


def texts_in(axes):
    return [text.get_text() for text in axes.texts]


def test_tests_branches_and_classes_are_written_out():
    """Names and values are those of the table; a leaf has its class and the number of its cases."""
    (axes,) = draw_tree(model()).axes

    assert {'out"look', "humidity", "known", "rainy", "?missing", "≤ 77.5", "> 77.5"} <= set(texts_in(axes))
    assert "don't\n1" in texts_in(axes)
    assert [text.get_text() for text in axes.get_legend().texts] == ["yes", "don't"]


def test_a_branch_is_wider_the_more_cases_took_it():
    (axes,) = draw_tree(model()).axes

    widths = [line.get_linewidth() for line in axes.lines]
    assert max(widths) == pytest.approx(0.8 + 3.5 * 3 / 8)
    assert min(widths) == pytest.approx(0.8 + 3.5 / 8)


def test_a_tree_is_drawn_where_it_is_told_to_be():
    figure = matplotlib().figure.Figure()
    axes = figure.add_subplot()

    assert draw_tree(model(), ax=axes) is figure
    assert texts_in(axes)


def test_too_many_leaves_are_refused():
    with pytest.raises(CasebaseError, match=r"7 leaves; a picture holds 3 .*export_text"):
        draw_tree(model(), max_leaves=3)


def test_the_same_tree_is_the_same_file(tmp_path):
    for name in ("a.svg", "b.svg"):
        save(draw_tree(model()), tmp_path / name)

    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "humidity" in (tmp_path / "a.svg").read_text(encoding="utf-8")
