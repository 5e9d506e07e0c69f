"""All pictures by file name, and the function that writes them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from casebase.render.drawing import save
from lab.paths import DOCS
from lab.pictures import features, memories, readings, reliability, trees, words

PICTURES: dict[str, Callable[[], Any]] = {
    "ib1": memories.ib1,
    "igtree": trees.igtree,
    "tribl": memories.tribl,
    "tribl2": memories.tribl2,
    "ib2": memories.ib2,
    "c45rules": trees.c45rules,
    "perceptron": features.perceptron,
    "rules": trees.rules,
    "focus": features.focus,
    "relief": features.relief,
    "autopilot": readings.autopilot,
    "forest": readings.forest,
    "kernel": readings.kernel,
    "opinions": readings.opinions,
    "discriminant": readings.discriminant,
    "hyphenator": words.hyphenator,
    "tagger": words.tagger,
    "tagger-reliability": reliability.tagger_reliability,
}


def write(*names: str, folder: Path = DOCS) -> None:
    """Draw the pictures of these names, or all of them, into a folder."""
    for name in names or PICTURES:
        save(PICTURES[name](), folder / f"{name}.svg")
