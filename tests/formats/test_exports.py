"""Ten files as spreadsheets, databases and programs export them: each is read without an option."""

import csv
import io
import json
from datetime import date

import openpyxl
import pandas as pd
import pytest

from casebase.formats import read_table, recognise


def written(rows, encoding="utf-8", **dialect):
    """Return rows as bytes, as Python's own csv module writes them."""
    out = io.StringIO()
    csv.writer(out, **dialect).writerows(rows)
    return out.getvalue().encode(encoding)


def german_excel():
    """Excel in German: semicolons, cp1252, decimal commas, full stops between thousands."""
    rows = [
        ["Name", "Größe", "Preis", "Art"],
        ["Müller", "1,5", "1.234,50", "ja"],
        ["Weiß", "2", "", "nein"],
        ["Öz „Co“", "0,25", "12,00", "ja"],
    ]
    expected = {
        "Name": ["Müller", "Weiß", "Öz „Co“"],
        "Größe": [1.5, 2.0, 0.25],
        "Preis": [1234.5, None, 12.0],
        "Art": ["ja", "nein", "ja"],
    }
    return written(rows, "cp1252", delimiter=";"), expected, {"encoding": "cp1252", "separator": ";", "decimal": ","}


def french_excel():
    """Excel in French: blanks that do not break between thousands, and quoted words with guillemets."""
    rows = [
        ["Prénom", "Montant", "Avis"],
        ["Zoé", "1\u00a0234,56", "«\u00a0passé\u00a0»"],
        ["Loïc", "7,1", "été"],
    ]
    expected = {"Prénom": ["Zoé", "Loïc"], "Montant": [1234.56, 7.1], "Avis": ["«\u00a0passé\u00a0»", "été"]}
    return written(rows, "cp1252", delimiter=";"), expected, {"encoding": "cp1252", "separator": ";", "decimal": ","}


def unicode_text():
    """Excel's "Unicode text": UTF-16 with a mark, TABs, empty cells, and the name .txt."""
    rows = [["word", "n", "tag"], ["дом", "1", "noun"], ["петь", "", "verb"]]
    expected = {"word": ["дом", "петь"], "n": ["1", None], "tag": ["noun", "verb"]}
    return written(rows, "utf-16", delimiter="\t"), expected, {"encoding": "utf-16", "separator": "\t", "format": "tsv"}


def google_sheets():
    """Google Sheets: UTF-8, commas, quotes only where needed, no line end after the last row."""
    text = 'Name,"City, state",Score,Passed\nAnn,"Austin, TX",7.5,TRUE\nBob,,8,FALSE'
    expected = {
        "Name": ["Ann", "Bob"],
        "City, state": ["Austin, TX", None],
        "Score": [7.5, 8.0],
        "Passed": ["TRUE", "FALSE"],
    }
    return text.encode(), expected, {"encoding": "utf-8", "separator": ",", "decimal": "."}


def libre_office():
    """LibreOffice: all texts quoted, with line breaks in them; a byte order mark."""
    text = '"Note","Kind"\n"two\nlines; and more","a"\n"say ""hi""","b"\n"","a"\n'
    expected = {"Note": ["two\nlines; and more", 'say "hi"', None], "Kind": ["a", "b", "a"]}
    return text.encode("utf-8-sig"), expected, {"encoding": "utf-8-sig", "separator": ",", "has_header": True}


def pandas_csv():
    """`DataFrame.to_csv` with its index, which has no name."""
    frame = pd.DataFrame({"size": [1.5, None, 2.0], "n": [1, 2, 3], "kind": ["a", "b", None]}, index=[10, 11, 12])
    expected = {
        "column1": ["10", "11", "12"],
        "size": [1.5, None, 2.0],
        "n": ["1", "2", "3"],
        "kind": ["a", "b", None],
    }
    return frame.to_csv().encode(), expected, {"has_header": True, "target": "kind"}


def r_csv():
    """R's `write.csv`: row names under an empty name, texts quoted, NA not quoted."""
    text = '"","Sepal","Color","Species"\n"1",5.1,"red","setosa"\n"2",NA,NA,"setosa"\n"3",6.3,"blue","virginica"\n'
    expected = {
        "column1": ["1", "2", "3"],
        "Sepal": [5.1, None, 6.3],
        "Color": ["red", "NA", "blue"],  # in a column of symbols NA is a symbol, as `?` is
        "Species": ["setosa", "setosa", "virginica"],
    }
    return text.encode(), expected, {"has_header": True, "target": "Species"}


def sql_server():
    """SQL Server Management Studio: NULL for what is missing, a byte order mark, Windows line ends."""
    text = (
        "order_id;amount;paid_at;status\r\n1001;12.50;2024-05-01 10:00:00.000;open\r\n"
        "1002;NULL;NULL;paid\r\n1003;7.25;2024-06-01 10:00:00.000;paid\r\n"
    )
    expected = {
        "order_id": ["1001", "1002", "1003"],
        "amount": [12.5, None, 7.25],
        "paid_at": ["2024-05-01 10:00:00.000", "NULL", "2024-06-01 10:00:00.000"],
        "status": ["open", "paid", "paid"],
    }
    return text.encode("utf-8-sig"), expected, {"separator": ";", "decimal": ".", "id_column": "order_id"}


def json_lines():
    """JSON Lines of an API: keys in any order, some absent, null, truth values."""
    records = [
        {"id": 7, "price": 1.5, "in stock": True, "label": "a"},
        {"label": "b", "id": 8, "price": 2, "in stock": None},
        {"id": 9, "label": "a", "note": "größer"},
    ]
    expected = {
        "id": ["7", "8", "9"],
        "price": [1.5, 2.0, None],
        "in stock": ["True", None, None],
        "label": ["a", "b", "a"],
        "note": [None, None, "größer"],
    }
    lines = "\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    return lines.encode(), expected, {"format": "jsonl", "separator": None, "target": "label", "id_column": "id"}


def workbook():
    """A workbook with an empty sheet first, and a title over merged cells above the header."""
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    sheet = book.create_sheet("Sales")
    sheet["B2"] = "Sales of the year"
    sheet.merge_cells("B2:F2")
    sheet.append([])
    rows = [
        ["when", "shop", "amount", "n", "paid"],
        [date(2024, 5, 1), "north", 1.5, 3, True],
        [date(2024, 6, 1), None, None, 4, False],
        [date(2024, 7, 1), "south", 2, 5, True],
    ]
    for row in rows:
        sheet.append([None, *row])
    out = io.BytesIO()
    book.save(out)
    expected = {
        "when": ["2024-05-01", "2024-06-01", "2024-07-01"],
        "shop": ["north", None, "south"],
        "amount": [1.5, None, 2.0],
        "n": ["3", "4", "5"],
        "paid": ["True", "False", "True"],
    }
    return out.getvalue(), expected, {"format": "excel", "sheet": "Sales", "above": ("Sales of the year",)}


EXPORTS = [
    (german_excel, "Mappe1.csv"),
    (french_excel, "Classeur1.csv"),
    (unicode_text, "Book1.txt"),
    (google_sheets, "Untitled - Sheet1.csv"),
    (libre_office, "Untitled.csv"),
    (pandas_csv, "frame.csv"),
    (r_csv, "iris.csv"),
    (sql_server, "orders.csv"),
    (json_lines, "page1.jsonl"),
    (workbook, "sales.xlsx"),
]


@pytest.mark.parametrize(("export", "name"), EXPORTS, ids=[export.__name__ for export, _ in EXPORTS])
def test_export(tmp_path, export, name):
    """The table is the one that the program showed; the record says how it was read, and reads it again."""
    data, expected, taken = export()
    (tmp_path / name).write_bytes(data)
    table = read_table(tmp_path / name)
    record = recognise(tmp_path / name)
    again = read_table(tmp_path / name, **record.options())

    assert dict(zip(table.names, (column.to_pylist() for column in table.columns))) == expected
    assert {key: getattr(record, key) for key in taken} == taken
    assert again.names == table.names
    assert [c.to_pylist() for c in again.columns] == list(expected.values())
    assert again.names[again.target] == record.target


def test_exports_without_a_name():
    """The content alone tells what most of them are: a pipe and an upload may have no name."""
    for export in (german_excel, unicode_text, json_lines, workbook):
        data, expected, _ = export()

        assert dict(zip((table := read_table(data)).names, (c.to_pylist() for c in table.columns))) == expected
