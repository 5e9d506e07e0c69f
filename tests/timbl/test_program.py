"""The whole command: what it prints, writes and returns."""

import subprocess
import sys
from pathlib import Path

import pytest

from lab.peers import timbl
from tests.peers import demo_rows
from tests.timbl.programs import both, ours

SAME = [
    "+vdb+di",
    "-k2 +vdb+di+cf+md -G",
    "-k2 +vn",
    "-k2 +vn+db+di -m O:I1",
    "-k2 +vk+di",
    "-k2 -Z +vdb+di",
    "-a1 +vas+cs+cm +%",
    "-a1 +vdb+di+md +D +vb",
    "-a2 -q1 +vdb+di +D",
    "-a4 -k2 +vdb+di+n",
    "-a3 -b3 +vdb",
    "-a3 -b6",
    "-m O:I1 -k2 +vmd",
    "-m O:I2 -a3 -b3 +vmd",
    "-m O:I3 -a2 -q1 -k2 +vdb+di",
    "-m M -k2 -d ID +vdb",
    "-m O:N3 -k2 -d IL +vdb+di",
    "-w x2 --Treeorder=X2O",
    "-T 2 +vdi",
    "--limit=2",
    "--Diversify +vdi",
    "-n names -W weights",
    "-O . -o out.x +%",
    "-k3 -d IL --clones=2 +vdb",
    "-t leave_one_out +vdb+di",
    "-t leave_one_out --sloppy -k2",
    "-t @tests +vdi",
]


@pytest.mark.peer
@pytest.mark.parametrize("options", SAME)
def test_what_timbl_prints_and_writes(toy, options):
    """Exit status, files, and every line that a script could read."""
    Path("tests").write_text("-t A.test -k2 +vdb\n\n-t A.test -mM -o second\n-t A.test\n")
    test = [] if "-t" in options.split() else ["-t", "A.test"]

    their_run, their_files, our_run, our_files = both("-f", "A.train", *test, *options.split())

    assert our_run.status == their_run.status
    assert our_files == their_files
    assert our_run.lines == their_run.lines


@pytest.mark.peer
@pytest.mark.parametrize("options", ["-a3 -b1", "-a3 -b3 -k2 -dID", "-a4 -k2 +vn", "-k2 +x +vn", "-m O:I1 -k2"])
def test_exemplar_weights(toy, options):
    """Equal lines have the weight of the first that is stored; identical ones vote with it, and are listed as one."""
    train = ["b c R 1", "b c P 1", "b b P 1", "a b Q 3", "b b P 2", "c b Q 1", "a c P 1", "a a P 2", "b c Q 0.5"]
    train += [
        "c b P 3",
        "a a Q 1.25",
        "a a R 2",
        "a a R 3",
        "c b R 1.25",
        "b a R 0.5",
        "a c Q 0.5",
        "c a Q 2",
        "c b P 1",
    ]
    Path("S.train").write_text("".join(f"{line}\n" for line in train))
    Path("S.test").write_text("".join(f"{a} {b} P 1\n" for a in "abcd" for b in "abcd"))
    words = ["-f", "S.train", "-t", "S.test", "-s", "+vdb+di", "-I", "base", *options.split()]

    their_run, their_files, our_run, our_files = both(*words)

    assert our_files == their_files
    assert our_run.lines == their_run.lines


@pytest.mark.peer
def test_cross_validation_is_timbls(toy):
    """Every fold has its answers and its percentage."""
    demo_rows("small_1.train")
    for name in ("cross_val.test", *(f"small_{i}.train" for i in range(1, 6))):
        Path(name).write_bytes((timbl.EXAMPLES / name).read_bytes())

    their_run, their_files, our_run, our_files = both("-f", "cross_val.test", "-t", "cross_validate", "-k3", "+vdb+di")

    assert our_files == their_files
    assert len(our_files) == 10
    assert our_run.lines == their_run.lines


@pytest.mark.peer
@pytest.mark.parametrize("names", ["123", "312", "231"])
def test_classes_that_not_every_fold_has(toy, names):
    """Counted where the fold's training lines have them; in the tables from the moment they were read."""
    Path("v1").write_text("a x P\na y P\nb x Q\n")
    Path("v2").write_text("c x P\na y Q\nb x Q\n")
    Path("v3").write_text("c x R\na y Q\nb x Q\n")
    Path("folds").write_text("".join(f"v{name}\n" for name in names))

    their_run, their_files, our_run, our_files = both("-f", "folds", "-t", "cross_validate", "+vcs+cm+db")

    assert our_files == their_files
    assert our_run.lines == their_run.lines


def test_training_alone_ends_with_1(toy):
    """As in TiMBL, where scripts know it."""
    done = ours("-f", "A.train")

    assert (done.status, done.err) == (1, "")
    assert "Number of Classes : 3" in done.out


REFUSED = {
    "": "Expected a training file (-f) or an instance base (-i)",
    "-f A.train -t A.test -k x": "Option -k: expected a whole number",
    "-f A.train -t A.test -R 3": "Option -R is not supported",
    "-f nofile -t A.test": "nofile: there is no such file",
    "-f A.train -t nofile": "nofile: there is no such file",
    "-f A.train -t A.test -O nofolder": "there is no folder nofolder",
    "-f A.train -t A.test -I nofolder/base": "there is no folder nofolder",
    "-f A.train -t A.test -w noweights": "noweights: there is no such file",
    "-f A.train -t A.test -w gz": "Option -w gz: expected a weighting (nw, gr, ig, x2, sv, sd) or a file of weights",
    "-f A.train -t A.test -w :gr": "Option -w :gr: expected the name of a file before the colon",
    "-f A.train -t A.test -d ED:-1": "Option -d ED:-1: expected a number of at least 0, got '-1'",
    "-f A.train -t A.test -w A.train": "expected the number of a feature and its weight",
    "-f A.train -t A.test -i A.train": "expected '# Status'",
    "-f A.train -t A.test -a2": "Algorithm TRIBL needs option -q",
    "-f A.train -t A.test -q2": "Option -q is for TRIBL (-a 2), not for IB1",
    "-f A.train -t A.test -a3": "Algorithm IB2 needs option -b",
    "-f A.train -t A.test -a3 -b9": "Option -b 9: expected fewer than the 7 lines",
    "-f A.train -t A.test -a1 -k2": "Option -k 2: IGTree has no neighbours",
    "-f A.train -t A.test -a1 -mM": "Option -m M: IGTree compares by overlap",
    "-f A.train -t A.test -a1 -dID": "Option -d ID: IGTree has no neighbours",
    "-f A.train -t A.test -a1 +vdb": "Option +vdb needs +D with IGTree",
    "-f A.train -t A.test -a1 +vn": "Option +vn: IGTree has no neighbours",
    "-f A.train -t A.test -a1 -Z": "Option -Z: IGTree has no neighbours",
    "-f A.train -t A.test +vcf": "Option +vcf needs option -G",
    "-f A.train -t A.test -s --occurrences=both": "cannot be combined",
    "-f A.train -t A.test -s": "no line of",
    "-f A.train -t A.test --sloppy": "Option --sloppy is for -t leave_one_out",
    "-f A.train -t leave_one_out -a1": "Option -t leave_one_out is for IB1",
    "-f A.train -t leave_one_out +vn": "not supported with -t leave_one_out",
    "-f A.train -t cross_validate": "there is no such file",
    "-f A.train -t cross_validate -o x": "Option -o cannot be combined with -t cross_validate",
    "-f A.train -t A.test -F Sparse": "Option -F Sparse needs option -N",
    "-f A.train -t A.test -F Compact": "Option -F Compact needs option -l",
    "-f A.train -t A.test -F C4.5": "expected features and a class",
    "-f A.train -t A.test -mO:I1-3": "all features are ignored",
    "-f A.train -t A.test -mC": "expected numbers, but feature 1 has 'a'",
    "-f A.train -t A.test -w sd": "standard_deviation",
    "-f A.train -t A.test --limit=9": "Option --limit=9: there are only 3 features",
    "-f A.train -t A.test -T 9": "Option -T 9",
    "-f A.train -t short": "has 2 features, but the training data have 3",
    "-f A.train -t commas": "the test file is in the C4.5 format",
    "-f A.train -t empty": "empty is empty",
    "-f empty -t A.test": "empty is empty",
    "-f A.train -t @badtests": "badtests, line 2: Option -a is not allowed in an option file",
    "-f A.train -t @empty": "expected one test per line",
    "-f A.train -t @notest": "Option -t is missing",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_done_is_refused_and_nothing_is_written(toy, words):
    """A message with the option or the file, status 1, and no file that was not there before."""
    Path("short").write_text("a x P\n")
    Path("commas").write_text("a,x,1,P\n")
    Path("empty").write_text("")
    Path("badtests").write_text("-t A.test\n-t A.test -a1\n")
    Path("notest").write_text("-k 3\n")
    before = {path: path.read_bytes() for path in toy.iterdir()}

    done = ours(*words.split(), *(["-I", "b", "-W", "w", "-n", "n"] if "-I" not in words and words else []))

    assert done.status == 1
    assert REFUSED[words] in done.err
    assert {path: path.read_bytes() for path in toy.iterdir()} == before


def test_the_command_is_called_like_the_program(toy):
    """Its words are TiMBL's, its exit status too, and nothing but the answers is written."""
    words = ["-f", "A.train", "-t", "A.test", "-k2", "+vdb"]
    done = subprocess.run(
        [sys.executable, "-m", "casebase", "timbl", *words], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "overall accuracy:        0.600000  (3/5), of which 1 exact matches" in done.stdout
    assert Path("A.test.IB1.O.gr.k2.out").read_text().splitlines()[1] == "b z 9 Q Q { Q 3.00000, R 1.00000 }"
    refused = subprocess.run(
        [sys.executable, "-m", "casebase", "timbl", "-f", "A.train", "-X", "x"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: Option -X is not supported")


def test_small_files_do_not_wait_for_large_libraries(toy):
    """Neither pandas, nor scikit-learn, nor rich is imported on the way."""
    program = (
        "import sys; from casebase.cli import main; sys.argv = ['casebase', 'timbl', '-f', 'A.train', '-t', 'A.test']\n"
        "try: main()\nexcept SystemExit: pass\n"
        "print([name for name in ('pandas', 'sklearn', 'rich', 'pyarrow.parquet') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.splitlines()[-1] == "[]"


def test_a_file_in_latin_1_comes_back_in_latin_1(toy):
    """Bytes are what is compared and what is shown."""
    Path("L").write_bytes(b"\xe9 x\n\xe8 y\n")

    assert ours("-f", "L", "-t", "L", "+vdb").status == 0
    assert Path("L.IB1.O.gr.k1.out").read_bytes() == b"\xe9 x x { x 1.00000 }\n\xe8 y y { y 1.00000 }\n"


def test_malformed_lines_are_told_and_left_out(toy):
    """On standard error, with their number."""
    Path("B.test").write_text("a x 3 P\nb z Q\n\na z 2 Q\n")

    done = ours("-f", "A.train", "-t", "B.test")

    assert done.err == "Warning: testfile, skipped line #2\nb z Q"
    assert "(2/2)" in done.out
