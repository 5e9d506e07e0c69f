"""Named entities of CoNLL-2002, Dutch and Spanish, as labels of words: the table of docs/treebanks.md.

    python -m lab.bench.named_entities FOLDER a|b [ned|esp …]

FOLDER has the files of NLTK's corpus `conll2002`; the training file is learnt from, and testa (the development part) or
testb is labelled. Times are processor times of training, in the same run; that of MBT is the time of its programs.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from casebase.tagging.chunks import chunk_scores
from casebase.tagging.tagger import Tagger
from lab.bench.treebanks import processor_time
from lab.peers import mbt
from lab.peers.sequence_taggers import CRFsuite, NLTKPerceptron, has_crfsuite, has_nltk

Corpus = list[list[tuple[str, ...]]]
Asked = list[list[Any]]  # words, or words with their parts of speech
Label = Callable[[Asked], list[list[str]]]
LANGUAGES = ("ned", "esp")


def read(path: Path) -> Corpus:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [[tuple(line.split()) for line in part] for filled, part in groupby(lines, bool) if filled]


def words_alone(corpus: Corpus) -> Corpus:
    return [[(token[0], token[-1]) for token in sentence] for sentence in corpus]


def asked(corpus: Corpus) -> Asked:
    return [[token[0] if len(token) == 2 else token[:-1] for token in sentence] for sentence in corpus]


def by_casebase(parameters: dict[str, Any], train: Corpus) -> Label:
    return Tagger(**parameters).fit(train).tag_many


def by_mbt(train: Corpus) -> Label:
    made = mbt.generate(train, Path(tempfile.mkdtemp()))

    def label(sentences: Asked) -> list[list[str]]:
        tags = iter(made.tag([[(word, "O") for word in sentence] for sentence in sentences]))
        return [[next(tags)[2] for _ in sentence] for sentence in sentences]

    return label


def by_library(kind: Any, train: Corpus) -> Label:
    label: Label = kind().fit(train).tag
    return label


def sides() -> Iterator[tuple[str, bool, Callable[[Corpus], Label]]]:
    """Yield each program, whether it sees parts of speech, and how it learns."""
    yield "casebase", False, lambda train: by_casebase({}, train)
    yield "casebase", True, lambda train: by_casebase({"committee": "chunks"}, train)
    if mbt.is_installed():
        yield "MBT", False, by_mbt
    if has_nltk():
        yield "NLTK", False, lambda train: by_library(NLTKPerceptron, train)
    if has_crfsuite():
        yield "CRFsuite", False, lambda train: by_library(CRFsuite, train)
        yield "CRFsuite", True, lambda train: by_library(CRFsuite, train)


def rows(train: Corpus, test: Corpus) -> Iterator[tuple[str, str, float, float]]:
    """Yield for each program its name, what it sees, its F of whole names in per cent, and the seconds of training."""
    actual: Sequence[Sequence[str]] = [[token[-1] for token in sentence] for sentence in test]
    for name, sees_tags, fit in sides():
        learnt, labelled = (train, test) if sees_tags else (words_alone(train), words_alone(test))
        start = processor_time()
        label = fit(learnt)
        seconds = processor_time() - start
        f_score = chunk_scores(actual, label(asked(labelled))).all.f_score
        yield name, "words, parts of speech" if sees_tags else "words", 100 * f_score, seconds


def main(folder: Path, part: str, languages: Sequence[str]) -> None:
    for language in languages or LANGUAGES:
        train, test = read(folder / f"{language}.train"), read(folder / f"{language}.test{part}")
        for name, sees, f_score, seconds in rows(train, test):
            n_words = sum(map(len, train))
            print(f"| {language} | {n_words:,} | {name} | {sees} | {f_score:.2f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
