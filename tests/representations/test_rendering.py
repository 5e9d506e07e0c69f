"""A comparison as text, page, notebook and picture."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import casebase as cb
from casebase.render.drawing import save
from casebase.representations import Comparison, summary
from casebase.representations.page import render_page


@pytest.fixture(scope="module")
def found():
    """The clumps, told by pixels and by edges, and by columns that say nothing."""
    pixel, edge = (cb.datasets.load_clumps(8, representation=name) for name in ("pixel", "edge"))
    noise = np.random.default_rng(1).choice(list("ab"), (256, 4))
    return cb.compare_representations(
        {"pixel": pixel.data, "<edge>": edge.data, "noise": noise}, pixel.target, learner="igtree", max_runs=12
    )


def test_the_text_has_the_answer_and_all_tables(found):
    """Headline, settings, ranking, pairs, reasons and sensitivity; every representation in each."""
    text = str(found)

    assert text.splitlines()[0] == summary.headline(found)
    for title in ("Ranking", "Pairs", "Why runs ended", "Sensitivity to the first sample"):
        assert f"\n{title}\n" in text
    assert f"{found.bits_per_example['<edge>']:.4f}" in text
    assert max(map(len, text.splitlines())) <= 120


def test_the_bits_of_a_representation_are_the_sum_of_their_parts(found):
    """Hypothesis and corrections, means over runs, add up to the bits that rank."""
    ranking = summary.grids(found)[0]
    for row in ranking.rows:
        cells = dict(zip(ranking.header, row))
        assert float(cells["hypothesis"]) + float(cells["corrections"]) == pytest.approx(float(cells["bits"]), abs=2e-4)


def test_every_run_has_a_reason(found):
    """The reasons of a representation's runs add up to their number."""
    stops = next(grid for grid in summary.grids(found) if grid.title == "Why runs ended")
    for _, n_runs, *reasons, _ in stops.rows:
        assert sum(int(n) for n in reasons if n != "–") == int(n_runs)


def test_the_page_is_one_file_and_escapes_names(found):
    """No script, nothing from elsewhere, names as text."""
    page = render_page(found)

    assert "&lt;edge&gt;" in page
    assert "<edge>" not in page
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!data:)', page)
    assert page.count("<table>") == 4


def test_a_notebook_shows_the_same_tables(found):
    fragment = found._repr_html_()

    assert fragment.startswith('<div class="casebase-comparison">')
    assert fragment.count("<table>") == 4
    assert "<html" not in fragment


@pytest.mark.parametrize("name", ["curves.svg", "curves.png"])
def test_curves_are_drawn(found, tmp_path, name):
    save(found.plot(), tmp_path / name)

    assert (tmp_path / name).stat().st_size > 5000


def test_curves_go_into_axes_that_exist(found):
    """All representations are named there, with the bits of each, and what the most frequent class takes."""
    figure = pytest.importorskip("matplotlib.figure").Figure()
    axes = figure.add_subplot()

    assert found.plot(axes) is axes
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[0] == f"{found.ranking[0]} ({found.bits_per_example[found.ranking[0]]:.3f})"
    assert labels[-1].startswith("most frequent class")


def test_a_comparison_read_from_json_renders_the_same(found):
    again = Comparison.from_dict(json.loads(json.dumps(found.to_dict())))

    assert str(again) == str(found)
    assert render_page(again) == render_page(found)


def test_what_was_interrupted_or_not_decided_is_said(found):
    """An answer that is none does not look like one."""
    first = replace(
        found, best=None, undecided=(("pixel", "noise"),), cycles=(("pixel", "noise"),), was_interrupted=True
    )
    text = str(first)

    assert "No representation beats all others" in text
    assert "Interrupted after" in text
    assert "1 of 3 pairs is undecided" in text
    assert "pixel, noise beat one another in a cycle" in text


def test_what_does_not_compress_is_said():
    """Columns that say nothing take more bits than the most frequent class alone."""
    rng = np.random.default_rng(0)
    noise, other, kinds = (rng.choice(list("ab"), (100, n)) for n in (3, 3, 1))
    found = cb.compare_representations({"one": noise, "other": other}, kinds[:, 0], learner="igtree", max_runs=8)

    assert "No representation compresses the examples" in str(found)
