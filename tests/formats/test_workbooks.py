"""Sheets of workbooks: which one, its header and its cells; and files that are no workbooks."""

import base64
import io
import struct
import sys
import zipfile
import zlib
from datetime import date, datetime, time

import openpyxl
import pytest

from casebase.errors import CasebaseError, FormatError, MissingExtraError
from casebase.formats import read_table, recognise


def workbook(sheets, hidden=()):
    """Return the bytes of a workbook with these sheets, each a list of rows."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        sheet = book.create_sheet(name)
        for line in lines:
            sheet.append(line)
        if name in hidden:
            sheet.sheet_state = "hidden"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


TABLE = [["size", "kind"], ["small", "a"], ["large", "b"]]


def test_cells(rows):
    """Cells are what a CSV export would have: numbers as they are written, dates in ISO order."""
    lines = [
        ["n", "x", "d", "t", "when", "b", "mixed", "c"],
        [1, 1.5, date(2024, 1, 2), time(3, 4), datetime(2024, 1, 2, 3, 4, 5), True, 7, "P"],
        [20, 2, None, None, None, False, "7a", "Q"],
    ]

    assert rows(workbook({"S": lines})) == [
        ["1", 1.5, "2024-01-02", "03:04:00", "2024-01-02 03:04:05", "True", "7", "P"],
        ["20", 2.0, None, None, None, "False", "7a", "Q"],
    ]


def test_class_of_numbers():
    """The class is a symbol even if it has decimals."""
    table = read_table(workbook({"S": [["a", "c"], ["x", 0.5], ["y", 1.5]]}))

    assert table.columns[1].to_pylist() == ["0.5", "1.5"]


def test_first_sheet_with_values(rows):
    """Empty and hidden sheets are passed over, and said so."""
    data = workbook({"Empty": [], "Hidden": [["x", "y"], ["1", "2"]], "Data": TABLE}, hidden=["Hidden"])

    assert rows(data) == TABLE[1:]
    assert read_table(data).recognised == ("sheet 'Data' of 3",)
    assert recognise(data).sheets == ("Empty", "Hidden", "Data")


def test_named_sheet(rows):
    """A sheet can be named, a hidden one too; an unknown name is an error that lists the sheets."""
    data = workbook({"Data": TABLE, "Old": [["a", "b"], ["x", "y"]]}, hidden=["Old"])

    assert rows(data, sheet="Old") == [["x", "y"]]
    with pytest.raises(CasebaseError, match=r"Unknown sheet 'Dat'. Did you mean 'Data'\?"):
        rows(data, sheet="Dat")
    with pytest.raises(CasebaseError, match="csv format takes no sheet"):
        read_table(b"a,b\nc,d\n", format="csv", sheet="Data")


def test_rows_above_the_header(rows):
    """A title and the date of the report are skipped, and shown; empty rows and columns do not count."""
    lines = [
        ["Report"],
        ["printed", date(2024, 1, 2)],
        [],
        ["a", None, "b", "c", "class"],
        ["1", None, "2", "3", "P"],
        [],
        ["1", None, None, "3", "Q"],
    ]
    data = workbook({"S": lines})

    assert rows(data) == [["1", "2", "3", "P"], ["1", None, "3", "Q"]]
    assert recognise(data).above == ("Report", "printed 2024-01-02")
    assert read_table(data).recognised == ("2 rows above the header skipped: Report / printed 2024-01-02",)


def test_data_without_a_header(rows):
    """A first row with missing values and no header after it is data, not a title."""
    lines = [["x", None, None], ["x", 1, "P"], ["y", 2, "Q"], ["x", 3, "P"]]

    assert rows(workbook({"S": lines}), header=False, target=0)[0] == ["x", None, None]
    assert rows(workbook({"S": lines}), target=0)[0] == ["x", None, None]


def test_new_cases_for_a_model():
    """The model's names and values tell whether a sheet of new cases has a header."""
    from casebase.data import Cases

    schema = Cases.from_table(read_table(workbook({"S": TABLE}))).schema

    assert read_table(workbook({"S": [["size"], ["small"]]}), schema=schema).n_rows == 1
    assert read_table(workbook({"S": [["small"], ["large"]]}), schema=schema).n_rows == 2


ODS = """<?xml version="1.0" encoding="UTF-8"?><office:document-content
 xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" office:version="1.2"><office:body><office:spreadsheet>
 <table:table table:name="S">{}</table:table></office:spreadsheet></office:body></office:document-content>"""
CELL = '<table:table-cell office:value-type="{}" {}><text:p>{}</text:p></table:table-cell>'


def test_open_document(rows):
    """LibreOffice's own files are read like Excel's."""
    lines = [
        [("string", "", "size"), ("string", "", "kind")],
        [("float", 'office:value="1.5"', "1,5"), ("string", "", "a")],
        [("float", 'office:value="2"', "2"), ("string", "", "b")],
    ]
    body = "".join(
        f"<table:table-row>{''.join(CELL.format(*cell) for cell in line)}</table:table-row>" for line in lines
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", ODS.format(body))
        archive.writestr("META-INF/manifest.xml", "<manifest/>")

    assert rows(out.getvalue()) == [[1.5, "a"], [2.0, "b"]]


XLS = (  # of Excel 97, zlib-compressed: the header size, x, kind, and two rows
    "c-"
    "rk)O=uHA6#izCZGLFeq^3eElu)p0?M1zKX;%g9$x`*8sGu7YBqXM?de9!UT5}WxPl}g9FJ7u%{6P<T^B`2}K@fyQkDdet4{g>rZ)a<&IW(X}Wx"
    "i$JzI`*_&da<vFT4ACK2@E0&|AY#7(obiFNU@To1hj8E|Q>r&r@n}j#Bds{wc(w6v#FUPdi>kR18(TYmm4fenArWK<zlrVr-"
    "(E&#WQ#un&$<J`9r-"
    "xI>l%df2NjmZw;*V|kB9K4ZCyE!SBN)7Yvwig|l%aHr1VBeI|S5>WSj#GH3**@kYsR9SrahVaK)*zFda(%;$97jDNaC~l+qa^7`HRir6^v-"
    "s*|fG@#LeV#G)wY3Y7{o6`=q>25e3<Fc}PI7`*sJJeK`~V+X#C8=}ZZzmzVKPs#zd&lSP|jIoIpdT{WO7I^IqqrIosFvs%{w}|Vn=syrni&Kp_"
    "BC#=X;WB_Tt^o3;VO<_6fF3aTWJ#{YK>;JX}!>A}6>fv@8div6bajzUv0ods(I_OX)l?-"
    "mR5=(>&%H_YTlJI~Z^5O%3{H(kq`1JnpM}w6~BxH(Hxa&%L#0&`-"
    ";gBfdJOF(ih>?OO^@?BFbPU3ky3=a(80l}YWpr~lA8v4l9QDVF|~S{<=`CG}b<wrIi@%vS4hNygc`6pl&gKE)1ewrs+d%(gV!k4#+8Et#$2HzK"
    "?6Pz|Np_5*Pk7#J8B7#J8B7_<h#Pq_Z`yn0Tx^czD&f7e-"
    "}RyUtX{#zWx1Rdw;#dI&qbarvErTkeBO9b~4tK<aV3l$F2>@JGPvLD5k^OxTEMC0#SH8J`7wot3{*IV)P56}M{Z=1<n"
)


def test_old_excel(rows):
    """Workbooks of the last century are read, too."""
    assert rows(zlib.decompress(base64.b85decode(XLS))) == [["small", 1.5, "a"], ["large", 2.0, "b"]]


def compound_file(stream):
    """Return an OLE compound file whose directory has one empty stream of this name."""
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
    header += bytes(6) + struct.pack("<IIIIIIIII", 0, 1, 1, 0, 0x1000, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    header += struct.pack("<I", 0) + b"\xff" * 4 * 108
    fat = struct.pack("<II", 0xFFFFFFFD, 0xFFFFFFFE) + b"\xff" * 4 * 126

    def entry(name, kind, child):
        text = name.encode("utf-16-le") + b"\0\0"
        start = text.ljust(64, b"\0") + struct.pack("<HBBIII", len(text), kind, 1, 0xFFFFFFFF, 0xFFFFFFFF, child)
        return start.ljust(116, b"\0") + struct.pack("<IQ", 0xFFFFFFFE, 0)

    return header + fat + entry("Root Entry", 5, 1) + entry(stream, 2, 0xFFFFFFFF) + bytes(256)


def archive_with(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return out.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (workbook({"S": TABLE})[:-200], "damaged"),
        (workbook({"S": TABLE})[:100], "damaged"),
        (b"PK\x03\x04" + b"junk" * 100, "damaged"),
        (archive_with(a_txt="x"), r"zip archive without a workbook \(it has a.txt\)"),
        (archive_with(xl__workbook_xml="<not", _Content_Types__xml="x"), "damaged"),
        (compound_file("EncryptedPackage"), "protected by a password"),
        (compound_file("WordDocument"), "damaged, or of a kind"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xff" * 5000, "damaged"),
        (workbook({"A": [], "B": []}), "all sheets are empty: A, B"),
        (workbook({"S": [["a", "b"]]}), "at least|header"),
    ],
    ids=range(10),  # the bytes have the time in them, and would be other names in each process
)
def test_files_that_are_no_workbooks(data, message):
    """Whatever is wrong with a file, an error of ours says what it is."""
    with pytest.raises(FormatError, match=message):
        read_table(data, header=True)


def test_text_under_the_name_of_a_workbook(tmp_path):
    """Some programs write TABs into a file called .xls: the error names the option."""
    (tmp_path / "x.xls").write_text("a\tb\nc\td\n")

    with pytest.raises(FormatError, match="--format tsv"):
        read_table(tmp_path / "x.xls")
    assert read_table(tmp_path / "x.xls", format="tsv").names == ("a", "b")


def bomb(n_bytes, compression=zipfile.ZIP_DEFLATED, said=None):
    """Return a workbook with one cell of so many bytes; its directory may say another size."""
    text = "x" * n_bytes
    sheet = f'<row r="1"><c r="A1" t="inlineStr"><is><t>{text}</t></is></c></row>'
    whole, out = io.BytesIO(workbook({"S": TABLE})), io.BytesIO()
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(out, "w", compression) as new:
        for part in old.namelist():
            data = old.read(part)
            if part == "xl/worksheets/sheet1.xml":
                data = data.replace(b"<sheetData>", b"<sheetData>" + sheet.encode())
            new.writestr(part, data)
        size = new.getinfo("xl/worksheets/sheet1.xml").file_size
    return out.getvalue() if said is None else out.getvalue().replace(struct.pack("<I", size), struct.pack("<I", said))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: bomb(60_000_000), "unpacks to .* times its size; at most 100 times"),
        (lambda: bomb(201_000_000), "unpacks to more than 200 MB, the limit of workbooks. Save the table as CSV"),
        (lambda: bomb(60_000_000, said=5_000), "unpacks to .* times its size; at most 100 times"),
        (lambda: bomb(1_000, zipfile.ZIP_BZIP2), "damaged"),
    ],
)
def test_archives_that_unpack_to_too_much(data, message):
    """A small archive cannot fill the memory, whatever its directory says."""
    with pytest.raises(FormatError, match=message):
        read_table(data())


def far_sheet():
    """Return a workbook of a kilobyte whose two cells are in opposite corners."""
    book = openpyxl.Workbook()
    book.active["A1"], book.active["XFD1048576"] = 1, 2
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def repeated_cells():
    """Return a workbook of LibreOffice with a cell that is repeated in a thousand columns of 30,000 rows."""
    cell = '<table:table-cell table:number-columns-repeated="1000" office:value-type="float" office:value="1"/>'
    row = f'<table:table-row table:number-rows-repeated="30000">{cell}</table:table-row>'
    return archive_with(
        mimetype="application/vnd.oasis.opendocument.spreadsheet",
        content_xml=ODS.format(row),
        **{"META-INF__manifest_xml": "<manifest/>"},
    )


def old_far_sheet():
    """Return a workbook of Excel 97 whose last text is in the last column and row that its format can say."""
    data, text = zlib.decompress(base64.b85decode(XLS)), struct.pack("<HH", 0x00FD, 10)
    place = data.rindex(text) + len(text)
    return data[:place] + struct.pack("<HH", 0xFFFF, 0xFFFF) + data[place + 4 :]


@pytest.mark.parametrize("data", [far_sheet, repeated_cells, old_far_sheet])
def test_sheets_with_values_far_apart(data):
    """A sheet is stored as a rectangle, and one that no memory can hold ends the process: it is never opened here."""
    with pytest.raises(FormatError, match=r"more than 20,000,000 cells .* Delete stray values"):
        read_table(data())


def test_without_the_package(monkeypatch):
    """The error says what to install."""
    data = workbook({"S": TABLE})
    monkeypatch.setitem(sys.modules, "python_calamine", None)

    with pytest.raises(MissingExtraError, match=r"pip install 'casebase\[excel\]'"):
        read_table(data)


@pytest.mark.parametrize(("written", "expected"), [("NaN", [2.5, None]), ("inf", [2.5, float("inf")])])
def test_a_damaged_number(written, expected):
    """A cell of a number that is none was a traceback; it means what it means in a CSV file."""
    whole = workbook({"S": [["x", "c"], [2.5, "P"], [77.25, "Q"]]})
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"<v>77.25</v>", f"<v>{written}</v>".encode()))

    values = read_table(out.getvalue()).columns[0].to_pylist()
    assert [None if value != value else value for value in values] == expected
