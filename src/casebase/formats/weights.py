"""Files of feature weights: sections such as `# gr`, with a line `number TAB weight` for each feature."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from casebase.errors import FormatError

# The name of a section, and the measure of its weights.
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
    """The facts about the data at the top of a weights file."""

    entropy: float
    n_classes: int
    n_lines: int


def weights_text(
    header: WeightsHeader, sections: Mapping[str, np.ndarray], ignored: set[int], closed: bool = True
) -> str:
    """Return the text of a weights file; `ignored` are positions from 0.

    The weights file that accompanies a pruned instance base has no line that closes its last section.
    """
    lines = [
        f"# DB Entropy: {header.entropy:.6g}",
        f"# Classes: {header.n_classes}",
        f"# Lines of data: {header.n_lines}",
    ]
    if "sd" in sections:
        lines.append("#")  # TiMBL, too, writes this line before a section of standard deviations
    for name, weights in sections.items():
        lines += [f"# {name}", "# Fea.\tWeight"]
        lines += [f"{i + 1}\t{IGNORE if i in ignored else format(float(w), '.15g')}" for i, w in enumerate(weights)]
        lines.append("#")
    return "\n".join(lines if closed else lines[:-1]) + "\n"


def read_weights(path: str, text: str, n_features: int | None, section: str = "gr") -> np.ndarray:
    """Return the weights in one section of a file, or in a file without sections.

    If `n_features` is None, it is the number of lines in the section.

    >>> read_weights("w", "# gr\\n# Fea.\\tWeight\\n1\\t0.5\\n2\\tIgnore\\n#\\n", 2).tolist()
    [0.5, 0.0]
    """
    sections = _sections(path, text)
    if set(sections) == {""}:
        entries = sections[""]
    elif section in sections:
        entries = sections[section]
    else:
        names = ", ".join(name for name in sections if name) or "none"
        raise FormatError(f"{path}: there is no section {section}. Sections of this file: {names}.")
    if n_features is None:
        n_features = len(entries)
    weights = np.full(n_features, np.nan)
    for number, (feature, weight) in entries:
        where = f"{path}, line {number}"
        if not 1 <= feature <= n_features:
            raise FormatError(f"{where}: expected features 1 to {n_features}, got feature {feature}.")
        if not np.isnan(weights[feature - 1]):
            raise FormatError(f"{where}: feature {feature} has two weights. Give each feature one weight.")
        weights[feature - 1] = weight
    if np.isnan(weights).any():
        feature = int(np.flatnonzero(np.isnan(weights))[0]) + 1
        where = "" if "" in sections else f" in section {section}"
        raise FormatError(f"{path}: feature {feature} of {n_features} has no weight{where}.")
    return weights


def _sections(path: str, text: str) -> dict[str, list[tuple[int, tuple[int, float]]]]:
    """Return the weights by section, each with its line number; weights before all sections have an empty name."""
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
        raise FormatError(f"{path}: expected lines with the number of a feature and its weight, got none.")
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
