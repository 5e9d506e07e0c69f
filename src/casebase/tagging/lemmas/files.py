"""The model file of a lemmatizer: its words with their tags and lemmas, and the tree of their edit scripts."""

import os

import numpy as np
import pyarrow as pa

from casebase.base.files import Arrays, CheckedArrays, Header, Target, write
from casebase.base.parts import read_strings, write_strings
from casebase.data.arrays import as_strings
from casebase.errors import ModelFileError
from casebase.neighbours import igtree
from casebase.neighbours.files.trees import read_igtree, write_igtree
from casebase.tagging.lemmas.model import FEATURES, Lemmas

LEARNER = "lemmatizer"  # the learner that the header names
TEXTS = ("words", "tags", "lemmas")


def save_lemmas(path: Target, model: Lemmas) -> None:
    """Write what a lemmatizer learned to a file."""
    tree: Header = {"settings": model.tree.settings.to_dict()}
    own: Arrays = {}
    write_igtree(model.tree, tree, own)
    arrays: Arrays = {f"tree.{name}": array for name, array in own.items()}
    for name in TEXTS:
        column = as_strings(getattr(model, name)).dictionary_encode()
        write_strings(f"{name}.texts", column.dictionary, arrays)
        arrays[f"{name}.entries"] = column.indices.to_numpy(zero_copy_only=False).astype(np.uint32)
    arrays["counts"] = model.counts.astype(np.uint64)
    write(path, {"learner": LEARNER, "tree": tree}, arrays)


def lemmas_from(path: str | os.PathLike[str], header: Header, arrays: CheckedArrays) -> Lemmas:
    """Return what a lemmatizer learned from the header and arrays of a file."""
    if header.get("learner") != LEARNER:
        raise ModelFileError(f"{path} is a model of {header.get('learner')!r}, not a lemmatizer.")
    try:
        counts = arrays.get("counts", "uint64")
        words, tags, lemmas = (_column(name, arrays, len(counts)) for name in TEXTS)
        own = header["tree"]
        tree = read_igtree(own, arrays.part("tree."), igtree.Settings.from_dict(own["settings"]))
        if tree.schema.names != FEATURES or not len(counts):
            raise ValueError("its tree has other features than the letters of words")
        model = Lemmas(words, tags, lemmas, counts.astype(np.int64), tree)
        _ = model.scripts  # an error if a class is no script
        return model
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable lemmatizer: {error}.") from error


def _column(name: str, arrays: CheckedArrays, n: int) -> tuple[str, ...]:
    texts = read_strings(f"{name}.texts", arrays).to_pylist()
    if not all(texts):
        raise ValueError(f"a text in {name} is missing or empty")
    return tuple(texts[i] for i in arrays.get(f"{name}.entries", "uint32", n, below=len(texts)).tolist())
