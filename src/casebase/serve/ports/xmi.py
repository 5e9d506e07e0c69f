"""UIMA documents as INCEpTION sends them: read what is needed, and write annotations without touching the rest.

A document (CAS) comes as XMI: a list of elements, one for each annotation, beside the text. Offsets count UTF-16 units,
as in Java; here they count letters. A document is not built anew: new elements are put into its text, so all that
casebase does not know of comes back as it came.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from casebase.errors import CasebaseError

SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
CAS = "http:///uima/cas.ecore"
XMI = "http://www.omg.org/XMI"
MAIN_VIEW = "_InitialView"
NO_PACKAGE = "uima.noNamespace"
# What XML 1.0 cannot contain.
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_TAG = re.compile(r"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")


@dataclass(frozen=True)
class Annotation:
    """An annotation: its type, where it begins and ends in UTF-16 units, and its features as they are written."""

    type: str
    begin: int
    end: int
    features: Mapping[str, str]


@dataclass(frozen=True)
class Document:
    """A document: its text, and its annotations of the types that were asked for, by begin."""

    source: str
    text: str
    annotations: tuple[Annotation, ...]
    sofa: str
    view: tuple[int, int]  # the place of the main view's tag in the source
    largest_id: int
    prefixes: Mapping[str, str] = field(default_factory=dict)  # by namespace

    def of_type(self, name: str) -> list[Annotation]:
        return [one for one in self.annotations if one.type == name]

    @cached_property
    def _units(self) -> list[int]:
        """Where each letter begins, in UTF-16 units; the last number is the end."""
        units = [0]
        for letter in self.text:
            units.append(units[-1] + (2 if ord(letter) > 0xFFFF else 1))
        return units

    def letters(self, units: int) -> int:
        """Return an offset in letters."""
        return units if self.text.isascii() else bisect_left(self._units, units)

    def units(self, letters: int) -> int:
        """Return an offset in UTF-16 units."""
        return letters if self.text.isascii() else self._units[letters]

    def with_annotations(self, type: str, records: Iterable[Mapping[str, str]]) -> str:
        """Return the document with new annotations of a type; each is given by its features."""
        package, _, name = type.rpartition(".")
        namespace = f"http:///{(package or NO_PACKAGE).replace('.', '/')}.ecore"
        prefix = self.prefixes.get(namespace)
        element = f"{prefix}:{name}" if prefix else f"casebase:{name} xmlns:casebase={quoteattr(namespace)}"
        xmi, ids, elements = self.prefixes[XMI], [], []
        for number, features in enumerate(records, self.largest_id + 1):
            ids.append(str(number))
            attributes = "".join(f" {name}={_quoted(value)}" for name, value in features.items())
            elements.append(f'<{element} {xmi}:id="{number}" sofa={quoteattr(self.sofa)}{attributes}/>')
        begin, end = self.view
        view = _with_members(self.source[begin:end], ids)
        return self.source[:begin] + "".join(elements) + view + self.source[end:]


def _quoted(value: str) -> str:
    """Return a value as an attribute; letters that XML cannot contain are replaced."""
    return quoteattr(_CONTROL.sub("\ufffd", value))


def _with_members(view: str, ids: list[str]) -> str:
    """Return the element of a view that has more members."""
    more = " ".join(ids)
    found = re.search(r"""\smembers\s*=\s*(["'])""", view)
    if found is None:
        end = len(view) - (2 if view.endswith("/>") else 1)
        return f'{view[:end]} members="{more}"{view[end:]}'
    close = view.index(found[1], found.end())
    return f"{view[:close]}{' ' if close > found.end() else ''}{more}{view[close:]}"


def read_document(source: str, wanted: Iterable[str]) -> Document:
    """Return a document with its annotations of the wanted types."""
    reader = _Reader(frozenset(wanted))
    data = parse_xml(reader, source, "The document")
    text, sofa = reader.text_and_sofa()
    if XMI not in reader.prefixes:
        raise CasebaseError("The document is no XMI: its root does not have the namespace of XMI.")
    if sofa not in reader.views:
        raise CasebaseError("The document has no view of its text: there is no cas:View element for it.")
    begin = len(data[: reader.views[sofa]].decode())
    body = data.decode()
    tag = _TAG.match(body, begin)
    assert tag is not None
    own = [one for at, one in reader.annotations if at == sofa]
    own.sort(key=lambda one: (one.begin, -one.end))
    return Document(body, text, tuple(own), sofa, (begin, tag.end()), reader.largest_id, reader.prefixes)


def _as_utf8(source: str) -> bytes:
    if not isinstance(source, str):
        raise CasebaseError(f"Expected an XML document as text, got {type(source).__name__}.")
    # The declaration may name another encoding, but the text has come as JSON.
    body = re.sub(r"^\s*<\?xml[^>]*\?>", '<?xml version="1.0" encoding="UTF-8"?>', source, count=1)
    return body.encode("utf-8", "replace")


class Handler(Protocol):
    """What is told of an XML document while it is read."""

    parser: expat.XMLParserType

    def start(self, name: str, attributes: dict[str, str]) -> None: ...
    def end(self, name: str) -> None: ...
    def text(self, data: str) -> None: ...


def parse_xml(handler: Handler, source: str, what: str) -> bytes:
    """Read an XML document that came as text; return its bytes, in which the parser counts. `what` names it in errors.

    A document type declaration is refused: what comes from outside defines no entities.
    """
    data = _as_utf8(source)
    parser = expat.ParserCreate("utf-8")
    handler.parser = parser
    parser.StartElementHandler = handler.start
    parser.EndElementHandler = handler.end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise CasebaseError(f"{what} is not well-formed XML: {error}.") from error
    return data


def _refuse_doctype(*_: object) -> None:
    raise CasebaseError("A document type declaration is not allowed here.")


def _is_whole(text: str) -> bool:
    return text.isdecimal() and len(text) <= 18  # Python converts no text of thousands of digits


class _Reader:
    """Collects the text, the wanted annotations and the views of a document."""

    parser: expat.XMLParserType

    def __init__(self, wanted: frozenset[str]) -> None:
        self.prefixes: dict[str, str] = {}
        self.annotations: list[tuple[str, Annotation]] = []
        self.views: dict[str, int] = {}  # where the element begins, in bytes, by the id of the sofa
        self.sofas: dict[str, tuple[str, str]] = {}  # name and text by id
        self.largest_id = 0
        self._wanted = wanted
        self._packages: dict[str, str] = {}  # by prefix

    def start(self, name: str, attributes: dict[str, str]) -> None:
        for key, value in attributes.items():
            if key.startswith("xmlns:"):
                self.prefixes.setdefault(value, key[6:])
                self._packages[key[6:]] = value.removeprefix("http:///").removesuffix(".ecore").replace("/", ".")
        prefix, _, local = name.rpartition(":")
        id = attributes.get(f"{self.prefixes.get(XMI, 'xmi')}:id", "")
        self.largest_id = max(self.largest_id, int(id) if _is_whole(id) else 0)
        package = self._packages.get(prefix, "")
        if package == "uima.cas" and local == "Sofa":
            self.sofas[id] = (attributes.get("sofaID", ""), attributes.get("sofaString", ""))
        elif package == "uima.cas" and local == "View":
            self.views[attributes.get("sofa", "")] = self.parser.CurrentByteIndex
        type = local if package in ("", NO_PACKAGE) else f"{package}.{local}"
        begin, end = attributes.get("begin", ""), attributes.get("end", "")
        if type in self._wanted and _is_whole(begin) and _is_whole(end):
            annotation = Annotation(type, int(begin), int(end), attributes)
            self.annotations.append((attributes.get("sofa", ""), annotation))

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass

    def text_and_sofa(self) -> tuple[str, str]:
        """Return the text of the main view, and the id of its sofa."""
        if not self.sofas:
            raise CasebaseError("The document has no text: there is no cas:Sofa element.")
        main = [id for id, (name, _) in self.sofas.items() if name == MAIN_VIEW]
        sofa = main[0] if main else next(iter(self.sofas))
        return self.sofas[sofa][1], sofa


class _Types:
    """Collects the features of each type of a type system."""

    parser: expat.XMLParserType

    def __init__(self) -> None:
        self.features: dict[str, set[str]] = {}
        self.supertype: dict[str, str] = {}
        self._path: list[str] = []
        self._text: list[str] = []
        self._type = ""

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name.rpartition(":")[2])
        self._text = []

    def text(self, data: str) -> None:
        self._text.append(data)

    def end(self, name: str) -> None:
        inside, text = self._path[-2:], "".join(self._text).strip()
        if inside == ["typeDescription", "name"]:
            self._type = text
            self.features.setdefault(text, set())
        elif inside == ["typeDescription", "supertypeName"]:
            self.supertype[self._type] = text
        elif inside == ["featureDescription", "name"]:
            self.features[self._type].add(text)
        self._path.pop()
        self._text = []


def features_of(type_system: str, name: str) -> frozenset[str] | None:
    """Return the features of a type and of the types above it; None if the type system does not have it."""
    types = _Types()
    parse_xml(types, type_system, "The type system")
    if name not in types.features:
        return None
    found: set[str] = set()
    seen: set[str] = set()
    while name in types.features and name not in seen:
        seen.add(name)
        found |= types.features[name]
        name = types.supertype.get(name, "")
    return frozenset(found)
