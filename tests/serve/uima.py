"""Requests in the form that INCEpTION sends: a type system and documents (XMI) inside of JSON."""

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import quoteattr

LAYER = "webanno.custom.Part"
NAMESPACES = {
    "pos": "http:///webanno/custom.ecore",
    "tcas": "http:///uima/tcas.ecore",
    "xmi": "http://www.omg.org/XMI",
    "cas": "http:///uima/cas.ecore",
    "type5": "http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore",
}


def type_system(layer: str = LAYER, features: Sequence[str] = ("value",), *, is_new: bool = True) -> str:
    """Return a type system; new versions of INCEpTION add features for scores and explanations."""
    names = list(features)
    if is_new:
        names += [f"{name}{suffix}" for name in features for suffix in ("_score", "_score_explanation")]
        names.append("inception_internal_predicted")
    described = "".join(
        f"<featureDescription><name>{name}</name><description/><rangeTypeName>uima.cas.String</rangeTypeName>"
        "</featureDescription>"
        for name in names
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier">'
        "<types><typeDescription><name>uima.tcas.DocumentAnnotation</name><description/><supertypeName>"
        "uima.tcas.Annotation</supertypeName></typeDescription>"
        f"<typeDescription><name>{layer}</name><description/><supertypeName>uima.tcas.Annotation</supertypeName>"
        f"<features>{described}</features></typeDescription></types></typeSystemDescription>"
    )


def xmi(text: str, sentences: Sequence[Sequence[str]], labels: Sequence[tuple[int, int, str]] = ()) -> str:
    """Return a document with sentences and tokens, and annotations of the layer; offsets are UTF-16 units."""

    def units(letters: int) -> int:
        return len(text[:letters].encode("utf-16-le")) // 2

    elements, ids, at = [], [], 0

    def add(name: str, begin: int, end: int, more: str = "") -> None:
        ids.append(str(10 + 7 * len(ids)))
        elements.append(f'<{name} xmi:id="{ids[-1]}" sofa="1" begin="{units(begin)}" end="{units(end)}"{more}/>\n    ')

    for words in sentences:
        first = text.index(words[0], at)
        for word in words:
            at = text.index(word, at)
            add("type5:Token", at, at + len(word), ' order="0"')
            at += len(word)
        add("type5:Sentence", first, at)
    for begin, end, label in labels:
        add("pos:Part", begin, end, f" value={quoteattr(label)}")
    spaces = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
    sofa = f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString={quoteattr(text)}/>'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?><xmi:XMI {spaces} xmi:version="2.0">\n    <cas:NULL xmi:id="0"/>\n'
        f'    <tcas:DocumentAnnotation xmi:id="8" sofa="1" begin="0" end="{units(len(text))}" language="x"/>\n'
        f'    {"".join(elements)}{sofa}\n    <cas:View sofa="1" members="8 {" ".join(ids)}"/>\n</xmi:XMI>\n'
    )


def metadata(**changes: Any) -> dict[str, Any]:
    return {
        "projectId": 134,
        "layer": LAYER,
        "feature": "value",
        "crossSentence": False,
        "anchoringMode": "tokens",
    } | changes


def prediction(document: str, **changes: Any) -> dict[str, Any]:
    """Return a request to /predict."""
    return {
        "metadata": metadata(**changes),
        "document": {"xmi": document, "documentId": 838, "userId": "klie"},
        "typeSystem": type_system(),
    }


def training(*documents: str) -> dict[str, Any]:
    """Return a request to /train."""
    return {
        "metadata": metadata(range={"begin": 0, "end": 1000}),
        "documents": [{"xmi": one, "documentId": i, "userId": "klie"} for i, one in enumerate(documents)],
        "typeSystem": type_system(),
    }
