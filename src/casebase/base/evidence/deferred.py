"""Fields of evidence that are made when they are first read."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Deferred(Generic[T]):
    """A field of a dataclass whose value may be given as a function, which is called when the field is first read.

    An answer is found in codes; to write out what led to it in names and values takes longer than to find it. The
    function must depend on nothing that can change later.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Sum:
    ...     total: Deferred[int] = Deferred()
    >>> Sum(lambda: 1 + 2) == Sum(3)
    True
    """

    def __init__(self, *default: T) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, record: object | None, owner: type) -> T:
        if record is None:  # a dataclass asks for the default of the field
            if not self.default:
                raise AttributeError(self.name)
            return self.default[0]
        value: Any = record.__dict__[self.name]
        if callable(value):
            value = record.__dict__[self.name] = value()
        made: T = value
        return made

    def __set__(self, record: object, value: T | Callable[[], T]) -> None:
        record.__dict__[self.name] = value
