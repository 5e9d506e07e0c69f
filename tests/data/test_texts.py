"""Texts of a model file: what they are, and that they are those of Arrow."""

import numpy as np
import pyarrow as pa
import pytest

from casebase.data.texts import Texts
from casebase.data.vocabulary import Vocabulary

VALUES = [None, "", "a", "b b", "é", "日本", "🙂"]


def stored(values: list[str | None]) -> Texts:
    """Return texts as a file has them: a missing one has no bytes."""
    pieces = [b"" if value is None else value.encode() for value in values]
    offsets = np.cumsum([0, *map(len, pieces)])
    return Texts(np.frombuffer(b"".join(pieces), np.uint8), offsets, values.count(None))


@pytest.mark.parametrize("values", [VALUES, VALUES[1:], [], [None]])
def test_texts_are_those_that_were_stored(values: list[str | None]) -> None:
    texts = stored(values)
    assert (len(texts), texts.null_count) == (len(values), values.count(None))
    assert texts.to_pylist() == texts.array.to_pylist() == [texts.value(i) for i in range(len(texts))] == values
    assert texts.array.type == pa.string()


@pytest.mark.parametrize(
    ("content", "offsets"), [(b"\xff", [0, 1]), (b"\xed\xa0\x80", [0, 3]), ("é".encode(), [0, 1, 2])]
)
def test_bytes_that_are_no_text_are_refused(content: bytes, offsets: list[int]) -> None:
    """Neither other encodings, nor half a character on each side of a boundary."""
    with pytest.raises(ValueError, match=r"utf-8|middle of a character"):
        Texts(np.frombuffer(content, np.uint8), np.array(offsets))


@pytest.mark.parametrize("given", [stored(VALUES), pa.array(VALUES)])
def test_a_vocabulary_is_the_same_with_texts_and_with_an_array(given: "Texts | pa.Array") -> None:
    vocabulary = Vocabulary(given).with_values(["new"]).without([2])
    assert vocabulary.values.to_pylist() == vocabulary.texts == [*VALUES, "new"]
    assert [vocabulary.value(code) for code in range(len(vocabulary))] == [*VALUES, "new"]
    asked = ["é", "a", "new", None, "other"]
    codes = [4, vocabulary.unknown, 7, 0, vocabulary.unknown]
    assert vocabulary.encode_few(asked).tolist() == codes
    assert [vocabulary.encode_one(value).item() for value in asked] == codes
    assert vocabulary.encode(pa.array(asked * 20)).tolist() == codes * 20
