"""Settings: the parameters of a method as a frozen record that checks itself.

Each method has one record. `fit` takes it, a model keeps it, and a model file stores all of it, so that a changed
default never changes a saved model. The parameters of the estimators, their documentation and the options of the
command line are generated from the record: each parameter is defined once.
"""

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from typing import Any, ClassVar, Self

import numpy as np

from casebase.base.parameters import plain_parameters, restored_parameters
from casebase.data import Cases
from casebase.errors import CasebaseError, unknown_name


@dataclass(frozen=True)
class About:
    """The description of a setting: everything besides its name and its default.

    `takes` is the accepted type, as the documentation shows it; `check` raises an error for anything else. `kind` says
    how the command line parses it ("whole", "number", "share", "flag", "choice", "text" and a few special kinds);
    `word` is a word accepted in place of a number, or several with a bar between them. `option` is the name on the
    command line, if it differs. Settings without a help text are internal and not offered to users.
    """

    takes: str
    help: str
    check: Callable[[Any], object] | None = None
    kind: str = "text"
    choices: tuple[str, ...] = ()
    word: str | None = None
    option: str | None = None
    metavar: str | None = None

    @property
    def is_public(self) -> bool:
        return bool(self.help)


def setting(default: Any, takes: str, help: str, check: Callable[[Any], object] | None = None, **about: Any) -> Any:
    """Return a field of a settings record."""
    return field(default=default, metadata={"about": About(takes, help, check, **about)})


def internal(default: Any, check: Callable[[Any], object] | None = None) -> Any:
    """Return a field that only the library sets."""
    return field(default=default, metadata={"about": About("", "", check)})


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Base class of the records: values are plain Python, and are checked by the constructor."""

    first: ClassVar[str] = ""  # the setting that estimators accept as a positional argument
    # Settings that model files of earlier versions do not have, with the values that these models were made with.
    added: ClassVar[Mapping[str, Any]] = {}

    def __post_init__(self) -> None:
        for one in fields(self):
            value = plain(getattr(self, one.name))
            object.__setattr__(self, one.name, value)
            check = about(one).check
            if check is not None:
                check(value)

    @classmethod
    def of(cls, settings: Self | None, values: Mapping[str, Any]) -> Self:
        """Return the record itself, or a new record of the values and the defaults."""
        if settings is None:
            known = [one.name for one in fields(cls)]
            for name in values:
                if name not in known:
                    raise CasebaseError(unknown_name("setting", name, list(cls.public())))
            return cls(**values)
        if not isinstance(settings, cls):
            raise CasebaseError(
                f"Expected a {cls.__module__}.{cls.__name__}, or settings by name such as "
                f"{next(iter(cls.public()))}=…; got {settings!r}."
            )
        if values:
            raise CasebaseError(f"Pass a record of settings or settings by name, not both: {', '.join(values)}.")
        return settings

    @classmethod
    def public(cls) -> dict[str, "Field[Any]"]:
        """Return the settings that users can choose, with the one named `first` in front."""
        offered = {one.name: one for one in fields(cls) if about(one).is_public}
        return {name: offered[name] for name in sorted(offered, key=lambda name: name != cls.first)}

    def before_fit(self, cases: Cases) -> Cases:
        """Return the cases that the method learns from: those given, unless numbers are to be cut first."""
        return cases

    def for_sample(self) -> Self:
        """Return settings for a temporary model that answers only once."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return all settings in a form that JSON can represent."""
        return plain_parameters({one.name: getattr(self, one.name) for one in fields(self)})

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Self:
        """Return the settings in a model file, which must have all of them: defaults may change between versions."""
        record = {**cls.added, **record}
        require_all(record, cls)
        return cls(**restored_parameters(dict(record)))


def require_all(record: Mapping[str, Any], kind: type[Any]) -> None:
    """Raise an error unless a record in a file has exactly the settings of this version."""
    names = {one.name for one in fields(kind)}
    if set(record) != names:
        differing = ", ".join(sorted(names ^ set(record)))
        raise ValueError(f"its settings are not those of this version of casebase ({differing})")


def about(one: "Field[Any]") -> About:
    """Return the description of a field of a settings record."""
    description = one.metadata["about"]
    assert isinstance(description, About)
    return description


def plain(value: Any) -> Any:
    """Return a value without NumPy's types."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.item() if isinstance(value, np.generic) else value
