"""OBLIVION's estimators: what they tell, draw and write."""

import time

import numpy as np
import pandas as pd
import pytest

import casebase as cb
from casebase.base.files import read, write
from casebase.errors import CasebaseError

X = pd.DataFrame({"sky": ["sun", "sun", "rain", "rain"] * 2, "day": list("abcdefgh"), "wind": ["no", "yes"] * 4})
y = pd.Series(["go", "stay", "stay", "go"] * 2, name="plan")  # go if there is sun or wind, but not both


def test_selector_keeps_frames_and_names():
    """Interacting features are found; the frame keeps its columns and their names."""
    selector = cb.OblivionSelector().set_output(transform="pandas").fit(X, y)

    assert selector.get_support().tolist() == [True, False, True]
    assert selector.get_feature_names_out().tolist() == ["sky", "wind"]
    assert selector.transform(X).equals(X[["sky", "wind"]])
    assert [step["feature"] for step in selector.history_] == [None, "day"]


def test_history_makes_a_frame():
    history = pd.DataFrame(cb.OblivionClassifier().fit(X, y).history_)

    assert history.columns.tolist() == ["feature", "n_features", "errors", "accuracy"]
    assert (history.accuracy == 1 - history.errors / 8).all()


def test_tree_as_text():
    """Levels are features, leaves are abstract cases with their classes."""
    clf = cb.OblivionClassifier().fit(X, y)

    assert clf.n_abstract_cases_ == 4
    assert clf.export_text().splitlines() == [
        "asks sky, wind: 4 abstract cases",
        "sky = rain",
        "|   wind = no: stay 2",
        "|   wind = yes: go 2",
        "sky = sun",
        "|   wind = no: go 2",
        "|   wind = yes: stay 2",
    ]
    assert clf.export_text(max_leaves=2).splitlines()[-1] == "… 2 abstract cases more"
    with pytest.raises(CasebaseError, match="max_leaves"):
        clf.export_text(max_leaves=0)


def test_a_tree_of_many_values_is_written_quickly():
    """All abstract cases were looked through for every value: minutes for a column of words."""
    words = [[f"w{i}", "x"] for i in range(20_000)]
    clf = cb.OblivionClassifier(max_steps=0, n_jobs=2).fit(words, ["P", "Q"] * 10_000)
    begun = time.process_time()

    assert clf.export_text(max_leaves=1).splitlines()[-1] == "… 19999 abstract cases more"
    assert time.process_time() - begun < 10


def test_values_of_leaves_do_not_overlap():
    """Long values stand side by side under one branch."""
    petals = pd.DataFrame({"petal width (cm)": ["0.8 – 1.75", "> 1.75", "≤ 0.8"] * 4})
    clf = cb.OblivionClassifier().fit(petals, ["P", "Q", "R"] * 4)
    figure = clf.plot()
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts if text.get_text()[:1] in "0>≤"]

    assert len(boxes) == 3
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_the_result_of_a_search_stands_clear_of_the_title():
    """With 100 % after one step, what is kept was written over the title and beyond the picture."""
    boats = [["e", "r", "b"], ["e", "g", "b"], ["w", "r", "f"], ["w", "g", "f"]]
    boats += [["e", "r", "f"], ["e", "g", "f"], ["w", "r", "b"], ["w", "g", "b"]]
    figure = cb.OblivionSelector().fit(boats, ["out"] * 4 + ["in"] * 4).plot()
    figure.draw_without_rendering()
    axes = figure.axes[0]
    kept = next(text for text in axes.texts if "kept" in text.get_text()).get_window_extent()

    assert not kept.overlaps(axes._left_title.get_window_extent())
    assert kept.x1 <= figure.bbox.x1


def test_nothing_kept_is_said():
    clf = cb.OblivionClassifier().fit([["a"], ["a"], ["b"]], ["P", "P", "P"])

    assert clf.export_text() == "no feature was kept: 3 cases, P 3\n"
    assert clf.predict([["new"]]).tolist() == ["P"]
    assert "no feature was kept" in str(clf.explain([["new"]])[0])


@pytest.mark.parametrize("name", ["tree.svg", "tree.png", "tree.pdf"])
def test_pictures_are_written(tmp_path, name):
    clf = cb.OblivionClassifier().fit(X, y)
    clf.plot(tmp_path / name)
    cb.OblivionSelector().fit(X, y).plot(tmp_path / f"steps-{name}")

    assert min(path.stat().st_size for path in tmp_path.iterdir()) > 3000


def test_the_same_picture_is_the_same_file(tmp_path):
    clf = cb.OblivionClassifier().fit(X, y)
    for name in ("one.svg", "two.svg"):
        clf.plot(tmp_path / name)

    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert "sky" in (tmp_path / "one.svg").read_text()


def test_a_tree_that_nobody_could_read_is_not_drawn():
    many = [[str(i)] for i in range(60)]
    clf = cb.OblivionClassifier(min_features=1).fit(many, ["P", "Q"] * 30)

    with pytest.raises(CasebaseError, match="60 abstract cases; a picture holds 40"):
        clf.plot()


def test_splits_of_rows_that_do_not_count():
    """A case of weight zero is in no fold, and the others keep their place in the splits."""
    weights = [1, 0, 1, 1, 1, 1, 0, 1]
    splits = [([0, 1, 2, 3], [4, 5, 6, 7]), ([4, 5, 6, 7], [0, 1, 2, 3])]
    counted = [([0, 1, 2], [3, 4, 5]), ([3, 4, 5], [0, 1, 2])]
    kept = np.flatnonzero(weights)
    one = cb.OblivionSelector(cv=splits).fit(X, y, sample_weight=weights)
    other = cb.OblivionSelector(cv=counted).fit(X.iloc[kept], y.iloc[kept])

    assert one.history_ == other.history_


def test_a_model_with_splits_is_saved(tmp_path):
    """Splits are lists of arrays of different lengths."""
    splits = [(np.arange(5), np.arange(5, 8)), (np.arange(3, 8), np.arange(3))]
    clf = cb.OblivionClassifier(cv=splits).fit(X, y)
    clf.save(tmp_path / "m.cb")

    assert cb.load(tmp_path / "m.cb").predict(X).tolist() == clf.predict(X).tolist()


def test_interruption_warns(monkeypatch):
    """Ctrl-C keeps the best so far, and says how far the search came."""
    from casebase.oblivious import cross_validation

    calls, asked = [], cross_validation._native.eliminate

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return asked(*arguments)

    monkeypatch.setattr(cross_validation._native, "eliminate", interrupted)
    with pytest.warns(UserWarning, match="interrupted after 1 step"):
        selector = cb.OblivionSelector().fit(X, y)

    assert selector.get_feature_names_out().tolist() == ["sky", "wind"]


def test_a_file_from_before_the_beam_is_greedy(tmp_path):
    """Files without a beam were made by the greedy search."""
    cb.OblivionClassifier(beam=3).fit(X, y).save(tmp_path / "m.cb")
    assert cb.load(tmp_path / "m.cb").beam == 3
    header, arrays = read(tmp_path / "m.cb")
    del header["settings"]["beam"]
    write(tmp_path / "m.cb", header, {name: array.copy() for name, array in arrays._arrays.items()})

    old = cb.load(tmp_path / "m.cb")
    assert old.beam == 1
    assert old.predict(X).tolist() == cb.OblivionClassifier().fit(X, y).predict(X).tolist()
