"""Files of feature weights: sections `# gr`, each with a line `number TAB weight` per feature."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from casebase.errors import FormatError

# What a section is called, and the measure that its weights come from.
MEASURES = {
    "nw": "none",
    "gr": "gain_ratio",
    "ig": "information_gain",
    "x2": "chi_squared",
    "sv": "shared_variance",
    "sd": "standard_deviation",
}
IGNORE = "Ignore"


@dataclass(frozen=True)
class WeightsHeader:
    """What a weights file says about the data."""

    entropy: float
    n_classes: int
    n_lines: int


def weights_text(
    header: WeightsHeader, sections: Mapping[str, np.ndarray], ignored: set[int], closed: bool = True
) -> str:
    """Return the text of a weights file; `ignored` are positions from 0.

    The file beside a pruned instance base does not close its last section.
    """
    lines = [
        f"# DB Entropy: {header.entropy:.6g}",
        f"# Classes: {header.n_classes}",
        f"# Lines of data: {header.n_lines}",
    ]
    if "sd" in sections:
        lines.append("#")  # the end of a section that is not there
    for name, weights in sections.items():
        lines += [f"# {name}", "# Fea.\tWeight"]
        lines += [f"{i + 1}\t{IGNORE if i in ignored else format(float(w), '.15g')}" for i, w in enumerate(weights)]
        lines.append("#")
    return "\n".join(lines if closed else lines[:-1]) + "\n"


def read_weights(path: str, text: str, n_features: int | None, section: str = "gr") -> np.ndarray:
    """Return the weights in a section of a file, or those of a file without sections.

    Without a number of features there are as many as the section has lines.

    >>> read_weights("w", "# gr\\n# Fea.\\tWeight\\n1\\t0.5\\n2\\tIgnore\\n#\\n", 2).tolist()
    [0.5, 0.0]
    """
    sections = _sections(path, text)
    if set(sections) == {""}:
        found = sections[""]
    elif section in sections:
        found = sections[section]
    else:
        there = ", ".join(name for name in sections if name) or "none"
        raise FormatError(f"{path}: there are no weights called {section}. Sections of this file: {there}.")
    if n_features is None:
        n_features = len(found)
    weights = np.full(n_features, np.nan)
    for number, (feature, weight) in found:
        where = f"{path}, line {number}"
        if not 1 <= feature <= n_features:
            raise FormatError(f"{where}: expected features 1 to {n_features}, got feature {feature}.")
        if not np.isnan(weights[feature - 1]):
            raise FormatError(f"{where}: feature {feature} has a weight already. Give every feature one.")
        weights[feature - 1] = weight
    if np.isnan(weights).any():
        feature = int(np.flatnonzero(np.isnan(weights))[0]) + 1
        where = "" if "" in sections else f" in section {section}"
        raise FormatError(f"{path}: feature {feature} of {n_features} has no weight{where}.")
    return weights


def _sections(path: str, text: str) -> dict[str, list[tuple[int, tuple[int, float]]]]:
    """Return the weights by section, each with its line; those outside every section under an empty name."""
    sections: dict[str, list[tuple[int, tuple[int, float]]]] = {}
    name = ""
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.split()
        if not words:
            continue
        if words[0].startswith("#"):
            title = " ".join(words)[1:].strip()
            if title.lower() in MEASURES:
                name = title.lower()
                if name in sections:
                    raise FormatError(f"{path}, line {number}: there are two sections called {name}.")
                sections[name] = []
            continue
        sections.setdefault(name, []).append((number, _weight(f"{path}, line {number}", words)))
    if not any(sections.values()):
        raise FormatError(f"{path}: there are no weights. Expected lines with the number of a feature and its weight.")
    return sections


def _weight(where: str, words: list[str]) -> tuple[int, float]:
    try:
        feature, weight = words
        number = 0.0 if weight == IGNORE else float(weight)
        if not (0 <= number < float("inf")) or not feature.isascii() or not feature.isdigit() or len(feature) > 9:
            raise ValueError
        return int(feature), number
    except ValueError:
        raise FormatError(
            f"{where}: expected the number of a feature and its weight, at least 0 or {IGNORE}; "
            f"got {' '.join(words)[:60]!r}."
        ) from None
