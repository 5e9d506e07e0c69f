"""TiMBL's metric strings: `O:N3:I2,5-7` is overlap, but numeric for feature 3, and 2, 5, 6 and 7 are ignored."""

import re
from dataclasses import dataclass

from casebase.errors import CasebaseError

# TiMBL's letter for each metric, casebase's name, and the name that TiMBL prints.
METRICS = {
    "O": ("overlap", "Overlap"),
    "N": ("numeric", "Numeric"),
    "E": ("euclidean", "Euclidean"),
    "M": ("mvdm", "Value Difference"),
    "J": ("jeffrey", "Jeffrey Divergence"),
    "S": ("jensen_shannon", "Jensen-Shannon Divergence"),
    "L": ("levenshtein", "Levenshtein"),
    "DC": ("dice", "Dice Coefficient"),
    "C": ("cosine", "Cosine Distance"),
    "D": ("dot", "Dot Product"),
    "I": ("ignored", "Ignore"),
}
PER_FEATURE = ("O", "M", "J", "S", "N", "E", "DC", "I")
SIMILARITIES = ("C", "D")
WITH_MATRICES = ("M", "J", "S", "L", "DC")
NUMERIC = ("N", "E")

_RANGES = re.compile(r"(DC|[OMJSNEI])([1-9][0-9]*(?:-[1-9][0-9]*)?(?:,[1-9][0-9]*(?:-[1-9][0-9]*)?)*)")


@dataclass(frozen=True)
class MetricString:
    """The default metric, and the metrics of single features by number from 1; `text` is the whole string.

    >>> read_metrics("O:N3:I2,5-7").per_feature
    {3: 'N', 2: 'I', 5: 'I', 6: 'I', 7: 'I'}
    """

    text: str
    default: str
    per_feature: dict[int, str]

    def of(self, feature: int) -> str:
        """Return the letter of a feature, counted from 1."""
        return self.per_feature.get(feature, self.default)


def read_metrics(text: str) -> MetricString:
    """Parse a metric string."""
    default, *ranges = text.upper().split(":")
    if default not in METRICS or default == "I":
        globals_ = ", ".join(letter for letter in METRICS if letter != "I")
        raise _wrong(text, f"expected one of {globals_} as the metric of all features, got {default or 'nothing'}")
    per_feature: dict[int, str] = {}
    for part in ranges:
        found = _RANGES.fullmatch(part)
        if found is None:
            raise _wrong(
                text,
                f"{part!r} is not one of {', '.join(PER_FEATURE)} with numbers of features, such as N3 or I2,5-7",
            )
        letter = found[1]
        if default in SIMILARITIES and letter != "I":
            raise _wrong(text, f"{METRICS[default][0]} compares whole cases: features can only be ignored (I)")
        for feature in _features(text, found[2]):
            if per_feature.setdefault(feature, letter) != letter:
                raise _wrong(text, f"feature {feature} has two metrics, {per_feature[feature]} and {letter}")
    return MetricString(text, default, per_feature)


def _features(text: str, ranges: str) -> list[int]:
    features: list[int] = []
    for one in ranges.split(","):
        first, _, last = one.partition("-")
        if last and int(last) < int(first):
            raise _wrong(text, f"the range {one} is descending")
        if int(last or first) > 1_000_000:
            raise _wrong(text, f"there is no feature {last or first}")
        features.extend(range(int(first), int(last or first) + 1))
    return features


def _wrong(text: str, why: str) -> CasebaseError:
    return CasebaseError(f"Option -m {text}: {why}. Example: -m O:N3:I2,5-7.")


def feature_ranges(features: list[int]) -> str:
    """Return numbers of features as TiMBL lists them.

    >>> feature_ranges([2, 5, 6, 7])
    '2,5-7'
    """
    parts: list[list[int]] = []
    for feature in features:
        if parts and feature == parts[-1][1] + 1:
            parts[-1][1] = feature
        else:
            parts.append([feature, feature])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)
