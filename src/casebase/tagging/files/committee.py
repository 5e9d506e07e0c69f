"""The model file of a committee: its settings, the values of its features, and the trees of its memories."""

from typing import Any

import numpy as np

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parts import read_strings, write_strings
from casebase.base.settings import require_all
from casebase.data import Vocabulary
from casebase.tagging.committee import GROUPS, Committee, CommitteeSettings, Contexts, settings_from
from casebase.tagging.files.corpus import read_corpus, read_lexicon, write_corpus, write_lexicon

OF_LEXICON = ("word", "tag")  # features whose values are in the lexicon
MEMORIES = (*GROUPS, "early")
# One weight a memory, and no memories that are asked first.
OF_OLDER_FILES: dict[str, Any] = {
    "known_start": None,
    "unknown_start": None,
    "early": [],
    "early_start": None,
    "early_share": 1.0,
}


def write_committee(model: Committee, header: Header, arrays: Arrays) -> None:
    settings = vars(model.settings)
    header |= {
        "settings": settings | {group: list(settings[group].items()) for group in MEMORIES},
        "n_columns": len(model.text.columns),
        "vocabularies": sorted(model.vocabularies),
    }
    write_lexicon(model.lexicon, arrays)
    write_corpus(model.text, model.tag_of, arrays)
    arrays["share"] = model.share
    for name, vocabulary in model.vocabularies.items():
        if name not in OF_LEXICON:
            write_strings(f"values.{name}", vocabulary.values, arrays)
    for group in GROUPS:
        for i, tree in enumerate(model.trees[group]):
            arrays |= {f"{group}.{i}.{name}": array for name, array in tree.packed().items()}


def read_committee(header: Header, arrays: CheckedArrays) -> Committee:
    record = OF_OLDER_FILES | header["settings"]
    require_all(record, CommitteeSettings)
    settings = settings_from(record | {group: dict(record[group]) for group in MEMORIES}, {})
    lexicon = read_lexicon(arrays, settings.ambiguity_threshold)
    text, tag_of = read_corpus(arrays, lexicon, int(header["n_columns"]))
    of_lexicon = {"word": lexicon.words, "tag": lexicon.tags}
    vocabularies = {
        name: of_lexicon[name] if name in of_lexicon else Vocabulary(read_strings(f"values.{name}", arrays))
        for name in header["vocabularies"]
    }
    if {feature.base for feature in settings.features} != set(vocabularies):
        raise ValueError("the values of its features are not those that its memories ask for")
    trees = {
        group: tuple(_read_tree(f"{group}.{i}.", arrays) for i in range(len(getattr(settings, group))))
        for group in GROUPS
    }
    share = arrays.numbers("share", len(lexicon.tags))
    if not share.all():
        raise ValueError("a tag has no share")
    model = Committee(settings, lexicon, vocabularies, trees, share, text, tag_of)
    model.check()
    return model


def _read_tree(prefix: str, arrays: CheckedArrays) -> Contexts:
    widths = "uint8 uint16 uint32"
    value = arrays.get(f"{prefix}value", widths)
    count_tag = arrays.get(f"{prefix}count_tag", widths)
    return Contexts(
        _offsets(arrays.get(f"{prefix}n_children", widths, len(value) - 1), 1, len(value)),
        value.astype(np.uint32),
        _offsets(arrays.get(f"{prefix}n_counts", widths, len(value) - 1), 0, len(count_tag)),
        count_tag.astype(np.uint32),
        arrays.get(f"{prefix}count", widths, len(count_tag)).astype(np.uint32),
    )


def _offsets(lengths: np.ndarray, start: int, end: int) -> np.ndarray:
    """Return the offsets of the parts of each node; the root, which comes first, has the parts left by the others."""
    total = int(lengths.sum(dtype=np.int64))
    if not start + total <= end < 2**32:
        raise ValueError("the nodes of a tree have more parts than there are")
    offsets = np.empty(len(lengths) + 2, dtype=np.uint32)
    offsets[0] = start
    offsets[1] = end - total
    np.cumsum(lengths, out=offsets[2:])
    offsets[2:] += offsets[1]
    return offsets
