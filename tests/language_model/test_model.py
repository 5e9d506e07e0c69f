"""The next word, by what followed the same words in a text."""

import pickle
import random
import subprocess

import pytest
import skops.io

import casebase as cb
from casebase.errors import CasebaseError
from casebase.language_model import LanguageModel
from lab.peers import timbl
from tests.oracles import language_model as plain
from tests.peers import require_timbl

TEXT = [["the", "dog", "barks"], ["the", "dog", "runs"], ["a", "dog", "barks"]]


def made_text(n: int, seed: int) -> list[list[str]]:
    draw = random.Random(seed)
    return [[draw.choice("abcde") for _ in range(draw.randint(1, 7))] for _ in range(n)]


def test_the_most_likely_words_come_with_their_places():
    """A continuation has its probability, how often it followed, and where."""
    model = LanguageModel(n_words=2).fit(TEXT)

    best = model.predict(["the", "dog"], n=1, n_places=5)[0]

    assert (best.word, best.count) == ("barks", 2.0)
    assert [str(place) for place in best.places] == ["the dog [barks] (word 3)", "a dog [barks] (word 9)"]


@pytest.mark.parametrize("seed", range(5))
def test_probabilities_are_those_of_the_definition(seed):
    """Contexts are mixed from the shortest to the longest, and words that are not in the text have their share."""
    text = made_text(40, seed)
    model = LanguageModel(n_words=2).fit(text)
    order = model.model_.order.tolist()
    before = ["a", "b"]

    found = {one.word: one.probability for one in model.predict(before, n=10)}

    for word, probability in found.items():
        assert probability == pytest.approx(plain.probability(text, before, word, order))
    unknown = plain.probability(text, before, "never", order)
    assert sum(found.values()) + unknown == pytest.approx(1)


@pytest.mark.parametrize("learner", ["igtree", "tribl2"])
def test_perplexity_and_accuracy_agree_with_single_predictions(learner):
    """A text that is evaluated in blocks has the scores of its words one by one."""
    text, other = made_text(80, 1), made_text(60, 2)
    model = LanguageModel(n_words=3, learner=learner).fit(text)
    product, n_right, n = 1.0, 0, 0
    for sentence in other:
        for i, word in enumerate(sentence):
            found = {one.word: one.probability for one in model.predict(sentence[:i], n=10)}
            product *= found[word] ** (1 / sum(map(len, other)))
            n += 1
    n_right = sum(a == b for a, b in zip(model.most_likely(other), [word for one in other for word in one]))

    scores = model.evaluate(other)

    assert (scores.n_words, scores.n_right) == (n, n_right)
    assert scores.perplexity == pytest.approx(1 / product)


@pytest.mark.parametrize("learner", ["igtree", "tribl2"])
def test_a_saved_model_predicts_the_same(learner, tmp_path):
    """The file is also one of its method, and another model file is refused."""
    model = LanguageModel(2, learner).fit(TEXT)
    model.save(tmp_path / "lm.cb")
    cb.IB1Classifier().fit([["a"], ["b"]], ["P", "Q"]).save(tmp_path / "ib1.cb")

    assert LanguageModel.load(tmp_path / "lm.cb").predict(["the"], n_places=2) == model.predict(["the"], n_places=2)
    assert cb.load(tmp_path / "lm.cb").predict([["the", "dog"]]).tolist() == ["barks"]
    with pytest.raises(CasebaseError, match="not a language model"):
        LanguageModel.load(tmp_path / "ib1.cb")


def test_the_state_is_the_model_file():
    """pickle and skops store its bytes and the parameters, and predictions are the same; the state needs one class."""
    model = LanguageModel(2, "tribl2", options={"compat": "timbl"}).fit(TEXT)
    content = skops.io.dumps(model)
    needed = skops.io.get_untrusted_types(data=content)

    assert needed == ["casebase.language_model.model.LanguageModel"]
    for again in (pickle.loads(pickle.dumps(model)), skops.io.loads(content, trusted=needed)):
        assert repr(again) == repr(model)
        assert again.predict(["the"], n_places=2) == model.predict(["the"], n_places=2)
        assert again.evaluate(TEXT) == model.evaluate(TEXT)


def test_what_was_changed_meanwhile_is_not_overwritten(tmp_path):
    """Saving to the file that it was loaded from is refused if the file has changed."""
    LanguageModel(2).fit(TEXT).save(tmp_path / "lm.cb")
    model = LanguageModel.load(tmp_path / "lm.cb")
    LanguageModel(3).fit(TEXT).save(tmp_path / "lm.cb")

    with pytest.raises(CasebaseError, match="changed by another program"):
        model.save(tmp_path / "lm.cb")


@pytest.mark.parametrize("n_words", [0, 101, 10**9, True, 2.0, "3"])
def test_a_number_of_words_that_no_memory_has_is_refused(n_words):
    """Every word before is a column of the memory: a billion of them took all memory of the machine."""
    with pytest.raises(CasebaseError, match="from 1 to 100"):
        LanguageModel(n_words).fit(TEXT)


@pytest.mark.parametrize("options", [{"weight": 1}, ["compat"]])
def test_options_that_the_method_does_not_have_are_refused(options):
    """The message names them."""
    with pytest.raises(CasebaseError, match=r"'weight'|\['compat'\]"):
        LanguageModel(options=options).fit(TEXT)


@pytest.mark.parametrize("numbers", [{"n": 0}, {"n": -1}, {"n": 1.5}, {"n_places": -1}, {"n_places": "2"}])
def test_numbers_of_continuations_and_places_are_whole(numbers):
    """−1 left out the last ones, as in a slice."""
    with pytest.raises(CasebaseError, match="n is at least 1"):
        LanguageModel().fit(TEXT).predict(["the"], **numbers)


def test_words_may_come_from_an_iterator():
    """Checking them does not use them up."""
    model = LanguageModel(2).fit(TEXT)

    assert model.predict(iter(["the", "dog"])) == model.predict(["the", "dog"])


@pytest.mark.parametrize("wrong", ["the dog", [""], [3], None, 3])
def test_words_that_are_no_list_are_refused(wrong):
    """A string would be taken for its letters."""
    with pytest.raises(CasebaseError, match="list of words"):
        LanguageModel().fit(TEXT).predict(wrong)


@pytest.mark.peer
@pytest.mark.parametrize(("learner", "algorithm"), [("igtree", "1"), ("tribl2", "4")])
def test_answers_are_those_of_timbl(learner, algorithm, tmp_path):
    """Word by word, on the same windows."""
    require_timbl()
    text, other = made_text(150, 3), made_text(60, 4)
    model = LanguageModel(3, learner, options={"compat": "timbl"}).fit(text)

    def windows(sentences):
        return [(["=="] * 3 + one)[i : i + 4] for one in sentences for i in range(len(one))]

    train = timbl.write_rows(tmp_path / "train", windows(text))
    test = timbl.write_rows(tmp_path / "test", windows(other))
    out = tmp_path / "out"
    subprocess.run(
        ["timbl", "-a", algorithm, "-f", train, "-t", test, "-o", out], check=True, capture_output=True, cwd=tmp_path
    )

    answers = [line.split()[-1] for line in out.read_text(encoding="utf-8").splitlines()]
    assert model.most_likely(other) == answers
