"""A list of explanations with a short text and a notebook form."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, SupportsIndex, TypeVar, overload

from casebase.base.evidence.explanation import Explanation
from casebase.render.page import render_list
from casebase.render.words import plural, shorten

N_SHOWN = 10

E = TypeVar("E", bound=Explanation)


class Explanations(list[E]):
    """Explanations, one for each query; `about` says what they are about: the class variable, the learner, the data.

    It is a list. Printed, it shows the first predictions in a line each; a notebook shows predictions to open. `about`
    may be given as a function, which is called when it is first needed.
    """

    def __init__(
        self, records: Iterable[E] = (), about: Mapping[str, str] | Callable[[], Mapping[str, str]] | None = None
    ) -> None:
        super().__init__(records)
        self._about = about

    @property
    def about(self) -> Mapping[str, str]:
        """What a page of these explanations begins with."""
        if callable(self._about):
            self._about = self._about()
        return self._about or {}

    @overload
    def __getitem__(self, at: SupportsIndex) -> E: ...
    @overload
    def __getitem__(self, at: slice) -> "Explanations[E]": ...
    def __getitem__(self, at: SupportsIndex | slice) -> "E | Explanations[E]":
        if isinstance(at, slice):
            return Explanations(super().__getitem__(at), self._about)
        return super().__getitem__(at)

    def __reduce__(self) -> tuple[Any, ...]:
        return Explanations, (list(self), dict(self.about))

    def _title(self) -> str:
        targets = {record.headline().target for record in self[:N_SHOWN]} - {""}
        of = f" of {shorten(targets.pop(), 40)}" if len(targets) == 1 else ""
        return f"{plural(len(self), 'prediction')}{of}"

    def __repr__(self) -> str:
        heads = [record.headline() for record in self[:N_SHOWN]]
        answers = [shorten((head.subject and f"{head.subject}: {head.answer}") or head.answer, 40) for head in heads]
        width = max(map(len, answers), default=0)
        marks = ["" if head.is_right is None else "  right" if head.is_right else "  wrong" for head in heads]
        lines = [
            f"  [{i}]  {answer:<{width}}  {head.detail}{mark}".rstrip()
            for i, (answer, head, mark) in enumerate(zip(answers, heads, marks))
        ]
        rest = len(self) - len(heads)
        return "\n".join([self._title(), *lines, *([f"  … and {rest} more"] if rest else [])])

    def _repr_html_(self) -> str:
        return render_list(self, self._title())
