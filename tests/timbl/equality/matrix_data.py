"""The data sets of the matrix, written as files into a folder: `train` and `test`, and their variants.

Every data set is cut to a size at which TiMBL answers in a fraction of a second.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from pathlib import Path

from tests.peers import data_file, demo_rows

Lines = list[list[str]]  # fields, the class last


def write(path: Path, lines: Lines, separator: str = ",", end: str = "") -> None:
    """Write lines with a separator between the fields, and something at their end."""
    path.write_text("".join(separator.join(line) + end + "\n" for line in lines), encoding="utf-8")


def rows_of(name: str) -> Lines:
    """Return the rows of a CSV file without its header, in an order that mixes the classes."""
    path = data_file(name)
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        lines = [line.rstrip("\n").split(",") for line in file][1:]
    random.Random(1).shuffle(lines)
    return lines


def dimin(folder: Path) -> None:
    """Dutch diminutives: twelve features; with occurrences, in parts, and files of weights."""
    train, test = demo_rows("dimin.train"), demo_rows("dimin.test")
    write(folder / "train.all", train)
    write(folder / "test.all", test)
    train, test = train[::3], test[::4]
    write(folder / "train", train)
    write(folder / "test", test)
    write(folder / "train.occurrences", [[*line[:-1], f"{line[-1]} {1 + i % 3}"] for i, line in enumerate(train)])
    write(folder / "test.occurrences", [[*line[:-1], f"{line[-1]} {1 + i % 2}"] for i, line in enumerate(test)])
    for part in range(4):
        write(folder / f"part{part}", train[part::4][:150])
    (folder / "parts").write_text("part0\npart1\npart2\npart3\n")
    (folder / "weights").write_text("".join(f"{f}\t{(f * 7) % 13 / 10}\n" for f in range(1, 13)))
    (folder / "tests").write_text("-t test -k1 -o first\n-t test -k3 -dID -o second\n-t test -mM -k3 -o third\n")


def attachment(folder: Path) -> None:
    """Prepositional phrases, four words each: thousands of values, in columns."""
    for name, size in [("training", 4000), ("test", 250)]:
        with gzip.open(data_file(f"ppattach.{name}.txt.gz"), "rt", encoding="utf-8") as file:
            lines = [line.split() for line in file if line.strip()]
        write(folder / {"training": "train", "test": "test"}[name], lines[:: len(lines) // size][:size], " ")


def votes(folder: Path) -> None:
    """Sixteen votes of congressmen: few values, many ties; with exemplar weights, and tabbed."""
    lines = rows_of("votes.csv")
    rng = random.Random(2)
    for name, part in [("train", lines[:300]), ("test", lines[300:])]:
        write(folder / name, part)
        write(folder / f"{name}.tabbed", part, "\t")
        write(folder / f"{name}.compact", [[field[0] for field in line] for line in part], "")
        write(
            folder / f"{name}.exemplars",
            [[*line[:-1], f"{line[-1]} {rng.choice(['1', '2', '0.5', '3'])}"] for line in part],
        )


def zoo(folder: Path) -> None:
    """A hundred animals in seven classes: small; with the class first, and as C4.5 with a final dot."""
    lines = rows_of("zoo.csv")
    for name, part in [("train", lines[:70]), ("test", lines[70:])]:
        write(folder / name, part)
        write(folder / f"{name}.dotted", part, ", ", ".")
        write(folder / f"{name}.first", [[line[-1], *line[:-1]] for line in part], " ")
    header = "@RELATION zoo\n" + "".join(f"@ATTRIBUTE a{f} STRING\n" for f in range(17)) + "@DATA\n"
    for name in ["train", "test"]:
        (folder / f"{name}.arff").write_text(header + (folder / name).read_text())


def soybean(folder: Path) -> None:
    """Diseases of plants: thirty-five features, nineteen classes."""
    lines = rows_of("soybean.csv")
    write(folder / "train", lines[:450])
    write(folder / "test", lines[450:650])


def glass(folder: Path) -> None:
    """Nine measurements of pieces of glass: numbers."""
    lines = rows_of("glass.csv")
    write(folder / "train", lines[:150])
    write(folder / "test", lines[150:])


def dna(folder: Path) -> None:
    """A hundred and eighty bits about a place in a gene; in binary and sparse formats."""
    lines = rows_of("dna.csv.gz")
    for name, part in [("train", lines[:500]), ("test", lines[500:650])]:
        on = [([f for f, bit in enumerate(line[:-1], start=1) if bit == "1"], line[-1]) for line in part]
        write(folder / name, part)
        write(folder / f"{name}.binary", [[*(str(f) for f in bits), label] for bits, label in on])
        write(folder / f"{name}.sparse", [[*(f"({f},1)" for f in bits), label] for bits, label in on], "")


def odd(folder: Path) -> None:
    """Lines that are awkward: blank, too short, with escapes, with letters of several bytes, numbers spelled twice."""
    rng = random.Random(3)
    words = ["straße", "strasse", "café", "cafe", "ecaf", "naïve", "a\\b", "{x}", "x,y", "#", "?", "=", "ab", "ba"]
    numbers = ["1", "1.0", "01", "2.5", "-3", "1e1", "7"]

    def line(n_words: int = 14, labels: str = "PQR") -> list[str]:
        return [*(rng.choice(words[:n_words]) for _ in range(3)), rng.choice(numbers), rng.choice(labels)]

    train, test = [line(11) for _ in range(60)], [line(14, "PQRS") for _ in range(40)]
    texts = {"train": train, "test": test}
    for name, lines in texts.items():
        text = [" ".join(fields) for fields in lines]
        text.insert(5, "")
        text.insert(9, "too short P")
        text.insert(12, "  leading   and \t wide 2 Q  ")
        (folder / name).write_text("\n".join(text) + "\n", encoding="utf-8")
        (folder / f"{name}.crlf").write_bytes("\r\n".join(text[:5] + text[13:]).encode() + b"\r\n")
        write(folder / f"{name}.tabbed", [[f"{fields[0]} {fields[1]}", *fields[2:]] for fields in lines], "\t")
        write(folder / f"{name}.plain", [[*fields[:3], f"{float(fields[3]):g}", fields[4]] for fields in lines], " ")
    # Columns of one value, of symbols that are numbers, and of values of one case each.
    same = [["k", str(i % 4), f"v{i}", rng.choice("PQ")] for i in range(30)]
    write(folder / "train.same", same)
    write(folder / "test.same", [["k", "1", "v3", "P"], ["z", "2", "v4", "Q"], ["z", "9", "new", "P"], *same[:8]])
    (folder / "sub").mkdir()


WRITERS: dict[str, Callable[[Path], None]] = {
    "dimin": dimin,
    "attachment": attachment,
    "votes": votes,
    "zoo": zoo,
    "soybean": soybean,
    "glass": glass,
    "dna": dna,
    "odd": odd,
}
