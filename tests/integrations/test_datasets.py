"""Hugging Face datasets as tables and as corpora."""

import pytest

import casebase as cb
from casebase.errors import CasebaseError, SchemaError

datasets = pytest.importorskip("datasets")
from casebase.integrations.datasets import sentences, table  # noqa: E402

LABEL = datasets.ClassLabel(names=["no", "yes"])


@pytest.fixture(scope="module")
def weather():
    features = {"sky": datasets.ClassLabel(names=["sun", "rain"]), "wind": datasets.Value("float64"), "go": LABEL}
    rows = {"sky": [0, 0, 1, -1], "wind": [1.0, 2.0, 3.0, 4.0], "go": [1, 1, 0, 0]}
    return datasets.Dataset.from_dict(rows, features=datasets.Features(features))


def test_a_dataset_is_a_table(weather):
    """Class labels have their names, -1 is missing, and a selection of rows is taken as such."""
    X, y = table(weather.select([3, 0]), target="go")

    assert X.to_pydict() == {"sky": [None, "sun"], "wind": [4.0, 1.0]}
    assert y.tolist() == ["no", "yes"]


def test_a_classifier_learns_from_it(weather):
    """The answers are names of classes."""
    clf = cb.IGTreeClassifier().fit(*table(weather, "go"))
    assert clf.predict(table(weather.remove_columns("go"))).tolist() == ["yes", "yes", "no", "no"]


def test_a_dataset_is_a_corpus():
    """Lists of words, and lists of class labels as tags."""
    features = {"tokens": datasets.Sequence(datasets.Value("string")), "ner_tags": datasets.Sequence(LABEL)}
    data = datasets.Dataset.from_dict(
        {"tokens": [["a", "b"], ["c"]], "ner_tags": [[0, 1], [1]]}, features=datasets.Features(features)
    )

    assert list(sentences(data, tags="ner_tags")) == [[("a", "no"), ("b", "yes")], [("c", "yes")]]
    assert list(sentences(data, tags=None)) == [["a", "b"], ["c"]]
    assert cb.Tagger().fit(sentences(data, tags="ner_tags")).tag(["a", "b"]) == ["no", "yes"]


def test_what_is_no_table_is_refused(weather):
    """Dicts of datasets, streams, lists in cells, rows without a class, and columns that there are not."""
    with pytest.raises(CasebaseError, match="Take one of them: 'train'"):
        table(datasets.DatasetDict(train=weather))
    with pytest.raises(CasebaseError, match="streamed has no table"):
        table(weather.to_iterable_dataset())
    with pytest.raises(CasebaseError, match=r"Expected a datasets.Dataset, got list"):
        table([[1]])
    with pytest.raises(SchemaError, match="1 rows without a class"):
        table(weather, target="sky")
    with pytest.raises(SchemaError, match="wnd"):
        table(weather, target="wnd")
    lists = datasets.Dataset.from_dict({"tokens": [["a"]], "tags": [["X", "Y"]]})
    with pytest.raises(SchemaError, match="no cells of a table"):
        table(lists)
    with pytest.raises(SchemaError, match="has 1 words, but 'tags' has 2 tags"):
        sentences(lists)
    with pytest.raises(SchemaError, match="has no lists"):
        sentences(weather, "wind", None)
