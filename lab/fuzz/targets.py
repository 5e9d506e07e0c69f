"""Fuzz targets: one per reader. A target reads some bytes and uses what it read, as the commands do.

An error of casebase means that the bytes were refused; any other exception is a fault.
"""

import hashlib
import os
import random
import tempfile
import warnings
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from click.testing import CliRunner

import casebase as cb
from casebase.alignment.dictionary import read_pronunciations
from casebase.cli import cli
from casebase.data import Table
from casebase.errors import CasebaseError
from casebase.formats.ids import IdsFile
from casebase.formats.line import line_table
from casebase.formats.read import read_cases, read_table
from casebase.formats.registry import FORMATS
from casebase.formats.stored import Scratch
from casebase.formats.weights import MEASURES, read_weights
from casebase.hyphenation.pattern_files import read_dictionary, read_patterns, to_json
from casebase.hyphenation.word_lists import read_hyphenated_words
from casebase.methods import METHODS, method_named
from casebase.strings.lists import read_string_list
from casebase.tagging.corpora import CORPUS_FORMATS, TAGGED_FORMATS, corpus_text, read_corpus
from lab.faults import models
from lab.fuzz import mutations
from lab.fuzz.mutations import Mutation, mutated

CORPUS = Path(__file__).parent / "corpus"
HALVES = b"=====\n"  # between two files in one input
LARGEST = 1 << 16  # bytes of an input


class WrongAnswerError(AssertionError):
    """What was read from the same bytes in two ways differs, or a damaged model gives other answers."""


@dataclass(frozen=True)
class Target:
    """A reader with the changes that are made to its seeds; `share` of the tries of a quick one are made with it."""

    name: str
    read: Callable[[bytes], Any]
    mutations: Sequence[Mutation] = mutations.TEXT
    share: float = 1.0
    made: Callable[[], list[bytes]] | None = None

    def seeds(self) -> list[bytes]:
        """Return the inputs in the corpus, and those that are made."""
        kept = sorted((CORPUS / self.name).glob("*")) if (CORPUS / self.name).is_dir() else []
        return [path.read_bytes() for path in kept] + ([] if self.made is None else self.made())

    def mutate(self, draw: random.Random, pool: Sequence[bytes]) -> bytes:
        """Return one of some inputs after random changes."""
        return mutated(draw, draw.choice(pool), pool, self.mutations)[:LARGEST]

    def try_once(self, data: bytes) -> str:
        """Read some bytes; return "read", or why they are refused. Any other error is a fault, and raised."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.read(data)
        except CasebaseError as error:
            message = str(error)  # a message that cannot be made is a fault as well
            message.encode("utf-8", "surrogateescape")
            return f"refused: {message}"
        return "read"


def memory_folder() -> str | None:
    """Return a folder that is in memory, if the system has one."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


@cache
def scratch() -> Path:
    """Return a folder for the files of this process, in memory if there is such a place."""
    folder = tempfile.TemporaryDirectory(prefix="casebase-fuzz-", dir=memory_folder())
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[Any] = []


def _choice(data: bytes, options: Sequence[Any], salt: int = 0) -> Any:
    """Return one of some options: always the same one for the same bytes."""
    return options[zlib.crc32(data, salt) % len(options)]


# Tables


def _table(data: bytes, format: str | None) -> None:
    """Read a table, with one thread and with several; then learn from it, and ask the same table."""
    header = _choice(data, (None, None, True, False)) if format in (None, "csv", "tsv") else None
    options: dict[str, Any] = {"format": format, "header": header}
    if format == "compact":
        options["width"] = _choice(data, (1, 2), 5)
    table = read_table(data, **options, keep_text=_choice(data, (False, True), 1))
    if format in FORMATS and FORMATS[format].is_lined:
        _check_equal(table, read_table(data, **options, n_threads=3))
    cases = read_cases(data, **options, kinds=_choice(data, (None, "auto"), 2))
    if cases.n_cases * max(1, len(cases.schema.features)) > 2000:
        return
    learner = _choice(data, ("ib1", "igtree", "c45", "tribl2"), 3)
    model = method_named(learner).fit(cases)
    again = read_table(data, **options, schema=model.schema)
    model.answer(model.schema.encode(again))


def _check_equal(one: Table, other: Table) -> None:
    # By their spelling: not-a-number equals itself then.
    values = [[[repr(value) for value in column.to_pylist()] for column in table.columns] for table in (one, other)]
    if one.names != other.names or values[0] != values[1]:
        raise WrongAnswerError("several threads read another table than one")


def _two_files(data: bytes) -> None:
    """Train on one table and predict another by commands, as people do whose columns change kind in between."""
    training, _, new = data.partition(HALVES)
    folder = scratch()
    suffix = _suffix(data, {b"{": "jsonl", b"@": "arff", b"%": "arff", b",": "csv", b"\t": "tsv", b"": "txt"})
    train, ask, model = folder / f"train.{suffix}", folder / f"new.{suffix}", folder / "model.cb"
    train.write_bytes(training)
    ask.write_bytes(new)
    model.unlink(missing_ok=True)
    learner = _choice(data, [name for name in METHODS if name != "auto"], 1)
    # IB1 and the trees most often: they have the most ways to compare a value.
    learner = _choice(data, (learner, "ib1", "igtree", "tribl", "tribl2", "c45", "id3"), 2)
    _command("train", train, "-o", model, "--learner", learner)
    more = _choice(data, ([], [], ["--proba"], ["--json"], ["--append"], ["--confidence", "0.9"]), 3)
    _command("predict", model, ask, *more)
    if _choice(data, (False, False, True), 4):
        _command("explain", model, ask)
    if _choice(data, (False, False, True), 5):
        _command("evaluate", model, ask)


def _suffix(data: bytes, of_sign: dict[bytes, str]) -> str:
    """Return the suffix of the first sign in the first line; for one input in eight another one."""
    if zlib.crc32(data, 7) % 8 == 0:
        return str(_choice(data, list(of_sign.values()), 8))
    first = data.lstrip().partition(b"\n")[0]
    return next(suffix for sign, suffix in of_sign.items() if sign in first)


def _command(*words: Any) -> None:
    result = CliRunner().invoke(cli, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    if result.exit_code not in (0, None):
        raise CasebaseError(result.output)


def _line(data: bytes) -> None:
    """Read a case that is typed in a line."""
    text = data.decode("utf-8", "replace")
    for schema in _schemas():
        try:
            table = line_table(text, schema)
        except CasebaseError:
            continue
        schema.encode(table)


@cache
def _schemas() -> list[Any]:
    tables = (
        b"sex,age,deck,class\nmale,20.5,C,P\nfemale,30.5,D,Q\n",
        b"@relation r\n@attribute 'a b' numeric\n@attribute c {x,y}\n@attribute d {P,Q}\n@data\n1,x,P\n2,y,Q\n",
    )
    return [read_cases(table, kinds=kinds).schema for table in tables for kinds in (None, "auto")]


def _ids(data: bytes) -> None:
    path = scratch() / "ids.txt"
    path.write_bytes(data)
    kept = Scratch(scratch())
    try:
        ids = IdsFile.opened(str(path), kept)
        list(ids.blocks())
        ids.check(3)
    finally:
        kept.close()


# TiMBL


def _timbl(data: bytes, base: str | None = None, weights: str | None = None) -> None:
    """Run casebase's TiMBL on the files of an input: an instance base or weights, and test or training lines."""
    first, _, lines = data.partition(HALVES)
    folder = scratch()
    (folder / "first").write_bytes(first)
    (folder / "lines").write_bytes(lines)
    (folder / "first.wgt").write_bytes(b"# gr\n1\t0.5\n2\t0.25\n3\t0.1\n#\n# nw\n1\t1\n2\t1\n3\t1\n#\n")
    algorithm = "IGTree" if b"pruned" in first else _choice(data, ("IGTree", "IB1", "TRIBL2", "IB1"), base is not None)
    words = ["-t", str(folder / "lines"), "-o", str(folder / "out"), "-a", algorithm]
    metric = ["-mO:N3"] if b"Numeric: 3" in first else _choice(data, ([], ["-mM"], ["-mO:N1"]), 1)
    words += metric + _choice(data, ([], ["-k", "3"], ["+vdi"]) if algorithm != "IGTree" else ([],), 2)
    if base is not None:
        _command("timbl", "-i", folder / "first", *words)
    elif weights is not None:
        _command("timbl", "-f", folder / "lines", *words, "-w", f"{folder / 'first'}:{weights}")
    else:
        _command("timbl", "-f", folder / "first", *words)


def _weights(data: bytes) -> None:
    n_features = _choice(data, (None, 3))
    read_weights("weights", data.decode("latin-1"), n_features, _choice(data, ("gr", "nw", *MEASURES), 1))


# Language


def _patterns(data: bytes, format: str | None) -> None:
    """Read patterns, hyphenate with them, and write them in every format."""
    skipped: list[str] | None = _choice(data, (None, []))
    patterns = read_patterns(data, format=format, skipped=skipped)
    for word in ("table", "Straße", "e\u0301te\u0301", "x" * 50, "a.b", ""):
        patterns.positions(word)
    to_json(patterns)
    cb.Hyphenator.from_patterns(patterns).hyphenate("table")


def _pattern_commands(data: bytes) -> None:
    """Import a file of patterns, hyphenate, and export it, by commands."""
    folder = scratch()
    suffix = _suffix(data, {b"{": "json", b"\\": "tex", b"UTF": "dic", b"": "pat"})
    source, model = folder / f"patterns.{suffix}", folder / "patterns.cb"
    source.write_bytes(data)
    model.unlink(missing_ok=True)
    _command("hyphen", "import", source, "-o", model)
    _command("hyphen", "apply", model, _words_file())
    _command(
        "hyphen", "export", model, "--to", _choice(data, ("tex", "hunspell", "json"), 1), "-o", folder / "exported"
    )


@cache
def _words_file() -> Path:
    path = scratch() / "words.txt"
    path.write_text("table\nStraße\nbackbone\nxyzzy\n", encoding="utf-8")
    return path


def _dictionary(data: bytes) -> None:
    """Read a whole dictionary, with changed letters and compounds."""
    dictionary = read_dictionary(data, skipped=_choice(data, (None, [])))
    for word in ("zuckerl", "schifffahrt", "table", "e\u0301te\u0301", "x" * 50):
        dictionary.breaks(word)
        dictionary.hyphenate(word, "-")
    read_dictionary(dictionary.to_dic())


def _hyphenated(data: bytes) -> None:
    words = read_hyphenated_words(data, hyphen=_choice(data, ("-", "\u00ad", "·")))
    if len(words.with_hyphens()) <= 40:
        cb.Hyphenator().fit(words.with_hyphens()).hyphenate("palata")


def _corpus(data: bytes, format: str | None) -> None:
    """Read a corpus, write it in another format, and train a tagger on it."""
    tagged = _choice(data, (True, None, False), 1) if format in (None, *TAGGED_FORMATS) else False
    corpus = read_corpus(data, format=format, tagged=tagged, tag=_choice(data, ("upos", "xpos", "feats"), 2))
    n = corpus.sentences.n_tokens
    corpus_text(corpus, ["T"] * n, format=_choice(data, (None, *TAGGED_FORMATS), 3))
    if tagged and n <= 60 and _choice(data, range(8), 4) == 0:
        tagger = cb.Tagger().fit(corpus)
        tagger.tag(["the", "zzz"])
        if corpus.format == "conllu":
            cb.Annotator().fit(corpus).annotate([["the", "zzz"]])


def _corpus_commands(data: bytes) -> None:
    """Train a tagger on one corpus, and tag another, by commands."""
    training, _, new = data.partition(HALVES)
    folder = scratch()
    suffix = _suffix(data, {b"# ": "conllu", b"\t": "tsv", b"": "txt"})
    train, ask, model = folder / f"corpus.{suffix}", folder / f"asked.{suffix}", folder / "tagger.cb"
    train.write_bytes(training)
    ask.write_bytes(new or training)
    model.unlink(missing_ok=True)
    _command("tagger", "train", train, "-o", model)
    _command("tagger", "tag", model, ask)
    if _choice(data, (False, True), 1):
        _command("tagger", "evaluate", model, ask)


def _language_model(data: bytes) -> None:
    corpus = read_corpus(data, tagged=False)
    if corpus.sentences.n_tokens <= 100:
        cb.LanguageModel(n_words=2).fit(corpus).predict(["the"])


def _pronunciations(data: bytes) -> None:
    stress, variants, letters = (_choice(data, (False, True), salt) for salt in range(3))
    words = read_pronunciations(data, stress=stress, variants=variants, only_letters=letters)
    if len(words) <= 30:
        found = cb.align(words, n_rounds=3)
        [word.sounds for word in found]


def _strings(data: bytes) -> None:
    given = read_string_list(data, _choice(data, ("|", "_")), separator=_choice(data, ("\t", ","), 1))
    labels = given.known_labels()
    if len(labels) <= 30:
        strings = list(given.asked.strings)
        cb.StringRuleClassifier().fit(strings, labels).predict(strings[:2])


# The server


def _journal(data: bytes) -> None:
    """Replay a journal beside its model."""
    from casebase.serve.desks.desk import Desk

    folder = scratch()
    path = folder / "desk.cb"
    path.write_bytes(_desk_model())
    (folder / "desk.cb.journal").write_bytes(data)
    desk = Desk.open(path, idle=None)
    desk.close()


@cache
def _desk_model() -> bytes:
    path = scratch() / "corrected.cb"
    rows = [{"gender": gender, "last": last} for gender, last in (("f", "e"), ("f", "u"), ("m", "g"), ("n", "d"))]
    cb.IB1Classifier().fit(rows, ["n", "en", "e", "er"]).save(path)
    return path.read_bytes()


def _journals() -> list[bytes]:
    """Return a journal of the model that this version writes."""
    from casebase.serve.desks.desk import Desk

    path = scratch() / "written.cb"
    path.write_bytes(_desk_model())
    desk = Desk.open(path, idle=None)
    desk.insert([{"gender": "m", "last": "r"}], ["en"], key="request-1")
    desk.update([0], {"last": ["a"]})
    desk.insert([{"gender": "x", "last": "é"}], ["new"])
    journal = path.with_name("written.cb.journal").read_bytes()
    desk.close()
    return [journal]


def _document(data: bytes) -> None:
    from casebase.serve.ports.xmi import SENTENCE, TOKEN, read_document

    document = read_document(data.decode("utf-8", "replace"), [SENTENCE, TOKEN])
    document.of_type(TOKEN)


# Model files


@cache
def _model_file(kind: str) -> bytes:
    """Return a file of a kind of model, made by this version."""
    path = scratch() / "made.cb"
    path.unlink(missing_ok=True)
    models.make(kind, path)
    return path.read_bytes()


@cache
def _said_by(kind: str) -> list[str]:
    path = scratch() / "whole.cb"
    path.unlink(missing_ok=True)
    path.write_bytes(_model_file(kind))
    return models.ask(path)


def _model(kind: str, data: bytes) -> None:
    """Ask a model file, which may be damaged: it is refused, or says what the whole file says."""
    path = scratch() / f"damaged-{hashlib.blake2b(data, digest_size=4).hexdigest()}.cb"
    path.write_bytes(data)
    try:
        said = models.ask(path)
    finally:
        path.unlink()
    if said != _said_by(kind):
        raise WrongAnswerError(f"a damaged file of {kind} says {said[0][:80]}")


def _model_target(kind: str) -> Target:
    name = f"model-{kind.replace(' ', '-')}"
    return Target(name, partial(_model, kind), mutations.BYTES, made=lambda: [_model_file(kind)])


TABLES = {
    "csv": "csv",
    "tsv": "tsv",
    "columns": "columns",
    "tabbed": "tabbed",
    "compact": "compact",
    "c45": "c45",
    "arff": "arff",
    "sparse": "sparse",
    "binary": "binary",
    "jsonl": "jsonl",
    "any-table": None,
}
SHARES = {"csv": 0.4, "tsv": 0.4, "compact": 0.05, "sparse": 0.02, "binary": 0.02}  # of tables; the last have wide ones
READERS = (
    *(
        Target(name, partial(_table, format=format), mutations.TABLE, SHARES.get(name, 1.0))
        for name, format in TABLES.items()
    ),
    Target("parquet", partial(_table, format="parquet"), mutations.BYTES),
    Target("feather", partial(_table, format="feather"), mutations.BYTES),
    Target("excel", partial(_table, format="excel"), mutations.ARCHIVE, 0.5),
    Target("predict", _two_files, mutations.TABLE, 0.1),
    Target("line", _line, mutations.TABLE, 0.3),
    Target("ids", _ids),
    Target("timbl-data", _timbl, mutations.TABLE, 0.5),
    Target("timbl-base", partial(_timbl, base="i")),
    Target("timbl-weights", partial(_timbl, weights="gr"), share=0.3),
    Target("weights", _weights),
    Target("patterns-tex", partial(_patterns, format="tex")),
    Target("patterns-dic", partial(_patterns, format="hunspell")),
    Target("patterns-json", partial(_patterns, format="json")),
    Target("any-patterns", _pattern_commands, share=0.5),
    Target("dictionary", _dictionary),
    Target("hyphenated-words", _hyphenated, share=0.5),
    *(Target(f"corpus-{name}", partial(_corpus, format=name)) for name in CORPUS_FORMATS),
    Target("any-corpus", _corpus_commands, share=0.03),
    Target("language-model", _language_model),
    Target("pronunciations", _pronunciations),
    Target("strings", _strings),
    Target("journal", _journal, mutations.JOURNAL, 0.3, made=_journals),
    Target("document", _document),
)
MODELS = tuple(_model_target(kind) for kind in models.KINDS)
TARGETS = {target.name: target for target in (*READERS, *MODELS)}
