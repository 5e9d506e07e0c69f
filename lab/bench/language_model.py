"""The next word of Brown from the three before, against TiMBL on the same windows: answers, processor time, sizes."""

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from casebase.datasets import DataNotFoundError
from casebase.language_model import LanguageModel
from casebase.tagging.sentences import Sentences, sentences_of
from lab.bench.report import Row, alone, beside
from lab.bench.sizes import Sizes
from lab.bench.tagger import brown
from lab.bench.timing import Runs, alternating, casebase_command, command_seconds, core_clock, runs_of, side
from lab.peers import timbl

N_WORDS = 3
N_ASKED = 1000  # sentences
ALGORITHMS = {"igtree": "1", "tribl2": "4"}


def language_model(sizes: Sizes) -> Iterator[Row]:
    """From windows to answers, as one run of TiMBL does it; then what TiMBL does not tell."""
    try:
        train, test = ([[line.split("\t")[0] for line in one] for one in part] for part in brown(sizes.sentences))
    except DataNotFoundError:
        return
    learnt, asked = (sentences_of(one, tagged=False) for one in (train, test[:N_ASKED]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part, sentences in (("train", train), ("test", test[:N_ASKED])):
            timbl.write_rows(folder / part, _windows(sentences))
        for learner, algorithm in ALGORITHMS.items():
            sides = {"own": side(partial(_predict, learner, learnt, asked), sizes.repeats)}
            what = (
                f"language model: {learner}, {learnt.n_tokens:,} windows of Brown, {asked.n_tokens:,} words predicted"
            )
            if timbl.is_installed():
                run = (
                    "-a",
                    algorithm,
                    "-f",
                    str(folder / "train"),
                    "-t",
                    str(folder / "test"),
                    "-o",
                    str(folder / "out"),
                )
                sides["peer"] = side(partial(timbl.execute, run), sizes.repeats)
                taken = alternating(sides, core_clock)
                yield beside(f"{what}, against TiMBL", taken["own"], taken["peer"], 1)
                answers = [line.split()[-1] for line in (folder / "out").read_text(encoding="utf-8").splitlines()]
                own = _predict(learner, learnt, asked)
                share = sum(a == b for a, b in zip(own, answers, strict=True)) / len(own)
                yield alone(f"{what}: the share of answers that differ from TiMBL's", Runs((1 - share,)), 0, "")
                yield from _sizes(folder, train, learner)
            model = LanguageModel(N_WORDS, learner).fit(learnt)
            model.save(folder / "model.cb")
            size = (folder / "model.cb").stat().st_size / 1e6
            yield alone(f"language model: {learner}, the model file", Runs((size,)), 100, "MB")
            scores = model.evaluate(asked)
            yield alone(
                f"language model: {learner}, perplexity (accuracy {scores.accuracy:.2%})",
                Runs((scores.perplexity,)),
                1000,
                unit="",
            )
            first = runs_of(partial(model.predict, ["one", "of", "the"], n_places=3), sizes.repeats, core_clock)
            yield alone(f"language model: {learner}, next words of one context with places, in seconds", first, 0.05)


def _sizes(folder: Path, train: Sequence[list[str]], learner: str) -> Iterator[Row]:
    """From text to a saved model, with all windows for the places; TiMBL's instance base has no places."""
    text, own, base = folder / "text", folder / "own.cb", folder / "base"
    text.write_text("".join(" ".join(one) + "\n" for one in train), encoding="utf-8")
    command = casebase_command("lm", "train", str(text), "-o", str(own), "--learner", learner, "--compat", "timbl")
    peer = [timbl.PROGRAM, "-a", ALGORITHMS[learner], "-f", str(folder / "train"), "-I", str(base)]
    ours, theirs = (Runs((command_seconds(one)[1] / 1e6,)) for one in (command, peer))
    what = f"language model: {learner}, peak memory of training, against TiMBL"
    yield beside(what, ours, theirs, unit="MB", is_cost=True)
    ours, theirs = (Runs((file.stat().st_size / 1e6,)) for file in (own, base))
    yield beside(f"language model: {learner}, the model file, against TiMBL's", ours, theirs, unit="MB", is_cost=True)


def _predict(learner: str, learnt: Sentences, asked: Sentences) -> list[str]:
    return LanguageModel(N_WORDS, learner, options={"compat": "timbl"}).fit(learnt).most_likely(asked)


def _windows(sentences: Sequence[list[str]]) -> list[list[str]]:
    before = ["=="] * N_WORDS
    return [(before + one)[i : i + N_WORDS + 1] for one in sentences for i in range(len(one))]
