"""TiMBL's command line and casebase's, with the same arguments in two folders: the same files and statistics.

`timbl ARGUMENTS` and `casebase timbl ARGUMENTS` each run in a folder of their own that holds the
same data. All files that they write, line by line, and all statistics that they print are
compared (tests/timbl_equality/comparing.py tells how). Where they differ, the table DIFFERENCES
has the number of differing lines and the reason; a difference that has gone must leave the table.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from casebase.cli import cli
from casebase.errors import CasebaseError
from lab.peers import timbl
from tests.peers import require_timbl
from tests.timbl.equality.comparing import Ran, differences, is_same, written
from tests.timbl.equality.matrix_data import WRITERS

pytestmark = pytest.mark.peer

# Data set and arguments; "&&" stands between commands that follow each other in one folder.
ALL = "+vas+cs+cm+db+di"
MATRIX = [
    # IB1: weightings, k, votes
    f"dimin: -f train -t test {ALL} +%",
    f"dimin: -f train -t test -k3 -w nw {ALL}",
    f"dimin: -f train -t test -k3 -w ig {ALL} -W out.weights",
    f"dimin: -f train -t test -k5 -w x2 {ALL} -W out.weights",
    f"dimin: -f train -t test -k5 -w sv {ALL} -W out.weights",
    f"dimin: -f train -t test -k3 -w weights {ALL}",
    f"dimin: -f train -w ig -W out.weights -t test -o one && -f train -t test -w out.weights:ig -k3 {ALL} -o two",
    f"dimin: -f train -t test -k5 -d ID {ALL}",
    f"dimin: -f train -t test -k5 -d IL {ALL}",
    f"dimin: -f train -t test -k5 -d ED:2 {ALL}",
    f"dimin: -f train -t test -k7 -d ED:0.5:2 -w nw {ALL}",
    f"dimin: -f train -t test -k7 -d ID -w nw {ALL}",
    f"dimin: -f train -t test -k3 +x {ALL}",
    f"votes: -f train -t test -k1 {ALL} +%",
    f"votes: -f train -t test -k3 -w nw {ALL}",
    f"votes: -f train -t test -k9 -w ig -d IL {ALL}",
    f"votes: -f train -t test -k5 -w sv -d ED:1:1 {ALL}",
    f"zoo: -f train -t test -k3 -w x2 {ALL} +%",
    f"zoo: -f train -t test -k1 -w nw {ALL}",
    f"soybean: -f train -t test -k3 {ALL}",
    f"soybean: -f train -t test -k1 -w nw {ALL}",
    f"attachment: -f train -t test -k1 {ALL}",
    f"attachment: -f train -t test -k3 -w ig -d ID {ALL}",
    f"dna: -f train -t test -k3 {ALL}",
    # Metrics
    f"dimin: -f train -t test -mM {ALL}",
    f"dimin: -f train -t test -mM -k5 -L5 -d ID {ALL}",
    f"dimin: -f train -t test -mJ -k3 {ALL}",
    f"dimin: -f train -t test -mJ -k3 -L2 -d IL -w ig {ALL}",
    f"dimin: -f train -t test -mS -k3 {ALL}",
    f"dimin: -f train -t test -mS -k5 -L3 -w nw -d ED:3 {ALL}",
    f"dimin: -f train -t test -mL -k3 {ALL}",
    f"dimin: -f train -t test -mDC -k3 {ALL}",
    f"dimin: -f train -t test -mO:M11,12:I1-3 -k3 {ALL}",
    f"dimin: -f train -t test -mM:O1-4:J5 -k3 -d ID {ALL}",
    f"attachment: -f train -t test -mM -k3 -d ED:1 {ALL}",
    f"attachment: -f train -t test -mM -k1 -L3 {ALL}",
    f"attachment: -f train -t test -mJ -k5 -d ID {ALL}",
    f"attachment: -f train -t test -mL -k3 -w nw {ALL}",
    f"attachment: -f train -t test -mDC -k1 {ALL}",
    f"attachment: -f train -t test -mO:DC2,4 -k3 {ALL}",
    f"soybean: -f train -t test -mM -k3 {ALL}",
    f"soybean: -f train -t test -mS -k1 -w nw {ALL}",
    f"votes: -f train -t test -mM -k5 -d IL {ALL}",
    f"zoo: -f train -t test -mJ -k3 -w sv {ALL}",
    f"dna: -f train -t test -mM -k3 {ALL}",
    # Numbers
    f"glass: -f train -t test -mN -k1 {ALL} -W out.weights",
    f"glass: -f train -t test -mN -k3 -w ig -B5 {ALL}",
    f"glass: -f train -t test -mN -k5 -d ID -w nw {ALL}",
    f"glass: -f train -t test -mE -k3 {ALL}",
    f"glass: -f train -t test -mE -k5 -d ED:1 -w nw {ALL}",
    f"glass: -f train -t test -mN -w sd -k3 {ALL} -W out.weights",
    f"glass: -f train -t test -mC -k3 {ALL}",
    f"glass: -f train -t test -mC -k5 -d ID -w nw {ALL}",
    f"glass: -f train -t test -mD -k3 {ALL}",
    f"glass: -f train -t train -mD -k1 {ALL}",
    f"glass: -f train -t train -mC -k1 -w nw {ALL}",
    f"glass: -f train -t train -mN -k3 -a4 {ALL}",
    f"glass: -f train -t train -mN -k3 -a2 -q2 +D {ALL}",
    f"zoo: -f train -t test -mO:N13 -k3 -a4 -w ig {ALL}",
    f"glass: -f train -t test -mN:I9 -k3 -d IL {ALL}",
    f"glass: -f train -t test -mO:N1-5 -k3 {ALL}",
    f"zoo: -f train -t test -mO:N13 -k3 {ALL}",
    # Trees and hybrids
    f"dimin: -f train -t test -a1 {ALL}+md +D +%",
    "dimin: -f train -t test -a IGTREE -w ig +vas+cs+cm+di+md -W out.weights",
    f"dimin: -f train -t test -a1 -w x2 +D {ALL}",
    f"attachment: -f train -t test -a1 -w sv +D {ALL}+md",
    f"soybean: -f train -t test -a1 -w gr +D {ALL}",
    f"glass: -f train -t test -a1 -mO:N1-9 +D {ALL}",
    f"votes: -f train -t test -a1 -w nw +D {ALL}+b",
    f"dimin: -f train -t test -a2 -q4 +D {ALL}",
    f"dimin: -f train -t test -a TRIBL -q2 -mM -k5 -d ID +D {ALL}",
    f"attachment: -f train -t test -a2 -q1 -k3 +D {ALL}",
    f"votes: -f train -t test -a2 -q3 -w ig -k3 -mJ +D {ALL}",
    f"dimin: -f train -t test -a4 {ALL}",
    f"dimin: -f train -t test -a TRIBL2 -k5 -mM -w ig {ALL}",
    f"attachment: -f train -t test -a4 -k3 -d ID {ALL}",
    f"soybean: -f train -t test -a4 -w sv {ALL}",
    # IB2, leave-one-out, cross-validation
    f"dimin: -f train -t test -a3 -b200 {ALL}",
    f"dimin: -f train -t test -a IB2 -b50 -k3 -mM {ALL}",
    f"dimin: -f train -t test -a IB2 -b50 -k3 -mM -c1000 {ALL}",
    f"votes: -f train -t test -a3 -b10 -w ig -k3 -d IL {ALL}",
    f"attachment: -f train -t test -a3 -b300 -k1 {ALL}",
    f"dimin: -f train -t leave_one_out {ALL} +%",
    f"dimin: -f train -t leave_one_out -k3 -mM -d ID {ALL}",
    f"zoo: -f train -t leave_one_out -k3 -mJ -w ig {ALL}",
    f"votes: -f train -t leave_one_out -k3 --sloppy {ALL}",
    f"glass: -f train -t leave_one_out -mN -k3 {ALL}",
    f"soybean: -f train -t leave_one_out -mM --sloppy -k1 {ALL}",
    f"dimin: -f parts -t cross_validate {ALL}",
    f"dimin: -f parts -t cross_validate -mM -k3 -d IL {ALL}",
    # Features and their order
    f"dimin: -f train -t test --Diversify -k3 {ALL}",
    f"votes: -f train -t test --Diversify -mM -w ig {ALL}",
    f"dimin: -f train -t test --limit=11 -k3 {ALL}",
    f"dimin: -f train -t test --Treeorder=IGO -k3 {ALL}",
    f"dimin: -f train -t test --Treeorder=1/V -k5 -w nw {ALL}",
    f"dimin: -f train -t test -a1 --Treeorder=G/V +D {ALL}+md",
    f"votes: -f train -t test -a2 -q2 --Treeorder=DO +D {ALL}",
    # Exemplar weights and occurrences
    f"votes: -f train.exemplars -t test.exemplars -s -k1 {ALL}",
    f"votes: -f train.exemplars -t test.exemplars -s -k3 -d ID {ALL}",
    f"votes: -f train.exemplars -t test -s1 -k3 -mM {ALL}",
    f"votes: -f train.exemplars -t test.exemplars -s0 -k3 {ALL}",
    f"dimin: -f train.occurrences -t test --occurrences=train -k3 {ALL}",
    f"dimin: -f train.occurrences -t test.occurrences --occurrences=both -mM -k3 {ALL}",
    # What is printed
    "dimin: -f train -t test -k3 +vdb+cf -G",
    "dimin: -f train -t test -k3 +vdb+di+cf -G1:0.5",
    "votes: -f train -t test -k5 +vdb+cf+di -G2 -d ID",
    "dimin: -f train -t test -k3 +vn+db+di",
    "dimin: -f train -t test -k3 +vn -mM",
    "votes: -f train -t test -k2 +vk+di+db",
    "zoo: -f train -t test -k1 +vn+k+db+di+md",
    "soybean: -f train -t test -k3 +vk+n -w nw",
    "zoo: -f train -t test -k3 -Z +vdb+di",
    "dimin: -f train -t test -k5 --Beam=2 +vdb",
    "glass: -f train -t test -k3 -mN +vn+db+di",
    "votes: -f train -t test -o out.txt +% -v s",
    "dimin: -t @tests -f train +vdb+di",
    # Formats
    f"votes: -F Tabbed -f train.tabbed -t test.tabbed -k3 {ALL}",
    f"votes: -l1 -f train.compact -t test.compact -k3 {ALL}",
    f"zoo: -f train.dotted -t test.dotted -k3 {ALL}",
    f"zoo: -F ARFF -f train.arff -t test.arff -k3 {ALL}",
    f"zoo: -F Columns -T1 -f train.first -t test.first -k3 {ALL}",
    f"dna: -F Binary -N180 -f train.binary -t test.binary -k3 {ALL}",
    f"dna: -F Sparse -N180 -f train.sparse -t test.sparse -k3 {ALL}",
    # Awkward lines and values
    f"odd: -f train -t test -k3 {ALL}",
    f"odd: -f train -t test -k3 -mL {ALL}",
    f"odd: -f train -t test -k3 -mDC -w nw -d ID {ALL}",
    f"odd: -f train -t test -k2 -mO:N4 {ALL} -W out.weights",
    f"odd: -f train -t test -k3 -mM:N4 -d ED:1 {ALL}",
    f"odd: -f train -t test -k3 -mO:N1 {ALL}",
    f"odd: -f train -t test -k1 -a1 +D {ALL}+md",
    f"odd: -f train -t test -k1 -a2 -q9 +D {ALL}",
    f"odd: -f train -t test -k2 -a4 -mO:N4 {ALL}",
    f"odd: -f train -t test -k1 -a3 -b5 -mO:N4 {ALL}",
    f"odd: -f train -t leave_one_out -k2 -mO:N4 {ALL}",
    f"odd: -f train.plain -t test.plain -k1 -a3 -b5 -mO:N4 {ALL}",
    f"odd: -f train.plain -t leave_one_out -k2 -mO:N4 {ALL}",
    "odd: -f train -t test -k2 +vn+db+di",
    f"odd: -f train.crlf -t test.crlf -k3 {ALL}",
    f"odd: -F Tabbed -f train.tabbed -t test.tabbed -k3 {ALL}",
    f"odd: -f train.same -t test.same -k1 {ALL}",
    f"odd: -f train.same -t test.same -k2 -mM -w nw {ALL}",
    f"odd: -f train.same -t test.same -k2 -mJ {ALL}",
    f"odd: -f train.same -t test.same -k2 -mO:N2 -w sv {ALL}",
    f"odd: -f train.same -t test.same -a1 +D {ALL}+md",
    "odd: -f train -t test -k1 -O sub +vdb",
    # Less used options
    f"dimin: -f train -t test -k3 --clones=2 {ALL}",
    f"dimin: -f train -t test -k3 -c0 -mM {ALL}",
    f"dimin: -f train -t test -k3 --silly {ALL}",
    "dimin: -f train -t test -n out.names -k1",
    "zoo: -f train -t test -k3 -M10 +vn",
    # Instance bases
    f"dimin: -H -f train -I base && -i base -t test -k3 {ALL}",
    f"glass: -mN -f train -I base && -mN -i base -t test -k3 {ALL}",
    f"votes: -s -f train.exemplars -I base && -s -i base -t test.exemplars -k3 {ALL}",
    f"attachment: -a2 -q1 -f train -I base && -a2 -q1 -i base -t test {ALL} +D",
    f"zoo: -f train -I base && -i base -t test -k3 {ALL}",
    f"votes: -a1 +D -f train -I base && -a1 +D -i base -t test {ALL}",
    "dimin: -a1 -f train -I base && -a1 -i base -t test +vas+di",
]

# While IB2 learns, TiMBL looks values up in a table of differences if they have become frequent enough for it; they
# were not when it was made, are not found, and count as equal. With -c1000 no value is that frequent, and none differs.
TABLE = "values that become frequent while IB2 learns count as equal in TiMBL"
# TiMBL counts "1", "1.0" and "01" as three values for bins and weights. casebase does so where it reads them, but
# weighs anew by number. With one spelling each (the .plain files), none differs.
SPELLING = "weights learnt anew are by the number, not by its spelling"

# Arguments: how many lines differ, and why.
DIFFERENCES: dict[str, tuple[int, str]] = {
    f"dimin: -f train -t test -a IB2 -b50 -k3 -mM {ALL}": (239, TABLE),
    f"odd: -f train -t leave_one_out -k2 -mO:N4 {ALL}": (51, SPELLING),
}

# Results on all of TiMBL's demonstration data: how many of 950 (leaving one out: 2,999) are right, ties, ties resolved.
COUNTS = {
    "": (919, 5, 4),
    "-k3": (916, 8, 6),
    "-k3 +x": (904, 6, 4),
    "-k5 -dID": (905, 0, 0),
    "-k5 -dIL": (916, 0, 0),
    "-k5 -dED:1": (907, 0, 0),
    "-mM": (915, 6, 5),
    "-mM -k5 -L5": (929, 1, 1),
    "-mJ -k3": (926, 8, 6),
    "-mS -k3": (927, 4, 4),
    "-mL -k3": (919, 9, 5),
    "-mDC -k3": (907, 7, 4),
    "-w ig": (918, 6, 5),
    "-w x2": (918, 7, 6),
    "-w sv": (918, 6, 5),
    "-w nw": (821, 46, 26),
    "-w nw -k7 -dID": (528, 0, 0),
    "-a1": (918, 0, 0),
    "-a1 -w ig": (914, 0, 0),
    "-a2 -q4": (918, 5, 3),
    "-a4": (918, 7, 5),
    "-a4 -k5 -mM": (918, 4, 3),
    "-a3 -b200": (898, 31, 22),
    "-t leave_one_out": (2893, 20, 17),
    "-t leave_one_out -k3 -mM": (2924, 22, 19),
}


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Return a function that gives the folder of a data set, written when it is first asked for."""
    require_timbl()
    folders: dict[str, Path] = {}

    def folder_of(name: str) -> Path:
        if name not in folders:
            folder = tmp_path_factory.mktemp(name)
            WRITERS[name](folder)
            folders[name] = folder
        return folders[name]

    return folder_of


def fresh(folder: Path, source: Path) -> set[str]:
    """Make a folder with links to the files of another, and return their names."""
    folder.mkdir()
    for path in source.iterdir():
        if path.is_dir():
            (folder / path.name).mkdir()
        else:
            (folder / path.name).symlink_to(path)
    return {path.name for path in source.iterdir()}


def run_timbl(commands: list[list[str]], folder: Path, given: set[str]) -> Ran:
    """Return what TiMBL leaves behind after some commands; the exit status is that of the last."""
    processes = [timbl.execute(command, folder) for command in commands]
    return Ran(processes[-1].status, "".join(process.output for process in processes), written(folder, given))


def run_casebase(commands: list[list[str]], folder: Path, given: set[str], monkeypatch) -> Ran:
    """Return what casebase leaves behind, run in this process to save the start of another."""
    monkeypatch.chdir(folder)
    out, status = "", 0
    for command in commands:
        result = CliRunner().invoke(cli, ["timbl", *command])
        is_refusal = isinstance(result.exception, CasebaseError)
        if result.exception is not None and not is_refusal and not isinstance(result.exception, SystemExit):
            raise result.exception
        out += result.stdout + (f"Error: {result.exception}\n" if is_refusal else "")
        status = 1 if is_refusal else result.exit_code
    return Ran(status, out, written(folder, given))


def parse(entry: str) -> tuple[str, list[list[str]]]:
    """Return the name of the data set and the arguments of each command."""
    name, _, arguments = entry.partition(": ")
    return name, [shlex.split(command) for command in arguments.split(" && ")]


@pytest.mark.parametrize("entry", MATRIX)
def test_timbl_accepts(entry, data, tmp_path):
    """TiMBL carries out every combination, so that there is something to compare with."""
    name, commands = parse(entry)
    given = fresh(tmp_path / "theirs", data(name))
    ran = run_timbl(commands, tmp_path / "theirs", given)
    assert ran.status == 0
    assert ran.files


@pytest.mark.parametrize("entry", MATRIX)
def test_same_files_and_statistics(entry, data, tmp_path, monkeypatch):
    """The same arguments write the same lines and print the same numbers."""
    name, commands = parse(entry)
    source = data(name)
    theirs = run_timbl(commands, tmp_path / "theirs", fresh(tmp_path / "theirs", source))
    ours = run_casebase(commands, tmp_path / "ours", fresh(tmp_path / "ours", source), monkeypatch)
    found = differences(theirs, ours)
    expected, reason = DIFFERENCES.get(entry, (0, ""))
    assert len(found) == expected, "\n".join(
        [f"expected {expected} differences ({reason or 'none known'})", *found[:20]]
    )


@pytest.mark.parametrize("options", COUNTS)
def test_counts_on_all_diminutives(options, data, tmp_path, monkeypatch):
    """The numbers of right answers and of ties on TiMBL's own data are the known ones, in both programs."""
    arguments = [*shlex.split(options), "-f", "train.all", "-o", "out"]
    if "-t" not in arguments:
        arguments += ["-t", "test.all"]
    n_lines = 2999 if "leave_one_out" in arguments else 950
    n_right, n_ties, n_resolved = COUNTS[options]
    for name in ["theirs", "ours"]:
        given = fresh(tmp_path / name, data("dimin"))
        ran = (
            run_timbl([arguments], tmp_path / name, given)
            if name == "theirs"
            else run_casebase([arguments], tmp_path / name, given, monkeypatch)
        )
        assert f"({n_right}/{n_lines})" in ran.out, name
        if n_ties:
            assert f"{n_ties} tie{'s' * (n_ties > 1)} of which {n_resolved} (" in ran.out, name
        else:
            assert "tie" not in ran.out, name


def test_every_known_difference_is_in_the_matrix():
    """The table of differences names only what is compared."""
    assert set(DIFFERENCES) <= set(MATRIX)


def test_the_matrix_is_large():
    """At least 60 combinations over at least 4 data sets, none twice."""
    assert len(set(MATRIX)) == len(MATRIX) >= 60
    assert len({parse(entry)[0] for entry in MATRIX}) >= 4


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a x P { P 1.00000 }", "a x P { P 1.00001 }", True),
        ("a x P { P 1.00000 }", "a x P { P 1.00003 }", False),
        ("a x P { P 1.00000 }", "a x Q { P 1.00000 }", False),
        ("a 1 P 1", "a 1 P 2", False),
        ("0.70321892572590", "0.70321892572589", True),
        ("0.70321892572590", "0.70321892572688", False),
        ("4.50360e+15", "4.50361e+15", True),
    ],
)
def test_numbers_agree_to_the_last_digit_printed(one, other, expected):
    """One unit of the last digit is rounding; two are a difference, and so is a class or a whole number."""
    assert is_same(one, other) == expected
