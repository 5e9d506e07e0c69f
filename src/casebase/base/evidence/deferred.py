"""Fields of evidence that are made when they are first read."""

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

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

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, record: None, owner: type) -> Self: ...
    @overload
    def __get__(self, record: object, owner: type) -> T: ...
    def __get__(self, record: object | None, owner: type) -> T | Self:
        if record is None:
            raise AttributeError(self.name)  # so that dataclasses see a field without a default
        value: Any = record.__dict__[self.name]
        if callable(value):
            value = record.__dict__[self.name] = value()
        made: T = value
        return made

    def __set__(self, record: object, value: T | Callable[[], T]) -> None:
        record.__dict__[self.name] = value
