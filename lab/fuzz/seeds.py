"""Write the seeds of the corpus anew: `python -m lab.fuzz.seeds`. Inputs that once were faults are not touched."""

import io
import zipfile
from datetime import date

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from casebase.hyphenation.pattern_files import read_patterns, to_json
from lab.fuzz.targets import CORPUS, HALVES

COMMA = "size,colour,price,class\nsmall,red,1.5,P\nlarge,blue,2.25,Q\nsmall,blue,,P\nlarge,red,0.5,Q\n"
ROWS = "small red 1.5 P\nlarge blue 2.25 Q\nsmall blue 3 P\nlarge red 0.5 Q\n"
ARFF = (
    "% a comment\n@relation things\n@attribute size {small,large}\n@attribute 'the price' numeric\n"
    "@attribute colour string\n@attribute class {P,Q}\n@data\nsmall,1.5,'light, red',P\nlarge,?,\"bl\\'ue\",Q\n"
    "small, 2.5 , red,P\n'large',3e1,'',Q\n"
)
JSONL = (
    '{"size": "small", "price": 1.5, "ok": false, "class": "P"}\n{"size": "large", "price": null, "class": "Q"}\n'
    '{"price": 2, "size": "s\\u00e9", "ok": true, "class": "P"}\n'
)
KINDS = (
    "id,when,size,ok,price,note,class\n1,2024-05-01,low,yes,1.5,a b,P\n2,2024-06-01,high,no,2.5,c d,Q\n"
    "3,2025-06-02,medium,yes,3.5,e f,P\n4,2025-07-03,low,no,4.5,,Q\n5,,high,yes,5.5,h,P\n"
)
BASE = (
    "# Status: complete\n# Permutation: < 1, 2! 3 >\n# Numeric: .\n# Bin_Size: 20\n# Version 4 (Hashed)\n#\nClasses\n"
    "1\tP\n2\tQ\nFeatures\n1\ta\n2\tx\n3\tNew\\_York\n\n(1{ 1 3, 2 1 }[1(1[2(1{ 1 2 })\n,3(2{ 2 1 })\n]\n)\n"
    ",3(1[2(1{ 1 1 })\n]\n)\n]\n)\n"
)
PRUNED = (
    "# Status: pruned\n# Permutation: < 2, 1, 3 >\n# Numeric: .\n# Bin_Size: 20\n# Version 4 (Hashed)\n#\nClasses\n"
    "1\tP\n2\tQ\nFeatures\n1\ta\n2\tx\n3\ty\n\n(1{ 1 3, 2 1 }[2(1)\n,3(2[1(2)\n]\n)\n]\n)\n"
)
NAMED = (
    "# Status: complete\n# Permutation: < 1, 2, 3 >\n# Numeric: 3.\n# Ranges: 3 [0-2.5] .\n# Bin_Size: 20\n"
    "# Version 4\n#\n"
    "(P { P 2, Q 1 }[a (P [b (P [1 (P { P 2 })\n]\n)\n]\n)\n,c (Q [b (Q [2.5 (Q { Q 1 })\n]\n)\n]\n)\n]\n)\n"
)
WEIGHTS = (
    "# DB Entropy: 1.5\n# Classes: 2\n# Lines of data: 4\n# nw\n# Fea.\tWeight\n1\t1\n2\t1\n3\t1\n#\n"
    "# gr\n# Fea.\tWeight\n1\t0.25\n2\tIgnore\n3\t1e-05\n#\n"
)
TEX = "\\patterns{ % comment\n.hy3ph 1na n2at 4te.\n^^e9t2\n}\n\\hyphenation{ta-ble as-so-ciate}\n"
DIC = "UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 3\n% comment\n.hy3ph\n1na\nn2at\n4te.\n"
CHANGES = f"{DIC}c1k/k=k,1,2\n"
COMPOUNDS = (
    "UTF-8\nLEFTHYPHENMIN 2\nRIGHTHYPHENMIN 2\nCOMPOUNDLEFTHYPHENMIN 2\nCOMPOUNDRIGHTHYPHENMIN 2\nNOHYPHEN ',-\n"
    "f1f1f\nschif1f/ff=f,5,2\nNEXTLEVEL\n1ta\n1ze\n.e1\n"
)
TAGGED = "The/D dog/N barks/V ./.\nA/D cat/N and/C/or/C a/D dog/N\n\nIt/P 's/V 1\\/2/M\n"
TSV = "The\tD\ndog\tN\nbarks\tV\n\nA\tD\ncat\tN\n<utt>\nIt\tP\nruns\tV\n"
CONLL = "The DT B-NP\ndog NN I-NP\nbarks VBZ B-VP\n. . O\n\nIt PRP B-NP\nruns VBZ B-VP\n"
CONLLU = (
    "# sent_id = 1\n# text = The dog doesn't\n1\tThe\tthe\tDET\tDT\tDefinite=Def\t2\tdet\t_\t_\n"
    "2\tdogs\tdog\tNOUN\tNN\tNumber=Plur\t0\troot\t_\t_\n3-4\tdon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "3\tdo\tdo\tAUX\tVB\t_\t2\taux\t_\t_\n4\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t_\tSpaceAfter=No\n"
    "4.1\tbark\tbark\tVERB\t_\t_\t_\t_\t_\t_\n\n1\tIt\tit\tPRON\tPRP\t_\t0\troot\t_\t_\n\n"
)
TEXT = "Mr. Smith went home. It's 5.30 p.m. in the U.S., he said: \"No!\"\nThe dog barks; the cat doesn't.\n"
DICT = ";;; comment\nPHONE  F OW1 N\nPHONE(2)  F OW0 N\ntax 1 T AE1 K S # note\nEAT  IY1 T\nTEA  T IY1\n"
XMI = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" '
    'xmlns:cas="http:///uima/cas.ecore" xmlns:tcas="http:///uima/tcas.ecore" '
    'xmlns:t="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" xmi:version="2.0">\n'
    '<cas:NULL xmi:id="0"/>\n<t:Sentence xmi:id="10" sofa="1" begin="0" end="9"/>\n'
    '<t:Token xmi:id="17" sofa="1" begin="0" end="3"/>\n<t:Token xmi:id="24" sofa="1" begin="4" end="9"/>\n'
    '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="The d&#233;gs"/>\n'
    '<cas:View sofa="1" members="10 17 24"/>\n</xmi:XMI>\n'
)


def _both(one: str, other: str | None = None) -> bytes:
    return one.encode() + HALVES + (one if other is None else other).encode()


def _table() -> pa.Table:
    return pa.table(
        {
            "size": pa.array(["small", "large", None]).dictionary_encode(),
            "price": [1.5, 2.5, None],
            "n": pa.array([1, 2, 3], pa.int8()),
            "when": [date(2024, 1, 1), None, date(2025, 2, 3)],
            "class": ["P", "Q", "P"],
        }
    )


def _written(write: object, **options: object) -> bytes:
    sink = pa.BufferOutputStream()
    write(_table(), sink, **options)  # type: ignore[operator]
    return bytes(sink.getvalue())


def _stream() -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _table().schema) as writer:
        writer.write_table(_table())
    return bytes(sink.getvalue())


def _workbook() -> bytes:
    """Return a small workbook (xlsx), written by hand: no program is needed for it."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    rows: list[list[str | float]] = [
        ["size", "price", "class"],
        ["small", 1.5, "P"],
        ["large", 2, "Q"],
        ["", 45000.5, "P"],
    ]
    cells = "".join(
        f'<row r="{i}">'
        + "".join(
            f'<c r="{"ABC"[j]}{i}"><v>{cell}</v></c>'
            if isinstance(cell, float | int)
            else f'<c r="{"ABC"[j]}{i}" t="inlineStr"><is><t>{cell}</t></is></c>'
            for j, cell in enumerate(row)
        )
        + "</row>"
        for i, row in enumerate(rows, 1)
    )
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    members = {
        "[Content_Types].xml": f'{head}<Types xmlns="{package}/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/></Types>',
        "_rels/.rels": f'{head}<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{head}<workbook xmlns="{main}" xmlns:r="{relations}"><sheets><sheet name="One" '
        'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{head}<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'{head}<worksheet xmlns="{main}"><sheetData>{cells}</sheetData></worksheet>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def seeds() -> dict[str, list[bytes]]:
    """Return the seeds of each target."""
    texts = {
        "csv": [COMMA, KINDS, COMMA.replace(",", ";").replace(".", ","), '"a","b ""c""",P\n"x\ny",z,Q\n'],
        "tsv": [COMMA.replace(",", "\t"), KINDS.replace(",", "\t")],
        "columns": [ROWS],
        "tabbed": [ROWS.replace(" ", "\t")],
        "compact": ["abcP\nabdQ\nxbcP\néßdQ\n"],
        "c45": [ROWS.replace(" ", ", ").replace("\n", ".\n")],
        "arff": [ARFF],
        "sparse": ["(2,red)(4,4.5) P\n(1,blue) Q\n (3,1)(4,x)P\nR\n"],
        "binary": ["1,3,P\n2,Q\n4,5,9,P\nQ\n"],
        "jsonl": [JSONL, '[{"a": 1, "class": "P"}, {"a": "x", "class": "Q"}]'],
        "any-table": [COMMA, ROWS, ARFF, JSONL, "(2,red)(4,4.5) P\n(1,blue) Q\n"],
        "line": ["male,20,C", "sex=male, age=3", "20.5,x", 'deck="C, D", sex=f', "1 x"],
        "ids": ["1\n2\n3\n", "a\nb\n\nc\n"],
        "weights": [WEIGHTS, "1 0.5\n2 0.25\n3 0\n"],
        "patterns-tex": [TEX],
        "patterns-dic": [DIC],
        "patterns-json": [to_json(read_patterns(DIC.encode())), _json_of_classes()],
        "any-patterns": [TEX, DIC, CHANGES],
        "dictionary": [CHANGES, COMPOUNDS],
        "hyphenated-words": ["ta-lo\nka-la\t3\nsa-na\npa-la-ta\nkissa\n"],
        "corpus-tagged": [TAGGED],
        "corpus-tsv": [TSV],
        "corpus-conll2000": [CONLL],
        "corpus-conllu": [CONLLU],
        "corpus-tokens": ["The dog barks .\nA cat\n\n"],
        "corpus-text": [TEXT],
        "language-model": [TEXT, "The dog barks .\nA cat barks .\n"],
        "pronunciations": [DICT],
        "strings": ["|cat\tK\n|city\tS\t2\nma|cho\tK\n|cent\tS\n"],
        "document": [XMI],
    }
    numeric = ROWS.replace("red", "7").replace("blue", "8")
    pairs = {
        "predict": [
            _both(COMMA),
            _both(KINDS),
            _both(COMMA, COMMA.replace("red", "1.5").replace("blue", "2.5")),
            _both(JSONL),
            _both(ARFF),
            _both(ROWS),
        ],
        "timbl-data": [_both(ROWS), _both(numeric, ROWS)],
        "timbl-base": [
            _both(BASE, "a x 1 P\nNew\\_York x 2 Q\n"),
            _both(PRUNED, "a x 1 P\n"),
            _both(NAMED, "a b 1 P\nc b 2 Q\n"),
        ],
        "timbl-weights": [_both(WEIGHTS, ROWS)],
        "any-corpus": [_both(TAGGED), _both(TSV), _both(CONLLU)],
        "parquet": [
            _written(pyarrow.parquet.write_table),
            _written(pyarrow.parquet.write_table, compression="none", use_dictionary=False),
        ],
        "feather": [
            _written(pyarrow.feather.write_feather, compression="uncompressed"),
            _stream(),
        ],
        "excel": [_workbook()],
    }
    return {name: [text.encode() for text in some] for name, some in texts.items()} | pairs


def _json_of_classes() -> str:
    return (
        '{"format": "casebase patterns", "version": 1, "default_allows": true, "left_min": 1, "right_min": 1, '
        '"classes": {"a": "V", "e": "V", "t": "C"}, "patterns": [{"text": "CV", "offset": 1, "level": 2, '
        '"is_classes": true, "support": 1.0}, {"text": "ta", "offset": 1, "level": 3, "is_classes": false, '
        '"support": 2.5}]}\n'
    )


def main() -> None:
    for name, some in seeds().items():
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("seed-*"):
            old.unlink()
        for number, data in enumerate(some):
            (folder / f"seed-{number}").write_bytes(data)


if __name__ == "__main__":
    main()
