"""Small tagged corpora for training in parts, and the file that training in memory gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from casebase.scale import Resources, train_tagger
from casebase.tagging import calibration
from casebase.tagging.corpora import read_corpus
from casebase.tagging.tagger import Tagger
from tests.scale.tables import SMALL

Sentence = list[tuple[str, ...]]


def made_sentences(n: int, *, seed: int = 0, n_columns: int = 0) -> list[Sentence]:
    """Return sentences of ambiguous, rare and capital words; the tag depends on the word and on the one before."""
    rng = np.random.default_rng(seed)
    sentences = []
    for i in range(n):
        sentence: Sentence = [('"', *["q"] * n_columns, "P")] if i % 7 == 0 else []
        last = "P"
        for place in range(rng.integers(1, 9)):
            word = f"w{min(rng.zipf(1.5), 40)}" if rng.random() < 0.8 else f"ünd{rng.integers(60)}ing"
            tag = {"P": "D", "D": "N", "N": "V", "V": "D"}[last] if rng.random() < 0.8 else "N"
            if place == 0 and rng.random() < 0.6:
                word = word.capitalize()
            sentence.append((word, *(f"c{(hash_of(word) + k) % 5}" for k in range(n_columns)), tag))
            last = tag
        sentences.append(sentence)
    return sentences


def hash_of(word: str) -> int:
    return sum(word.encode())


def write_corpus(path: Path, sentences: list[Sentence], format: str = "tsv") -> Path:
    """Write sentences as a file of one of the formats with tags."""
    if format == "tagged":
        lines = [" ".join(f"{word}/{tag}" for word, *_, tag in sentence) for sentence in sentences]
    elif format == "conllu":
        rows = [
            [f"{i}\t{word}\t_\t{tag}" + "\t_" * 6 for i, (word, *_, tag) in enumerate(sentence, 1)]
            for sentence in sentences
        ]
        lines = ["# made\n" + "\n".join(row) + "\n" for row in rows]
    else:
        blank = " " if format == "conll2000" else "\t"
        ends = ["", "<utt>", " \t"]
        lines = [
            "\n".join(blank.join(token) for token in sentence) + "\n" + ends[i % 3]
            for i, sentence in enumerate(sentences)
        ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def calibrate_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small corpora be calibrated like large ones: on sentences that are held out once."""
    for name, value in (("FEW_WORDS", 200), ("N_HELD_OUT", 90), ("N_RUNS", 3), ("ENOUGH_WORDS", 200)):
        monkeypatch.setattr(calibration, name, value)


def in_memory(path: Path, output: Path, **parameters: Any) -> bytes:
    """Train a tagger in memory and return the bytes of its file."""
    Tagger(**parameters).fit(read_corpus(path)).save(output)
    return output.read_bytes()


def pieces(rows: int, part_bytes: int | None = None, *, n_threads: int = 1) -> Resources:
    """Return the resources with which a task takes about so many tokens, and a part of a file has so many bytes."""
    return Resources(SMALL, n_threads=n_threads, rows=rows, part_bytes=part_bytes or 8 * rows)


def in_parts(data: Any, output: Path, resources: Resources, **parameters: Any) -> bytes:
    """Train a tagger in parts and return the bytes of its file."""
    train_tagger(Tagger(**parameters), data, output, resources)
    return output.read_bytes()
