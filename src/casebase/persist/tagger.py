"""The file of a tagger: its settings, its lexicon, the two case bases, and the corpus that it has learnt from."""

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from casebase.data import Vocabulary
from casebase.errors import ModelFileError
from casebase.learners.lexicon import Lexicon, checked_percentage
from casebase.learners.tag_features import Pattern, Text
from casebase.learners.tagging import (
    LEARNERS,
    CaseBases,
    TaggerSettings,
    Tagging,
    WordModel,
    check_comparisons,
    learner_options,
)
from casebase.persist.files import Arrays, CheckedArrays, Header, read, write
from casebase.persist.neighbours import read_ib1, write_ib1
from casebase.persist.parameters import plain_parameters, restored_parameters
from casebase.persist.parts import read_strings, write_strings
from casebase.persist.trees import read_igtree, read_tribl, write_igtree, write_tribl

LEARNER = "tagger"  # what the header of such a file says
WRITERS: dict[str, Any] = {"igtree": write_igtree, "ib1": write_ib1, "tribl": write_tribl}
READERS: dict[str, Any] = {"igtree": read_igtree, "ib1": read_ib1, "tribl": read_tribl}


def is_tagger(header: Header) -> bool:
    """Whether a file's header is that of a tagger."""
    return header.get("learner") == LEARNER


def save_tagger(path: str | os.PathLike[str], model: Tagging, parameters: dict[str, Any] | None = None) -> None:
    """Write a tagger, and the parameters that it is used with, to a file."""
    form = next(name for name, (kind, _, _) in FORMS.items() if isinstance(model, kind))
    header: Header = {"learner": LEARNER, "form": form, "parameters": parameters or {}}
    arrays: Arrays = {}
    FORMS[form][1](model, header, arrays)
    write(path, header, arrays)


def load_tagger(path: str | os.PathLike[str]) -> tuple[Tagging, dict[str, Any]]:
    """Read a tagger and the parameters it is used with; every index is checked before anything is computed with it."""
    return tagger_from(path, *read(path))


def tagger_from(path: str | os.PathLike[str], header: Header, arrays: CheckedArrays) -> tuple[Tagging, dict[str, Any]]:
    """Return the tagger of a file that has been read."""
    if not is_tagger(header):
        raise ModelFileError(f"{path} is a model of {header.get('learner')!r}, not a tagger.")
    try:
        return FORMS[header["form"]][2](header, arrays), dict(header["parameters"])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, pa.ArrowException) as error:
        raise ModelFileError(f"{path} is not a usable tagger: {error}.") from error


def write_case_bases(model: CaseBases, header: Header, arrays: Arrays) -> None:
    settings = model.settings
    header |= {
        "settings": {
            **vars(settings),
            "known": settings.known.text,
            "unknown": settings.unknown.text,
            "known_options": plain_parameters(dict(settings.known_options)),
            "unknown_options": plain_parameters(dict(settings.unknown_options)),
        },
        "n_columns": len(model.text.columns),
    }
    _write_lexicon(model.lexicon, arrays)
    _write_corpus(model.text, model.tag_of, arrays)
    for name, learner, base in (
        ("known", settings.known_learner, model.known),
        ("unknown", settings.unknown_learner, model.unknown),
    ):
        own_header: Header = {}
        own: Arrays = {}
        WRITERS[learner](base, own_header, own)
        header[name] = own_header
        arrays |= {f"{name}.{key}": array for key, array in own.items()}


def read_case_bases(header: Header, arrays: CheckedArrays) -> CaseBases:
    given = dict(header["settings"])
    settings = TaggerSettings(
        **given | {
            "known": Pattern.parse(given["known"]),
            "unknown": Pattern.parse(given["unknown"]),
            "known_options": restored_parameters(given["known_options"]),
            "unknown_options": restored_parameters(given["unknown_options"]),
        }
    )  # fmt: skip
    lexicon = _read_lexicon(arrays, settings.ambiguity_threshold)
    text, tags = _read_corpus(arrays, lexicon, int(header["n_columns"]))
    known = _read_base("known", settings.known, settings.known_learner, settings.known_options, header, arrays)
    unknown = _read_base(
        "unknown", settings.unknown, settings.unknown_learner, settings.unknown_options, header, arrays
    )
    for base in (known, unknown):
        if not set(base.schema.classes) <= set(lexicon.tags.values.to_pylist()):
            raise ValueError("a class of a case base is not among the tags of the lexicon")
    as_mbt = settings.as_mbt
    return CaseBases(
        settings,
        lexicon,
        replace(known, parameters=learner_options(settings.known_learner, settings.known_options, as_mbt)),
        replace(unknown, parameters=learner_options(settings.unknown_learner, settings.unknown_options, as_mbt)),
        text,
        tags,
    )


def _read_base(
    name: str, pattern: Pattern, learner: str, options: Any, header: Header, arrays: CheckedArrays
) -> WordModel:
    if learner not in LEARNERS:
        raise ValueError(f"the learner of {name} words is {learner!r}")
    model: WordModel = READERS[learner](header[name], arrays.part(f"{name}."))
    if model.schema.names != pattern.names:
        raise ValueError(f"the case base of {name} words has other features than its pattern")
    check_comparisons(model)
    return model


def _write_lexicon(lexicon: Lexicon, arrays: Arrays) -> None:
    write_strings("lexicon.words", lexicon.words.values, arrays)
    write_strings("lexicon.tags", lexicon.tags.values, arrays)
    arrays |= {
        "lexicon.first": lexicon.first.astype(np.uint64),
        "lexicon.tag": lexicon.tag.astype(np.uint32),
        "lexicon.count": lexicon.count.astype(np.uint32),
    }


def _read_lexicon(arrays: CheckedArrays, threshold: int) -> Lexicon:
    words, tags = Vocabulary(read_strings("lexicon.words", arrays)), Vocabulary(read_strings("lexicon.tags", arrays))
    tag = arrays.get("lexicon.tag", "uint32", below=len(tags)).astype(np.int64)
    count = arrays.get("lexicon.count", "uint32", len(tag)).astype(np.int64)
    first = arrays.offsets("lexicon.first", len(words) + 1, len(tag)).astype(np.int64)
    if not len(words) or first[0] != 0 or (np.diff(first) < 1).any() or not count.all():
        raise ValueError("a word of the lexicon has no tag")
    return Lexicon(words, tags, first, tag, count, checked_percentage(threshold))


def _write_corpus(text: Text, tags: np.ndarray, arrays: Arrays) -> None:
    arrays |= {"corpus.words": text.word, "corpus.tags": tags, "corpus.first": text.first.astype(np.uint64)}
    for i, (texts, entries) in enumerate(text.columns):
        write_strings(f"corpus.{i}.texts", texts, arrays)
        arrays[f"corpus.{i}.entries"] = entries.astype(np.uint32)


def _read_corpus(arrays: CheckedArrays, lexicon: Lexicon, n_columns: int) -> tuple[Text, np.ndarray]:
    words = arrays.get("corpus.words", lexicon.words.dtype.name, below=len(lexicon))
    tags = arrays.get("corpus.tags", lexicon.tags.dtype.name, len(words), below=len(lexicon.tags))
    n_sentences = len(arrays.get("corpus.first", "uint64")) - 1
    first = arrays.offsets("corpus.first", n_sentences + 1, len(words)).astype(np.int64)
    if not len(first) or first[0] != 0:
        raise ValueError("the corpus does not begin with its first sentence")
    columns = []
    for i in range(n_columns):
        texts = read_strings(f"corpus.{i}.texts", arrays)
        columns.append((texts, arrays.get(f"corpus.{i}.entries", "uint32", len(words), below=len(texts))))
    return Text(lexicon.words.values, words, first, np.arange(len(lexicon)), tuple(columns)), tags


# The ways to tag that files are made of: name → type, writer, reader.
FORMS: dict[str, tuple[type, Callable[[Any, Header, Arrays], None], Callable[[Header, CheckedArrays], Tagging]]] = {
    "case_bases": (CaseBases, write_case_bases, read_case_bases),
}
