"""Settings that the methods of this family share: how features are weighed and compared, and how neighbours vote."""

from dataclasses import dataclass
from typing import Any, ClassVar

from casebase.base import common
from casebase.base.answers import Preference, preference_of
from casebase.base.checks import check_flag, check_optional_whole, checked_missing
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
    """Refuse a name that is no weighting; whether there is a number per feature is checked when there is a table."""
    if isinstance(weighting, str):
        measure_named(weighting)


def weighting(default: str, help: str) -> Any:
    metavar = "NAME|W1,W2,…|FILE[:NAME]"
    return setting(default, "str or array", help, checked_weighting, kind="weighting", metavar=metavar)


@dataclass(frozen=True, kw_only=True)
class RelevanceSettings(Settings):
    """What the features of a memory weigh, and how their values are compared."""

    weighting: Any = weighting(
        "gain_ratio",
        f'Relevance of the features: {", ".join(WEIGHTINGS)}, or one weight per feature. "none" is IB1, '
        '"information_gain" and "gain_ratio" are IB1-IG; "standard_deviation" is for tables of numbers only, "relief" '
        "compares near cases.",
    )
    metric: MetricNames = common.metric(
        'How values are compared. Symbols: "overlap" (equal or not), "mvdm", "jeffrey", "jensen_shannon" (by the '
        'classes with which they occur), "levenshtein", "dice" (by their letters); columns of floats are numeric all '
        'the same. Numbers: "numeric", "euclidean", and, of whole rows, "cosine", "dot". Or a dict from feature names '
        'or positions to a metric or "ignored"; features that it does not name are compared by "overlap", floats by '
        '"numeric".'
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
        "Use only this many features, the most relevant ones.",
        check_optional_whole("feature_limit", "how many features, by relevance, are used", 1),
        kind="whole",
    )
    missing: str = common.missing("Whether a missing value is a value like any other, or agrees with nothing.")
    compat: str | None = common.compat(
        'With "timbl", do as TiMBL does where it departs from the usual definitions; see the page on ties and unknown '
        "values."
    )
    order_by: Any = internal(None)  # numbers that order the features in place of their weights

    @property
    def quirks(self) -> Quirks:
        """Where the program that is imitated departs from the usual definitions."""
        return quirks_of(self.compat)

    def prepared(self, cases: Cases) -> Prepared:
        """Return the cases with everything that is decided about their features."""
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
    """How many neighbours vote, and how much each of them counts."""

    first: ClassVar[str] = "k"

    k: int = setting(
        1,
        "int",
        "Number of distinct distances that vote; all cases at those distances do.",
        checked_k,
        kind="whole",
        option="-k",
    )
    vote: str = setting(
        "equal",
        '{"equal", "inverse_distance", "inverse_linear", "exponential"}',
        "How much a case counts by its distance.",
        checked_vote,
        kind="choice",
        choices=tuple(VOTES),
    )
    decay_alpha: float = setting(
        1.0,
        "float",
        "The exponential vote counts a case exp(-alpha · distance ** beta).",
        lambda alpha: checked_decay(alpha, 1.0),
        kind="number",
    )
    decay_beta: float = setting(
        1.0, "float", "The power in the exponential vote.", lambda beta: checked_decay(1.0, beta), kind="number"
    )
    threshold: int = setting(
        1,
        "int",
        'Number of cases that a value needs to be compared by its classes ("mvdm", "jeffrey", "jensen_shannon"); rarer '
        "values are at distance 1 from all others.",
        checked_threshold,
        kind="whole",
    )
    exact_match: bool | str = setting(
        False,
        'bool or "never"',
        'Whether identical stored cases decide alone whatever k; with False they do at k = 1, with "never" not even '
        "then.",
        checked_exact_match,
        kind="flag",
    )
    clip: float = internal(CLIP, checked_clip)  # how many values a table of differences has; TiMBL's option -c

    def voting(self, cases: Cases) -> Voting:
        """Return how the neighbours of a query vote in a memory of these cases."""
        return self.voting_by(preference_of(cases, self.quirks))

    def voting_by(self, preference: Preference) -> Voting:
        """Return how the neighbours of a query vote, and by which preference ties are decided."""
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
