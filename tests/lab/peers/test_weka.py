"""Weka as a peer."""

import numpy as np
import pytest

from lab.peers import weka
from lab.peers.programs import PeerError
from tests.peers import require_weka

DATA = np.array([["a", 1.0], ["a", 2.0], ["b", None], ["b", 4.0], ["c", 5.0]], dtype=object)
LABELS = np.array(["no", "no", "yes", "yes", "yes"])
TRAINING, ASKED = np.array([0, 1, 2, 3]), np.array([4])


def test_both_files_declare_the_values_of_the_whole_table():
    """A value that only the cases asked about have is declared for training, too."""
    with weka.Fold(DATA, LABELS, TRAINING, ASKED) as fold:
        train, test = ((fold.path / name).read_text().splitlines() for name in ("train.arff", "test.arff"))

    assert (
        train[:5]
        == test[:5]
        == [
            "@relation table",
            "@attribute f0 {v0,v1,v2}",
            "@attribute f1 numeric",
            "@attribute class {c0,c1}",
            "@data",
        ]
    )
    assert train[5:] == ["v0,1.0,c0", "v0,2.0,c0", "v1,?,c1", "v1,4.0,c1"]
    assert test[5:] == ["v2,5.0,c1"]


def test_several_methods_are_asked_at_once():
    """Each answer stands under the name that was given to it; only a tree has nodes."""
    require_weka()
    with weka.Fold(DATA, LABELS, TRAINING, ASKED) as fold:
        said = fold.ask_all({"tree": (weka.J48, "-M", "1"), "nearest": ("weka.classifiers.lazy.IBk", "-K", "1")})

    # The tree asks for the symbol, and nobody had the one asked about.
    assert (said["tree"].percent, said["nearest"].percent) == (0.0, 100.0)
    assert (said["tree"].n_nodes, said["nearest"].n_nodes) == (4, None)


def test_a_case_without_an_answer_is_not_right():
    """Id3 has no answer for a value that no training case had."""
    require_weka()
    with weka.Fold(DATA[:, :1], LABELS, TRAINING, np.array([3, 4])) as fold:
        assert fold.ask(weka.ID3).percent == 50.0


def test_what_weka_says_when_it_fails_is_told():
    """Id3 refuses numbers, and the message has its words."""
    require_weka()
    with (
        weka.Fold(DATA, LABELS, TRAINING, ASKED) as fold,
        pytest.raises(PeerError, match="numeric attributes"),
    ):
        fold.ask(weka.ID3)


def test_the_place_of_weka_can_be_said(monkeypatch, tmp_path):
    """WEKA_JAR names the file; one that is not there is no Weka."""
    monkeypatch.setenv("WEKA_JAR", str(tmp_path / "weka.jar"))
    assert weka.jar() == tmp_path / "weka.jar"
    assert not weka.is_installed()
