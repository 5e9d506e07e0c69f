"""Label Studio's labelling interface: which labels a project has, and which part of a task they are for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from xml.parsers import expat

from casebase.errors import CasebaseError
from casebase.serve.ports.xmi import parse_xml

Kind = Literal["Choices", "Labels"]
VALUES = {"Choice": "Choices", "Label": "Labels"}


@dataclass(frozen=True)
class Control:
    """A control of the interface: its kind, its name, the object that it labels, and its labels."""

    kind: str
    name: str
    target: str
    labels: tuple[str, ...]


@dataclass
class Interface:
    """The controls of an interface, and the names and values of its objects (`$text`)."""

    controls: list[Control] = field(default_factory=list)
    objects: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, config: object) -> "Interface":
        """Return the interface of a project's label config."""
        if not isinstance(config, str):
            raise CasebaseError(f"Expected the label config as XML, got {type(config).__name__}.")
        reader = _Reader()
        parse_xml(reader, config, "The label config")
        return reader.interface()

    def control(self, kind: Kind, name: str | None = None) -> Control:
        """Return the control of a kind: the one with this name, or the only one."""
        found = [one for one in self.controls if one.kind == kind]
        named = [one for one in found if one.name == name]
        if len(named) == 1 or len(found) == 1:
            return (named or found)[0]
        if not found:
            raise CasebaseError(f"The label config has no <{kind}>, in which this model's answers could be shown.")
        names = ", ".join(one.name for one in found)
        raise CasebaseError(f"The label config has several <{kind}>: {names}. Name one of them {name!r}.")

    def text(self, control: Control, data: Mapping[str, Any]) -> str:
        """Return the text of a task that a control labels."""
        kind, value = self.objects.get(control.target, ("", ""))
        if kind != "Text" or not value.startswith("$"):
            raise CasebaseError(f"A tagger labels a <Text>; {control.name!r} labels {kind or 'nothing that there is'}.")
        text = data.get(value[1:])
        if not isinstance(text, str):
            raise CasebaseError(f"Expected the text of a task as {value[1:]!r} of its data, got {type(text).__name__}.")
        return text


class _Reader:
    parser: expat.XMLParserType

    def __init__(self) -> None:
        self._controls: list[tuple[str, str, str, list[str]]] = []
        self._objects: dict[str, tuple[str, str]] = {}

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in VALUES.values():
            self._controls.append((name, attributes.get("name", ""), attributes.get("toName", ""), []))
        elif name in VALUES and self._controls and self._controls[-1][0] == VALUES[name]:
            self._controls[-1][3].append(attributes.get("value", ""))
        elif "name" in attributes and "value" in attributes:
            self._objects[attributes["name"]] = (name, attributes["value"])

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass

    def interface(self) -> Interface:
        controls = [Control(kind, name, target, tuple(labels)) for kind, name, target, labels in self._controls]
        return Interface(controls, self._objects)
