"""Instance bases: what TiMBL wrote is read, what casebase writes is TiMBL's."""

from pathlib import Path

import pytest

from casebase.errors import FormatError
from casebase.timbl.instance_base import read_base
from tests.peers import demo_rows
from tests.timbl.programs import both, ours, theirs

COMPLETE = """\
# Status: complete
# Permutation: < 1, 2! 3 >
# Numeric: .
# Bin_Size: 20
# Version 4 (Hashed)
#
Classes
1\tP
2\tQ
Features
1\ta
2\tx
3\tNew\\_York

(1{ 1 3, 2 1 }[1(1[2(1{ 1 2 })
,3(2{ 2 1 })
]
)
,3(1[2(1{ 1 1 })
]
)
]
)
"""


def test_a_complete_base():
    """Values from the root down to each leaf, and how often each class occurs there."""
    base = read_base("b", COMPLETE)

    assert (base.header.order, base.header.n_used, base.header.is_pruned) == ([0, 1, 2], 2, False)
    assert (base.classes, base.values) == (["P", "Q"], ["a", "x", "New York"])
    assert base.paths([node for node, *_ in base.counts if base.level[node] == 2]).tolist() == [[0, 1], [0, 2], [2, 1]]
    assert [(label, n) for node, label, n, _ in base.counts if base.level[node] == 2] == [(0, 2), (1, 1), (0, 1)]


def test_a_base_with_names_in_the_tree():
    """Without lists of names; brackets and braces may be values and classes."""
    text = (
        "# Status: complete\n# Permutation: < 1 >\n# Numeric: .\n# Bin_Size: 20\n# Version 4\n#\n"
        "(} { } 2, Q 1 }[, (} { } 2 })\n,( (Q { Q 1 })\n]\n)\n"
    )
    base = read_base("b", text)

    assert base.classes == ["}", "Q"]
    assert base.values == [",", "("]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# Status: complete\n", "", "expected '# Status'"),
        ("complete", "ready", "expected the status 'complete' or 'pruned', got 'ready'"),
        ("< 1, 2! 3 >", "< 1, 1! 3 >", "every feature once"),
        ("< 1, 2! 3 >", "", "every feature once"),
        ("# Bin_Size: 20", "# Bin_Size: x", "expected a number behind '# Bin_Size:'"),
        ("# Bin_Size: 20", "# Bin_Size: 0", "expected a number behind '# Bin_Size:'"),
        ("# Numeric: .", "# Numeric: 4.", "expected features from 1 to 3 behind '# Numeric:', got '4.'"),
        ("# Numeric: .", "# Numeric: x.", "expected features from 1 to 3 behind '# Numeric:', got 'x.'"),
        ("2\tQ", "2\tP", "expected every name once in the list of classes"),
        ("# Numeric: .", "# Foo: .", "line 3: expected a line of the header"),
        ("Classes\n", "", "line 7: expected the list of classes"),
        ("2\tQ", "3\tQ", "line 9: expected number 2, a TAB and a name"),
        ("Features\n", "", "line 10: expected number 3"),
        ("(1{ 1 3, 2 1 }", "", "expected the root of the tree"),
        (",3(2{ 2 1 })", ",9(2{ 2 1 })", "the number of a value, 1 to 3"),
        (",3(2{ 2 1 })", ",3(7{ 2 1 })", "the number of a class, 1 to 2"),
        (",3(2{ 2 1 })", "3(2{ 2 1 })", "line 16: expected ',' and another node, or ']'"),
        (",3(2{ 2 1 })", ",3(2{ 2 1 }[1(1)\n]\n)", "at most 2 levels"),
        ("]\n)\n]\n)\n", "]\n)\n", "expected ',' and another node, or ']', got ''"),
        ("]\n)\n]\n)\n", "]\n)\n]\n)\nmore\n", "expected nothing below the tree, got 'more'"),
        ("{ 2 1 }", "{ 2 x }", "expected"),
        (COMPLETE, "", "expected '# Status'"),
        (COMPLETE, "hello\n", "expected '# Status'"),
    ],
)
def test_a_damaged_base_is_refused(old, new, message):
    """With the line, what was expected, and what is there."""
    assert old in COMPLETE

    with pytest.raises(FormatError, match=message.replace("(", r"\(").replace("[", r"\[")):
        read_base("b", COMPLETE.replace(old, new, 1))


def test_every_truncated_base_is_refused():
    """Wherever a file breaks off."""
    for end in range(len(COMPLETE) - 2):
        with pytest.raises(FormatError):
            read_base("b", COMPLETE[:end])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("-i base -t A.test -a1", "the instance base is complete, which is for another algorithm, not for IGTree"),
        ("-i tree -t A.test", "the instance base is pruned, which is for IGTree"),
        ("-i tree -t A.test -a1", "tree.wgt: there is no such file"),
        ("-i tree -f A.train -t A.test -a1", "not for IGTree"),
        ("-i numbers -t A.test", "feature 3 is numeric in this instance base. Declare it: -m O:N3"),
        ("-i hole -t A.test", "a leaf of the tree lies too high"),
        ("-i base", "-i needs a test file"),
    ],
)
def test_a_base_that_does_not_fit_is_refused(toy, words, message):
    """Before anything is written."""
    ours("-f", "A.train", "-I", "base")
    ours("-f", "A.train", "-I", "tree", "-a1")
    Path("tree.wgt").unlink()
    ours("-f", "A.train", "-I", "numbers", "-m", "O:N3")
    Path("hole").write_text(Path("base").read_text().replace("1(1[2(1[3(1{ 1 1 })\n]\n)", "1(1[2(1)", 1))
    before = set(toy.iterdir())

    done = ours(*words.split())

    assert done.status == 1
    assert message in done.err
    assert set(toy.iterdir()) == before


@pytest.fixture
def dimin(toy):
    for name in ("dimin.train", "dimin.test"):
        Path(name).write_text("".join(",".join(row) + "\n" for row in demo_rows(name)))


WRITTEN = [
    "",
    "-H",
    "+D",
    "-H +D",
    "-m O:N3",
    "-m O:I1",
    "-m O:I1 -H",
    "-a1",
    "-a1 +D",
    "-a1 -H",
    "-a1 -w x2",
    "-a4",
    "-a2 -q2",
    "-a3 -b2",
    "-a3 -b4",
]


@pytest.mark.peer
@pytest.mark.parametrize("options", WRITTEN)
def test_a_base_is_timbls(toy, options):
    """Byte by byte, hashed or not, with and without distributions, complete or pruned; the weights beside it too."""
    theirs("-f", "A.train", "-I", "their.base", *options.split())
    ours("-f", "A.train", "-I", "our.base", *options.split())

    assert Path("our.base").read_text() == Path("their.base").read_text()
    if "-a1" in options:
        assert Path("our.base.wgt").read_text() == Path("their.base.wgt").read_text()


@pytest.mark.peer
@pytest.mark.parametrize("options", ["", "-a1"])
def test_a_larger_base_is_timbls(dimin, options):
    """2,999 lines of Dutch diminutives."""
    theirs("-f", "dimin.train", "-I", "their.base", *options.split())
    ours("-f", "dimin.train", "-I", "our.base", *options.split())

    assert Path("our.base").read_text() == Path("their.base").read_text()


@pytest.mark.peer
@pytest.mark.parametrize("tested", ["", "-k3 -w ig", "-mM -k2 -dID", "-a2 -q3", "-a4", "-a1", "-a1 -w ig"])
def test_both_read_the_base_of_the_other(dimin, tested):
    """And answer the same, down to the distances."""
    learned = ["-a1"] if "-a1" in tested else []
    theirs("-f", "dimin.train", "-I", "their.base", *learned)
    ours("-f", "dimin.train", "-I", "our.base", *learned)

    theirs("-i", "our.base", "-t", "dimin.test", "-o", "their.out", "+vdi", *tested.split())
    ours("-i", "their.base", "-t", "dimin.test", "-o", "our.out", "+vdi", *tested.split())

    assert Path("our.out").read_text() == Path("their.out").read_text()


@pytest.mark.peer
def test_lines_are_added_to_a_base(toy):
    """Counted twice for the weights, stored once, as TiMBL does."""
    Path("more").write_text("a x 1 Q\nd x 7 S\nb x 3 Q\n")
    theirs("-f", "A.train", "-I", "base")

    theirs("-i", "base", "-f", "more", "-t", "A.test", "-o", "their.out", "-I", "their.base", "+vdb+di", "-k2")
    ours("-i", "base", "-f", "more", "-t", "A.test", "-o", "our.out", "-I", "our.base", "+vdb+di", "-k2")

    assert Path("our.out").read_text() == Path("their.out").read_text()
    assert Path("our.base").read_text() == Path("their.base").read_text()


@pytest.mark.peer
@pytest.mark.parametrize("tested", ["", "-k2 -w nw", "-a1", "-a2 -q1", "-a4"])
def test_names_in_the_tree_keep_the_order_of_the_classes(toy, tested):
    """That of the counts at the root, whose default need not be the first: it decides between tied classes."""
    Path("C.train").write_text("a x P\nb x Q\nb y R\nc y R\nc x Q\na y P\nd z R\nd x P\nd y Q\nb w R\n")
    Path("C.test").write_text("e v P\na v P\ne x P\ne y P\nd v P\nc v P\nb v P\n")
    learned = ["-a1"] if "-a1" in tested else []
    theirs("-f", "C.train", "-I", "base", "-H", *learned)
    assert "(R { P 3, Q 3, R 4 }" in Path("base").read_text()

    their_run, their_files, our_run, our_files = both("-i", "base", "-t", "C.test", "+vdi+cm", *tested.split())

    assert our_files == their_files
    assert our_run.lines == their_run.lines


@pytest.mark.peer
@pytest.mark.parametrize("weights", ["-w nw", "-w ig", "-w given", "-w tree.wgt:nw"])
def test_weights_beside_a_tree_are_shown_as_timbl_does(toy, weights):
    """With 15 digits, not 15 decimals: TiMBL has measured nothing."""
    Path("given").write_text("1 0.01234567890123456\n2 1e-20\n3 2.5\n")
    theirs("-f", "A.train", "-I", "tree", "-a1")

    their_run, _, our_run, _ = both("-i", "tree", "-t", "A.test", "-a1", *weights.split())

    assert our_run.lines == their_run.lines


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{ 2 1 }", "{ 2 0 }", "line 16: expected counts of at least 1"),
        ("{ 2 1 }", "{ 2 1 0 }", "line 16: expected counts of at least 1, and weights above 0"),
        ("{ 2 1 }", "{ 2 1 1.2.3 }", "expected numbers that can be read"),
        ("{ 2 1 }", f"{{ 2 {'9' * 400} }}", "line 16: expected counts of at least 1"),
        ("# Bin_Size: 20", "# Bin_Size: ²", "expected numbers that can be read"),
        ("< 1, 2! 3 >", f"< 1, 2! {'3' * 5000} >", "expected numbers that can be read"),
        ("# Numeric: .", "# Numeric: ³.", "expected numbers that can be read"),
        ("(1{ 1 3", f"({'1' * 5000}{{ 1 3", "expected numbers that can be read"),
    ],
)
def test_numbers_that_are_none(old, new, message):
    """Regression: they were ValueErrors of Python, or cases that count nothing."""
    assert old in COMPLETE
    with pytest.raises(FormatError, match=message):
        read_base("b", COMPLETE.replace(old, new, 1))
