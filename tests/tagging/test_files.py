"""The files of taggers: damaged and forged ones are refused before anything is computed."""

import numpy as np
import pytest

import casebase as cb
from casebase.base import files
from tests.methods.test_damaged_files import accepted_forgeries, refused, spread

CORPUS = [
    [("The", "x", "D"), ("dog", "y", "N"), ("walks", "x", "V")],
    [("A", "x", "D"), ("walk", "x", "N")],
    [("dogs", "y", "N"), ("walk", "y", "V"), ("the", "x", "D"), ("dog", "x", "N")],
]
TAGGERS = {
    "committee": cb.Tagger(),
    "igtree and ib1": cb.Tagger(compat="mbt"),
    "tribl and mvdm": cb.Tagger(
        "tag-1 word suffix2 column1",
        "tag-1 suffix1 shape",
        known_learner="tribl",
        unknown_learner="ib1",
        known_options={"switch": 1, "k": 2},
        unknown_options={"metric": "mvdm"},
        n_frequent=2,
        hapax_limit=1,
    ),
}


@pytest.fixture(params=TAGGERS)
def saved(request, tmp_path):
    path = tmp_path / "tagger.cb"
    cb.Tagger(**TAGGERS[request.param].get_params()).fit(CORPUS).save(path)
    return path


def test_truncated_or_with_a_wrong_bit(saved):
    """A file that ends early, or has one bit changed, is refused."""
    whole = saved.read_bytes()
    for i, position in enumerate(spread(len(whole), 40)):
        saved.write_bytes(whole[:position])
        refused(saved)
        damaged = bytearray(whole)
        damaged[position] ^= 1 << i % 8
        saved.write_bytes(damaged)
        refused(saved)


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")
def test_arrays_of_another_shape_or_type(saved):
    """Every array has the length and type that its neighbours imply."""
    # An order of fewer features is a case base that ignores one.
    ignoring = (("known.order", "shorter"), ("unknown.order", "shorter"))
    assert [entry for entry in accepted_forgeries(saved) if entry not in ignoring] == []


def test_indices_out_of_bounds(saved):
    """An index that points nowhere is found although the checksum fits."""
    header, arrays = files.read(saved)
    names = [name for name, array in arrays._arrays.items() if array.dtype.kind in "iu" and "bytes" not in name]
    for name in names:
        array = arrays._arrays[name]
        if name.endswith((".missing", "ids", "value", "lexicon.count", ".count")):
            continue  # any number will do
        forged = array.copy()
        forged.flat[array.size // 2] = np.iinfo(array.dtype).max
        files.write(saved, header, arrays._arrays | {name: forged})
        refused(saved)


@pytest.mark.parametrize(
    "changed",
    [
        {"known": "ddf"},
        {"known_learner": "ib2"},
        {"known_learner": "ib1"},
        {"unknown_options": {"kk": 1}},
        {"n_frequent": -1},
        {"ambiguity_threshold": 500},
        {"more": 1},
    ],
)
def test_settings_that_do_not_fit(tmp_path, changed):
    """A header that says something else than the arrays is refused."""
    path = tmp_path / "tagger.cb"
    cb.Tagger(compat="mbt").fit(CORPUS).save(path)
    header, arrays = files.read(path)
    files.write(path, header | {"settings": header["settings"] | changed}, arrays._arrays)
    refused(path, "is not a usable tagger")


def test_a_file_without_early_memories(tmp_path):
    """Files that were written before there were early memories answer without them."""
    path = tmp_path / "tagger.cb"
    model = cb.Tagger(committee={"early": {}}).fit(CORPUS)
    model.save(path)
    header, arrays = files.read(path)
    older = {name: value for name, value in header["settings"].items() if not name.startswith("early")}
    files.write(path, header | {"settings": older}, arrays._arrays)
    text = [["The", "walk", "walks"], ["a", "dog", "walk"]]

    loaded = cb.Tagger.load(path)
    assert loaded.model_.settings.early == {}
    assert loaded.tag_many(text, confidence=True) == model.tag_many(text, confidence=True)


def test_other_memories_of_known_words_have_no_early_ones():
    """The default early memories are the beginnings of default ones; who gives other memories gives them as well."""
    known = {"word tag-1": 1.0, "ambitag+1": 0.5}
    assert cb.Tagger(committee={"known": known}).fit(CORPUS).model_.settings.early == {}
    early = {"word": 1.0}
    assert cb.Tagger(committee={"known": known, "early": early}).fit(CORPUS).model_.settings.early == early


@pytest.mark.parametrize("form", ["no such form", None, 3, ["case_bases"]])
def test_another_form(tmp_path, form):
    """A tagger of a form that is not known is refused."""
    path = tmp_path / "tagger.cb"
    cb.Tagger(compat="mbt").fit(CORPUS).save(path)
    header, arrays = files.read(path)
    files.write(path, header | {"form": form}, arrays._arrays)
    refused(path, "is not a usable tagger")
