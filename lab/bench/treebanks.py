"""Universal Dependencies treebanks: the tables of docs/treebanks.md.

    python -m lab.bench.treebanks FOLDER dev|test [NAME …]

FOLDER has files NAME-train.conllu, NAME-dev.conllu and NAME-test.conllu; everything is learnt from the training part.
Times are processor times of training, in the same run; that of MBT is the time of its programs.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from casebase.tagging.annotator import table_of, tokens_of
from casebase.tagging.corpora import read_corpus
from casebase.tagging.lemmas.lemmatizer import Lemmatizer
from casebase.tagging.tagger import Tagger
from casebase.tagging.universal import TAGS, Token, value_of
from lab.peers import mbt
from lab.peers.sequence_taggers import CRFsuite, NLTKPerceptron, has_crfsuite, has_nltk

Treebank = list[list[Token]]
N_LABELS = 20  # perceptrons score all labels, CRFsuite all pairs: with hundreds they take hours


def treebank(path: Path) -> Treebank:
    return tokens_of(read_corpus(path, format="conllu", tagged=False))


def processor_time() -> float:
    """Seconds of this process and of the programs that it ran."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def by_casebase(train: Any) -> Callable[[Any], list[str]]:
    tagger = Tagger().fit(train)
    return lambda words: [tag for tags in tagger.tag_many(words) for tag in tags]


def by_library(kind: Any) -> Callable[[Any], Callable[[Any], list[str]]]:
    def fit(train: Any) -> Callable[[Any], list[str]]:
        tagger = kind().fit(train)
        return lambda words: [tag for tags in tagger.tag(words) for tag in tags]

    return fit


def by_mbt(train: Any) -> Callable[[Any], list[str]]:
    folder = Path(tempfile.mkdtemp())
    made = mbt.generate([[_without_blanks(token) for token in sentence] for sentence in train], folder)
    return lambda words: [
        tag for _, _, tag in made.tag([[(_text(word), "X") for word in sentence] for sentence in words])
    ]


def _without_blanks(token: tuple[str, str]) -> tuple[str, str]:
    return _text(token[0]), _text(token[1])


def _text(text: str) -> str:
    return text.replace(" ", "\u00a0")


def taggers(n_labels: int) -> Iterator[tuple[str, Callable[[Any], Callable[[Any], list[str]]]]]:
    yield "casebase", by_casebase
    if mbt.is_installed():
        yield "MBT", by_mbt
    if n_labels <= N_LABELS and has_nltk():
        yield "NLTK perceptron", by_library(NLTKPerceptron)
    if n_labels <= N_LABELS and has_crfsuite():
        yield "CRFsuite", by_library(CRFsuite)


def tag_rows(train: Treebank, test: Treebank, column: str) -> Iterator[tuple[str, float, float, float]]:
    """Yield for each tagger its name, its accuracy on all and on unknown words, and the seconds of training."""
    learnt, asked = table_of(train, (column,)), table_of(test, (column,))
    known = {word for sentence in learnt for word, _ in sentence}
    words = [[word for word, _ in sentence] for sentence in asked]
    flat = [token for sentence in asked for token in sentence]
    n_labels = len({tag for sentence in learnt for _, tag in sentence})
    for name, fit in taggers(n_labels):
        start = processor_time()
        tag = fit(learnt)
        seconds = processor_time() - start
        right = [given == actual for given, (_, actual) in zip(tag(words), flat, strict=True)]
        unknown = [one for one, (word, _) in zip(right, flat) if word not in known]
        yield name, sum(right) / len(right), sum(unknown) / len(unknown), seconds


def lemma_row(train: Treebank, test: Treebank) -> tuple[float, float, float, float]:
    """Return the accuracy of lemmas with predicted tags, of unknown words, with the right tags, and the seconds."""
    has_lemma = [[token for token in one if value_of(token, "lemma")] for one in train]
    start = processor_time()
    lemmatizer = Lemmatizer().fit(table_of(has_lemma, ("upos", "lemma")))
    seconds = processor_time() - start
    tags = Tagger().fit(table_of(train, ("upos",))).tag_many([[str(token["form"]) for token in one] for one in test])
    tagged = [[{**token, "upos": tag} for token, tag in zip(*one)] for one in zip(test, tags)]
    asked, right = ([[token for token in one if value_of(token, "lemma")] for one in part] for part in (tagged, test))
    scores = lemmatizer.evaluate(table_of(asked, ("upos", "lemma")))
    with_right = lemmatizer.evaluate(table_of(right, ("upos", "lemma")))
    return scores.all.accuracy or 0.0, scores.unknown.accuracy or 0.0, with_right.all.accuracy or 0.0, seconds


def main(folder: Path, part: str, names: list[str]) -> None:
    found = names or sorted(path.name.removesuffix("-train.conllu") for path in folder.glob("*-train.conllu"))
    for name in found:
        train, test = treebank(folder / f"{name}-train.conllu"), treebank(folder / f"{name}-{part}.conllu")
        n_words = sum(map(len, train))
        for column in TAGS:
            if len({value_of(token, column) for one in train for token in one}) < 2:
                continue
            if any(value_of(token, column) is None for one in train + test for token in one):
                print(f"| {name} | {column.upper()} | some words have none |", flush=True)
                continue
            for tagger, accuracy, unknown, seconds in tag_rows(train, test, column):
                row = f"| {name} | {n_words:,} | {column.upper()} | {tagger} | {accuracy:.2%} | {unknown:.2%}"
                print(f"{row} | {seconds:.1f} |", flush=True)
        accuracy, unknown, with_right, seconds = lemma_row(train, test)
        row = f"| {name} | {n_words:,} | LEMMA | casebase | {accuracy:.2%} | {unknown:.2%} | {seconds:.1f} |"
        print(f"{row} right tags: {with_right:.2%}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
