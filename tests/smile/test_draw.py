"""The picture of the sets of features that SMILE used."""

import builtins
import re

import pytest

from casebase.base.evidence import Unseen
from casebase.errors import CasebaseError
from casebase.smile.evidence import Pool
from tests.base.evidence import records

agg = pytest.importorskip("matplotlib.backends.backend_agg")


def texts(figure):
    """What is written in a picture."""
    return [text.get_text() for text in figure.axes[0].texts]


def overlaps(figure):
    """Pairs of texts whose boxes lie on each other; slanted ones are left out."""
    renderer = figure.canvas.get_renderer()
    legend = figure.axes[0].get_legend().get_texts()
    straight = [text for text in figure.axes[0].texts if text.get_rotation() == 0] + list(legend)
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in straight]
    return [
        (one, other)
        for i, (one, a) in enumerate(boxes)
        for other, b in boxes[i + 1 :]
        if one and other and a.overlaps(b)
    ]


def with_pools(n_pools, n_features=20, n_classes=3):
    names = tuple(f"feature {i}" for i in range(n_features))
    pools = tuple(
        Pool(names[i % 5 : i % 5 + 3 + i % 4], ("value",) * (3 + i % 4), 9.0, {f"class {i % n_classes}": 9.0})
        for i in range(n_pools)
    )
    pools = tuple(sorted(pools, key=lambda pool: -len(pool.features)))
    votes = {f"class {c}": 9.0 for c in range(n_classes)}
    return records.lattice(
        features=names, values=("value",) * n_features, label="class 0", votes=votes, pools=pools, cases=()
    )


def test_question_levels_and_sizes_are_written():
    """The features with their values on top, then the sets by their number of features, with their sizes."""
    written = texts(records.lattice().plot())

    assert written[0] == "the question"
    assert {"f1 = a", "f2 = x", "f3 > 2", "2 features", "1 feature", "2 cases", "3 cases", "5 votes"} <= {*written}
    assert "P, 4 of 5 votes" in written


@pytest.mark.parametrize("n_pools", [1, 4, 12, 40])
@pytest.mark.parametrize("n_classes", [1, 6, 20])
def test_nothing_is_written_over_something(n_pools, n_classes):
    """However many sets and classes there are."""
    figure = with_pools(n_pools, n_classes=n_classes).plot()

    agg.FigureCanvasAgg(figure).draw()
    assert overlaps(figure) == []


def test_more_sets_than_fit_are_counted():
    """Twelve are drawn, and the picture says of how many."""
    written = texts(with_pools(40).plot())

    assert "The 12 sets with most features are drawn, of 40." in written
    assert sum(text == "9 cases" for text in written) == 12


def test_more_features_than_fit_are_counted():
    """Of 60 features 24 have a column."""
    assert "36 more features without a column." in texts(with_pools(3, n_features=60).plot())


def test_no_set():
    """The picture says so, and shows the classes of all cases."""
    figure = records.lattice(pools=(), cases=(), n_cases=0, alpha=7).plot()

    assert "no set has more than 7 cases" in texts(figure)


def test_values_never_seen_are_marked():
    """No stored case can agree on them."""
    assert "f1 = a (new)" in texts(records.lattice(unseen=(Unseen("f1", "a"),), pools=()).plot())


@pytest.mark.parametrize("ending", ["svg", "png", "pdf"])
def test_saved_as_the_name_says(ending, tmp_path):
    """And the same picture is the same file."""
    for name in ("one", "two"):
        records.lattice().plot(tmp_path / f"{name}.{ending}")

    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    assert one == two
    assert {"svg": b"<svg", "png": b"PNG", "pdf": b"%PDF"}[ending] in one[:1000]


def test_words_stay_words_in_a_drawing(tmp_path):
    """Names are written as text, whatever signs they hold."""
    records.lattice(label="<b>&", votes={"<b>&": 1.0}).plot(tmp_path / "x.svg")

    assert re.search("&lt;b&gt;&amp;, 1 of 1 vote", (tmp_path / "x.svg").read_text(encoding="utf-8"))


def test_another_ending_is_refused(tmp_path):
    """The endings that there are, are named."""
    with pytest.raises(CasebaseError, match=r"\.svg, \.png, \.pdf"):
        records.lattice().plot(tmp_path / "x.gif")


def test_without_matplotlib(monkeypatch):
    """The message says how to install it."""
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(CasebaseError, match=r"pip install 'casebase\[plot\]'"):
        records.lattice().plot()
