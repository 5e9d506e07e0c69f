"""The model file of a tagger of two case bases: its settings, and each case base in the format of its learner."""

from typing import Any

from casebase.base.files import Arrays, CheckedArrays, Header
from casebase.base.parameters import plain_parameters, restored_parameters
from casebase.base.settings import require_all
from casebase.neighbours.files.cases import read_ib1, write_ib1
from casebase.neighbours.files.trees import read_igtree, read_tribl, write_igtree, write_tribl
from casebase.tagging.case_bases import (
    LEARNERS,
    CaseBases,
    TaggerSettings,
    WordModel,
    check_comparisons,
)
from casebase.tagging.features import Pattern
from casebase.tagging.files.corpus import read_corpus, read_lexicon, write_corpus, write_lexicon

WRITERS: dict[str, Any] = {"igtree": write_igtree, "ib1": write_ib1, "tribl": write_tribl}
READERS: dict[str, Any] = {"igtree": read_igtree, "ib1": read_ib1, "tribl": read_tribl}


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
    write_lexicon(model.lexicon, arrays)
    write_corpus(model.text, model.tag_of, arrays)
    for name, learner, base in (
        ("known", settings.known_learner, model.known),
        ("unknown", settings.unknown_learner, model.unknown),
    ):
        own_header: Header = {"settings": base.settings.to_dict()}
        own: Arrays = {}
        WRITERS[learner](base, own_header, own)
        header[name] = own_header
        arrays |= {f"{name}.{key}": array for key, array in own.items()}


def read_case_bases(header: Header, arrays: CheckedArrays) -> CaseBases:
    record = dict(header["settings"])
    require_all(record, TaggerSettings)
    settings = TaggerSettings(
        **record
        | {
            "known": Pattern.parse(record["known"]),
            "unknown": Pattern.parse(record["unknown"]),
            "known_options": restored_parameters(record["known_options"]),
            "unknown_options": restored_parameters(record["unknown_options"]),
        }
    )
    lexicon = read_lexicon(arrays, settings.ambiguity_threshold)
    text, tags = read_corpus(arrays, lexicon, int(header["n_columns"]))
    known = _read_base("known", settings.known, settings.known_learner, header, arrays)
    unknown = _read_base("unknown", settings.unknown, settings.unknown_learner, header, arrays)
    for base in (known, unknown):
        if not set(base.schema.classes) <= set(lexicon.tags.values.to_pylist()):
            raise ValueError("a class of a case base is not among the tags of the lexicon")
    return CaseBases(settings, lexicon, known, unknown, text, tags)


def _read_base(name: str, pattern: Pattern, learner: str, header: Header, arrays: CheckedArrays) -> WordModel:
    if learner not in LEARNERS:
        raise ValueError(f"the learner of {name} words is {learner!r}")
    own = header[name]
    settings = LEARNERS[learner].Settings.from_dict(own["settings"])
    model: WordModel = READERS[learner](own, arrays.part(f"{name}."), settings)
    if model.schema.names != pattern.names:
        raise ValueError(f"the case base of {name} words has other features than its pattern")
    check_comparisons(model)
    return model
