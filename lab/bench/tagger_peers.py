"""Training and tagging beside MBT and CRFsuite in one run, in processor time: a table of docs/tagger-quality.md.

    python -m lab.bench.tagger_peers words     Brown: nine tenths for training, from sentences in memory to a tagger
    python -m lab.bench.tagger_peers chunks    CoNLL-2000's training file; four fifths for training, one to tag

Rates are words per second from sentences in memory to tags (MBT: its program, without its loading time). Threads of
one process add up. CRFsuite's templates for chunks are those of its own tutorial; its trainers are the averaged
perceptron (50 rounds) and, for chunks, its default, L-BFGS.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from casebase.tagging.sentences import Sentences
from casebase.tagging.tagger import Tagger
from lab.bench.tagger_quality import brown_parts, chunk_parts
from lab.bench.timing import core_clock
from lab.peers import mbt
from lab.peers.sequence_taggers import ChunkCRFsuite, CRFsuite, has_crfsuite

REPEATS = 3
Row = tuple[str, float, float]  # who, seconds of training, words per second


def _seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    start = core_clock()
    result = work()
    return core_clock() - start, result


def casebase_row(name: str, parameters: dict[str, Any], learnt: Sentences, asked: Sentences) -> Row:
    runs = []
    for _ in range(REPEATS):
        training, tagger = _seconds(lambda: Tagger(**parameters).fit(learnt))
        tagger.tag_sentences(asked)  # builds what a loaded tagger builds once
        tagging, _ = _seconds(partial(tagger.tag_sentences, asked))
        runs.append((training, tagging))
    training, tagging = (sorted(one)[REPEATS // 2] for one in zip(*runs))
    return name, training, asked.n_tokens / tagging


def mbt_row(learnt: Sentences, asked: Sentences) -> Row:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train").write_text(mbt.text_of(list(learnt)), encoding="utf-8")
        plain = [[(word, "X") for word in words] for words in asked.lists()]
        for file, sentences in (("test", plain), ("one", [[("The", "X")]])):
            (folder / file).write_text(mbt.plain_text_of(sentences), encoding="utf-8")
        training, _ = _seconds(lambda: mbt.make(folder, "train"))
        runs = []
        for _ in range(REPEATS):
            loading, whole = (_seconds(partial(mbt.tag, folder, file, kind="-t"))[0] for file in ("one", "test"))
            runs.append(whole - loading)
    return "MBT", training, asked.n_tokens / sorted(runs)[REPEATS // 2]


def crfsuite_row(name: str, peer: Any, learnt: Sequence[Any], asked: Sequence[Any]) -> Row:
    training, tagger = _seconds(lambda: peer.fit(learnt))
    tagging, _ = _seconds(lambda: tagger.tag(asked))
    return name, training, sum(map(len, asked)) / tagging


def rows(what: str) -> Iterator[Row]:
    if what == "words":
        learnt, held_out = brown_parts()
        asked = held_out.untagged()
        yield casebase_row("casebase", {}, learnt, asked)
        yield casebase_row("casebase, as MBT", {"compat": "mbt"}, learnt, asked)
        if mbt.is_installed():
            yield mbt_row(learnt, asked)
        if has_crfsuite():
            yield crfsuite_row("CRFsuite, averaged perceptron", CRFsuite(), list(learnt), asked.lists())
    else:
        learnt, held_out = chunk_parts()[-1]
        asked = held_out.untagged()
        yield casebase_row("casebase", {"committee": "chunks"}, learnt, asked)
        yield casebase_row("casebase, beam 4", {"committee": "chunks", "beam": 4}, learnt, asked)
        if has_crfsuite():
            for name, algorithm in (("averaged perceptron", "ap"), ("L-BFGS", "lbfgs")):
                yield crfsuite_row(f"CRFsuite, {name}", ChunkCRFsuite(algorithm), list(learnt), list(asked))


def main(what: str) -> None:
    if what not in ("words", "chunks"):
        sys.exit(__doc__)
    first: Row | None = None
    for name, seconds, rate in rows(what):
        first = first or (name, seconds, rate)
        ratios = f"{seconds / first[1]:.1f} times the time, {first[2] / rate:.1f} times slower"
        print(f"| {name} | {seconds:.2f} s | {rate:,.0f} words/s | {ratios} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) == 2 else "")
