"""Settings that the methods of this family share: feature weights, metrics, and the vote of the neighbours."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from casebase.base import common, intervals
from casebase.base.answers import Preference, preference_of
from casebase.base.checks import check_flag, check_optional_whole, checked_missing
from casebase.base.intervals import NOT_CUT, CutsFirst
from casebase.base.settings import Settings, internal, setting
from casebase.data import Cases
from casebase.measures.distances import MetricNames
from casebase.measures.quirks import Quirks, quirks_of
from casebase.measures.votes import VOTES, Normalisation, checked_decay, checked_normalisation, checked_vote
from casebase.measures.weights import WEIGHTINGS, measure_named
from casebase.memory.relevance import Prepared, prepare
from casebase.neighbours.comparison import CLIP, checked_clip, checked_threshold
from casebase.neighbours.search import Voting, checked_exact_match, checked_k


def checked_weighting(weighting: Any) -> None:
    """Refuse an unknown name; that an array has one number per feature is checked once the table is known."""
    if isinstance(weighting, str):
        measure_named(weighting)


def weighting(default: str, help: str) -> Any:
    metavar = "NAME|W1,W2,…|FILE[:NAME]"
    return setting(default, "str or array", help, checked_weighting, kind="weighting", metavar=metavar)


@dataclass(frozen=True, kw_only=True)
class RelevanceSettings(CutsFirst, Settings):
    """The weights of the features, and how their values are compared."""

    added: ClassVar[Mapping[str, Any]] = NOT_CUT

    weighting: Any = weighting(
        "gain_ratio",
        f'Relevance of the features: {", ".join(WEIGHTINGS)}, or one weight per feature. "none" is IB1, '
        '"information_gain" and "gain_ratio" are IB1-IG; "standard_deviation" is for numeric tables only; "relief" '
        'compares each case with its nearest neighbours; "learned" tries weights out on held-out cases (IB1 only).',
    )
    metric: MetricNames = common.metric(
        'How values are compared. Symbols: "overlap" (equal or not), "mvdm", "jeffrey", "jensen_shannon" (by the '
        'classes with which they occur), "levenshtein", "dice" (by their letters); columns of floats stay '
        'numeric. Numbers: "numeric", "euclidean", and, for whole rows, "cosine", "dot". Or a dict from feature names '
        'or positions to a metric or "ignored"; other features are compared by "overlap", floats by "numeric".'
    )
    normalisation: Normalisation = common.normalisation()
    diversify: bool = setting(
        False,
        "bool",
        "Subtract the smallest weight from all weights, so that they differ more.",
        check_flag("diversify"),
        kind="flag",
    )
    feature_limit: int | None = setting(
        None,
        "int, optional",
        "Use only this many features, those with the largest weights.",
        check_optional_whole("feature_limit", "the number of features to use, by descending weight", 1),
        kind="whole",
    )
    missing: str = common.missing("Whether a missing value counts as a value of its own, or agrees with no value.")
    discretise: str = intervals.cuts_first()
    n_bins: int = intervals.n_bins()
    compat: str | None = common.compat(
        'With "timbl", imitate TiMBL where it departs from the usual definitions; see the page on ties and unknown '
        "values."
    )
    order_by: Any = internal(None)  # numbers that order the features instead of their weights

    @property
    def quirks(self) -> Quirks:
        """The departures from the usual definitions of the program that `compat` names."""
        return quirks_of(self.compat)

    def prepare(self, cases: Cases) -> Prepared:
        """Return the cases with the metric and the weight of every feature."""
        return prepare(
            cases,
            weighting=self.weighting,
            metric=self.metric,
            diversify=self.diversify,
            feature_limit=self.feature_limit,
            quirks=self.quirks,
            order_by=self.order_by,
        )


@dataclass(frozen=True, kw_only=True)
class NeighbourSettings(RelevanceSettings):
    """How many neighbours vote, and how much each vote counts."""

    first: ClassVar[str] = "k"

    k: int = setting(
        1,
        "int",
        "Number of nearest distinct distances; all cases at these distances vote.",
        checked_k,
        kind="whole",
        option="-k",
    )
    vote: str = setting(
        "equal",
        '{"equal", "inverse_distance", "inverse_linear", "exponential"}',
        "How the weight of a vote depends on the distance: not at all (equal), or by one of three decay functions.",
        checked_vote,
        kind="choice",
        choices=tuple(VOTES),
    )
    decay_alpha: float = setting(
        1.0,
        "float",
        "alpha of the exponential vote, whose weight is exp(-alpha · distance ** beta).",
        lambda alpha: checked_decay(alpha, 1.0),
        kind="number",
    )
    decay_beta: float = setting(
        1.0,
        "float",
        "beta of the exponential vote, the power of the distance.",
        lambda beta: checked_decay(1.0, beta),
        kind="number",
    )
    threshold: int = setting(
        1,
        "int",
        'Smallest number of cases for which the class distribution of a value is used ("mvdm", "jeffrey", '
        '"jensen_shannon"); rarer values are at distance 1 from all others.',
        checked_threshold,
        kind="whole",
    )
    exact_match: bool | str = setting(
        False,
        'bool or "never"',
        'Whether identical stored cases decide alone: with True for every k, with False only for k = 1, with "never" '
        "never.",
        checked_exact_match,
        kind="flag",
    )
    clip: float = internal(CLIP, checked_clip)  # TiMBL's option -c, the size of its tables of value differences

    def voting(self, cases: Cases) -> Voting:
        """Return the voting rules for a memory of these cases."""
        return self.voting_by(preference_of(cases, self.quirks))

    def voting_by(self, preference: Preference) -> Voting:
        """Return the voting rules with this preference, which decides ties."""
        return Voting(
            self.k,
            self.vote,
            checked_missing(self.missing),
            preference,
            checked_decay(self.decay_alpha, self.decay_beta),
            checked_exact_match(self.exact_match),
            checked_normalisation(self.normalisation),
            self.quirks,
        )
