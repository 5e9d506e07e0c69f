"""Settings that several families share, each described once."""

from typing import Any

from casebase.base.checks import checked_metric, checked_missing
from casebase.base.settings import setting
from casebase.data.folds import checked_seed
from casebase.measures.quirks import PROGRAMS, quirks_of
from casebase.measures.votes import NORMALISATIONS, checked_normalisation


def normalisation() -> Any:
    return setting(
        "smoothed",
        '"smoothed", "probability", "log_probability" or float',
        "How votes become the probabilities of `predict_proba` and `--proba`: smoothed towards the class frequencies, "
        "by as much as held-out training cases need; as they are; by the logarithm of 1 + votes; or with this number "
        "added to the votes of every class.",
        checked_normalisation,
        kind="normalisation",
        metavar="|".join(NORMALISATIONS) + "|NUMBER",
    )


def metric(help: str) -> Any:
    return setting("overlap", "str or dict", help, checked_metric, kind="metric", metavar="NAME|FEATURE=NAME,…")


def missing(help: str) -> Any:
    ways = ("value", "unknown")
    return setting("value", '{"value", "unknown"}', help, checked_missing, kind="choice", choices=ways)


def compat(help: str) -> Any:
    return setting(None, '{None, "timbl"}', help, quirks_of, kind="choice", choices=tuple(PROGRAMS))


def random_state(help: str) -> Any:
    return setting(0, "int", help, checked_seed, kind="seed")
