"""The parameters of an estimator, derived from the settings of its method, where they are defined once."""

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from typing import Any

from casebase.base.settings import Settings, about

PLACE = "{parameters}"
WIDTH = 108


@dataclass(frozen=True)
class Own:
    """A parameter of an estimator that is not a setting of its method."""

    default: Any
    takes: str
    help: str


N_JOBS = {"n_jobs": Own(None, "int, optional", "Number of threads; 1 by default, -1 for all cores.")}
KINDS = {
    "kinds": Own(
        None,
        '"auto" or dict, optional',
        'The kinds of the columns. With "auto", the default of the autopilot and its readings, they are found: number, '
        "ordinal, symbol, truth, date, key, constant or text, of which the last three are left out. By default the "
        'other methods take floats as numbers and everything else as a symbol. A dict such as `{"pclass": "ordinal"}` '
        "gives some columns, by name or number, another kind.",
    ),
    "ignore": Own(
        None,
        "list of columns, optional",
        "Columns, by name or number, that are left out: not learned from, not shown, and not needed in new tables.",
    ),
    "keep": Own(
        None,
        "list of columns, optional",
        "Columns of provenance, by name or number, such as a source or an annotator: they are not learned from and "
        "never compared, but stored with the cases and quoted with them. A method that stores no cases only leaves "
        "them out, with a warning.",
    ),
}


def take_settings(estimator: type[Any], settings: type[Settings], own: Mapping[str, Own]) -> None:
    """Give an estimator class the settings of its method as parameters, and document them in its docstring."""
    estimator.__init__ = _constructor(settings, own)
    if estimator.__doc__ is not None:
        estimator.__doc__ = _docstring(estimator.__doc__, settings, own)


def _constructor(settings: type[Settings], own: Mapping[str, Own]) -> Callable[..., None]:
    """Return an `__init__` that only assigns, as scikit-learn requires; only the first parameter may be positional."""
    defaults = {name: one.default for name, one in settings.public().items()}
    defaults |= {name: one.default for name, one in own.items()}
    first = next(iter(defaults))
    parameters = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD if name == first else Parameter.KEYWORD_ONLY, default=default)
        for name, default in defaults.items()
    ]
    signature = Signature([Parameter("self", Parameter.POSITIONAL_OR_KEYWORD), *parameters])

    def __init__(self: Any, *given: Any, **named: Any) -> None:
        bound = signature.bind(self, *given, **named)
        bound.apply_defaults()
        for name in defaults:
            setattr(self, name, bound.arguments[name])

    # scikit-learn reads the parameters from here; `inspect` documents the attribute, typeshed does not declare it.
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def _docstring(text: str, settings: type[Settings], own: Mapping[str, Own]) -> str:
    """Return a docstring with the parameters filled in, in numpydoc's format."""
    entries = [
        f"{name} : {known.takes}{_default(one.default)}\n{_indent(known.help)}"
        for name, one in settings.public().items()
        for known in [about(one)]
    ]
    entries += [f"{name} : {one.takes}{_default(one.default)}\n{_indent(one.help)}" for name, one in own.items()]
    return text.replace(PLACE, textwrap.indent("\n".join(entries), "    ").lstrip())


def _default(default: Any) -> str:
    if default is None:
        return ""
    return f', default="{default}"' if isinstance(default, str) else f", default={default!r}"


def _indent(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False)
