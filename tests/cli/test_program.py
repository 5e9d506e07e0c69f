"""The program as a whole: start, help, exit codes, streams, interruption."""

import os
import re
import signal
import subprocess
import sys

import pytest

from casebase.cli import COMMANDS, cli
from tests.cli.conftest import WEATHER


def test_help_loads_nothing_heavy():
    """`casebase --help` starts at once: neither numpy, pyarrow nor scikit-learn is imported."""
    script = (
        "import sys; sys.argv = ['casebase', '--help']\n"
        "from casebase.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'pyarrow', 'sklearn', 'scipy', 'pandas', 'rich', 'safetensors'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("command", ["predict", "evaluate", "inspect", "weights", "explain", "train"])
def test_commands_do_without_scikit_learn(command):
    """Only the estimators know scikit-learn; a command never loads it."""
    script = f"import sys, casebase.cli.{command}; sys.exit('sklearn' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", script]).returncode == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(run, command):
    """The help of a command is a text that ends in an example that can be typed."""
    text = run(command, "--help").out.split("\nOptions:")[0].rstrip()
    example = text[text.rindex("Example") :]

    assert f"casebase {command}" in example
    assert len(text.splitlines()) >= 4


def test_every_example_names_options_that_exist(run):
    """An example of a help text parses."""
    for name in COMMANDS:
        known = run(name, "--help").out
        text = known.split("\nOptions:")[0]
        for word in text[text.rindex("Example") :].split():
            assert not word.startswith("--") or word in known


def test_help_lists_every_command(run):
    """The overview has a line per command."""
    assert all(f"\n  {name} " in run("--help").out for name in COMMANDS)
    assert all(cli.get_command(None, name).name == name for name in COMMANDS)


def test_python_m_casebase(program):
    """The program also runs as a module."""
    ran = program("--version")

    assert (ran.code, ran.out) == (0, "casebase, version 0.1.0\n")


def test_unknown_command_offers_the_nearest(program):
    """A misspelt command is wrong usage, with the nearest spelling."""
    ran = program("trian")

    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean 'train'?" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["train", "data.csv"],
        ["predict", "m.cb"],
        ["evaluate", "data.csv"],
        ["evaluate", "a", "b", "c"],
        ["evaluate", "data.csv", "--cv", "2", "--loo"],
        ["explain", "m.cb"],
        ["train", "--nonsense"],
        ["train", "data.csv", "-o", "-"],
        ["train", "data.csv", "-o", "m.cb", "--learner", "ib3"],
        ["explain", "m.cb", "d.csv", "--case", "a b"],
        ["train", "d.csv", "-o", "m.cb", "-k", "one"],
        ["train", "d.csv", "-o", "m.cb", "--learner", "tribl", "--switch", "some"],
    ],
)
def test_wrong_usage_is_exit_code_2(run, arguments):
    """Usage mistakes end in 2 and print nothing on standard output."""
    ran = run(*arguments)

    assert (ran.code, ran.out) == (2, "")
    assert "Error: " in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "data.csv", "--cv", 2, "--seed", -1],
        ["train", "data.csv", "-o", "m.cb", "--learner", "rules", "--window", 0.5, "--random-state", -1],
        ["train", "data.csv", "-o", "m.cb", "--learner", "perceptron_tree", "--random-state", -1],
        ["tagger", "train", "corpus.tsv", "--cv", 2, "--random-state", -1],
        ["hyphen", "train", "words.txt", "-o", "m.cb", "--random-state", -1],
    ],
    ids=lambda arguments: " ".join(map(str, arguments)),
)
def test_a_seed_below_zero_is_refused(run, tmp_path, monkeypatch, arguments):
    """Regression: where folds or a window are drawn it ended in a traceback."""
    (tmp_path / "data.csv").write_text("size,class\nsmall,P\nlarge,Q\nsmall,P\nlarge,Q\n")
    (tmp_path / "corpus.tsv").write_text("the\tD\ndog\tN\n\na\tD\ncat\tN\n")
    (tmp_path / "words.txt").write_text("ka-la\nta-lo\n")
    monkeypatch.chdir(tmp_path)

    ran = run(*arguments)
    assert (ran.code, "--random-state" in ran.err) == (2, True)


def test_wrong_data_is_exit_code_1_without_traceback(program, tmp_path):
    """A mistake in the data is a message on standard error."""
    ran = program("train", tmp_path / "nothing.csv", "-o", tmp_path / "m.cb")

    assert (ran.code, ran.out) == (1, "")
    assert ran.err == f"Error: {tmp_path / 'nothing.csv'}: there is no such file.\n"


def test_results_and_messages_go_different_ways(program, weather, tmp_path):
    """Training prints nothing on standard output; predicting nothing on standard error."""
    trained = program("train", weather, "-o", tmp_path / "m.cb", "--learner", "ib1")
    answered = program("predict", tmp_path / "m.cb", weather)

    assert (trained.code, trained.out) == (0, "")
    assert trained.err.startswith(
        "ib1: 14 cases, 4 features, 2 classes; class play, header in the first line; 14 cases in memory;"
    )
    assert (answered.code, answered.err) == (0, "")
    assert len(answered.out.splitlines()) == 14


@pytest.mark.parametrize(
    "arguments", [["predict", "MODEL", "DATA"], ["evaluate", "MODEL", "DATA"], ["explain", "MODEL", "DATA", "--json"]]
)
def test_a_reader_that_leaves_is_no_error(model, tmp_path, arguments):
    """`casebase … | head` ends quietly and well; it was an error for tables and long results."""
    data = tmp_path / "many.csv"
    data.write_text("".join([WEATHER.splitlines(True)[0], *(WEATHER.splitlines(True)[1:] * 10)]))
    command = [str({"MODEL": model, "DATA": data}.get(word, word)) for word in arguments]
    read_end, write_end = os.pipe()
    os.close(read_end)
    ran = subprocess.run([sys.executable, "-m", "casebase", *command], stdout=write_end, stderr=subprocess.PIPE)
    os.close(write_end)

    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["inspect", "{model}"], ["predict", "{model}", "{data}"], ["--help"]])
def test_a_full_disk_behind_standard_output_is_a_message(model, weather, arguments):
    """What cannot be written ends in one line, not in a traceback."""
    words = [word.format(model=model, data=weather) for word in arguments]
    with open("/dev/full", "w") as full:
        ran = subprocess.run([sys.executable, "-m", "casebase", *words], stdout=full, stderr=subprocess.PIPE, text=True)

    assert ran.returncode == 1
    assert ran.stderr == "Error: cannot write to standard output: No space left on device.\n"


@pytest.mark.parametrize("arguments", [["inspect", "a" * 300], ["train", "{data}", "-o", "a" * 300]])
def test_a_name_that_no_file_can_have_is_named(weather, arguments):
    """Regression: the message was about standard output."""
    words = [word.format(data=weather) for word in arguments]
    ran = subprocess.run([sys.executable, "-m", "casebase", *words], capture_output=True, text=True)

    assert ran.returncode == 1
    assert re.search(r"^Error: a{300}.*: File name too long\.$", ran.stderr, re.MULTILINE)


def test_ctrl_c_is_a_message(tmp_path):
    """Interrupted while waiting for input: exit code 130, no traceback, the old model stays."""
    old = tmp_path / "m.cb"
    old.write_bytes(b"the old model")
    command = [sys.executable, "-m", "casebase", "train", "-", "-o", str(old)]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell that runs the tests in the background makes all that they start ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    process.stdin.write(b"a,b\n" * 100_000)  # more than a pipe holds: when it is written, it is being read
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)

    assert (process.returncode, out) == (130, b"")
    assert b"Traceback" not in err
    assert b"Interrupted" in err
    assert [p.name for p in tmp_path.iterdir()] == ["m.cb"]
    assert old.read_bytes() == b"the old model"
