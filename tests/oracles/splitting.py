"""Naive splitting of lines, the reference for the compiled kernel."""

BLANKS = " \t\r"


def fields_of(line, mode, separator="\t", width=1):
    """Return the fields of one line; None if it cannot be cut into whole fields, none of them empty."""
    if mode == "blanks":
        return [f for f in line.replace("\t", " ").replace("\r", " ").split(" ") if f]
    if mode == "c45":
        line = line.rstrip(BLANKS)
        line = line[:-1].rstrip(BLANKS) if line.endswith(".") else line
        return without_end([f.strip(BLANKS) for f in line.split(separator)])
    line = line[:-1] if line.endswith("\r") else line
    if mode == "separator":
        return without_end(line.split(separator))
    if len(line) % width:
        return None
    return [line[i : i + width] for i in range(0, len(line), width)]


def without_end(fields):
    """Drop empty fields at the end; None if others are empty."""
    while fields and not fields[-1]:
        fields.pop()
    return fields if all(fields) else None


def split_text(text, mode, separator="\t", width=1):
    """Return the rows of a text, or the line and number of fields that do not fit."""
    rows = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip(BLANKS):
            continue
        fields = fields_of(line, mode, separator, width)
        if not fields or (rows and len(fields) != len(rows[0])):
            return ("fields", number, len(fields or []))
        rows.append(fields)
    return rows
