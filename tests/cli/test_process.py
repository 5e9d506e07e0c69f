"""The process of a command: closed streams, signals, and too little memory."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")


def in_shell(line, folder):
    """Run a line of the shell in which `casebase` is the program."""
    line = line.replace("casebase", f"'{sys.executable}' -m casebase")
    return subprocess.run(["sh", "-c", line], cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("casebase predict weather.cb - <&-", "Error: Standard input is closed: pass the name of a file"),
        ("casebase predict weather.cb weather.csv >&-", "Error: cannot write to standard output: Bad file descriptor."),
    ],
)
def test_a_closed_stream_is_an_error_with_a_message(line, message, model, weather):
    """Regression: tracebacks, because Python has no object for a stream that is closed."""
    ran = in_shell(line, model.parent)

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(message), ran.stderr


@pytest.mark.parametrize("megabytes", [40, 150, 260])
def test_too_little_memory_is_one_line(megabytes, model, weather):
    """Regression: tracebacks of imports, or the last words of a library."""
    ran = in_shell(f"ulimit -v {megabytes * 1024}; casebase predict weather.cb weather.csv", model.parent)

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("Error: not enough memory"), ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("megabytes", [290, 320, 360, 420])
def test_memory_that_ends_during_the_work_is_a_message(megabytes, model, weather):
    """Regression: `cannot allocate memory for thread-local data: ABORT`, or a crash; a larger machine may answer."""
    ran = in_shell(f"ulimit -v {megabytes * 1024}; casebase train weather.csv -o limited.cb", model.parent)

    assert "Traceback" not in ran.stderr
    if ran.returncode:
        assert ran.returncode == 1
        assert ran.stderr.splitlines()[-1].startswith("Error: not enough memory"), ran.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell the time of processes")
@pytest.mark.parametrize(
    ("taken", "work", "code"),
    [(924, "zero.read(2**22)", 1), (1, "zero.read(2**22)", 0), (924, "sum(range(10**5))", 0)],
    ids=["nowhere", "with memory left", "computing"],
)
def test_a_process_that_gets_nowhere_for_lack_of_memory_is_ended(taken, work, code):
    """Regression: OpenBLAS asked the system for memory for ever, and the command never ended."""
    script = (
        "import mmap, resource, time\n"
        "from casebase.cli import process\n"
        "process.STUCK = 0.4\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "process.guard_memory()\n"
        f"taken, zero = mmap.mmap(-1, {taken} * 2**20), open('/dev/zero', 'rb', 0)\n"
        f"while time.process_time() < 2.0:\n    {work}\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)

    assert (ran.returncode, ran.stderr) == (code, "Error: not enough memory.\n" if code else "")


def test_a_crash_for_lack_of_memory_is_a_message(tmp_path):
    """What ends the process without an error of Python is told by the process that watches it; so is an exit code."""
    script = (
        "import os, resource, signal\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))\n"
        "from casebase.cli.process import guard_memory\n"
        "guard_memory()\n"
    )
    for end, code, message in (
        ("os.kill(os.getpid(), signal.SIGSEGV)", 1, "Error: not enough memory.\n"),
        ("os._exit(127)", 1, "Error: not enough memory.\n"),
        ("import ctypes; ctypes.CDLL(None).exit(1)", 1, "Error: not enough memory.\n"),  # as OpenBLAS does
        ("import sys; sys.exit(1)", 1, ""),
        ("os._exit(3)", 3, ""),
        ("os.kill(os.getpid(), signal.SIGTERM)", 128 + signal.SIGTERM, ""),
    ):
        ran = subprocess.run([sys.executable, "-c", script + end], capture_output=True, text=True, timeout=60)
        assert (ran.returncode, ran.stderr) == (code, message)


def signalled(script, number, folder):
    """Run a script, send it a signal when it prints a line, and return its exit code and its messages."""
    begin = "from casebase.cli.process import hear_signals; hear_signals()\n"
    with subprocess.Popen(
        [sys.executable, "-c", begin + script], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)  # until it is in compiled code
        os.kill(process.pid, number)
        _, messages = process.communicate(timeout=60)
    return process.returncode, messages


def test_sigterm_leaves_no_unfinished_file(tmp_path):
    """Regression: the temporary file of the output stayed."""
    script = (
        "import time\n"
        "from casebase.batches.output import TextOutput\n"
        "with TextOutput('answers.txt') as out:\n"
        "    out.begin(); out.write('a')\n"
        "    print('ready', flush=True); time.sleep(100)\n"
    )

    assert signalled(script, signal.SIGTERM, tmp_path)[0] == 128 + signal.SIGTERM
    assert os.listdir(tmp_path) == []


DEAF = (
    "import hashlib, pathlib\n"
    "from casebase.leftovers import UNFINISHED\n"
    "path = pathlib.Path('unfinished.tmp'); path.touch(); UNFINISHED.add(path)\n"
    "print('ready', flush=True)\n"
    "hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)\n"  # an hour in compiled code
)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_what_python_does_not_hear(number, tmp_path):
    """A computation in compiled code ends with the process, and its unfinished files are removed."""
    code, messages = signalled(DEAF, number, tmp_path)

    assert code == 128 + number
    assert messages == ("Interrupted: nothing was changed.\n" if number == signal.SIGINT else "")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "begin",
    [
        "from casebase.formats.stored import Scratch; scratch = Scratch('.'); name = scratch.new_path()",
        "from casebase.scale.scratch import scratch_folder; made = scratch_folder(pathlib.Path('new.cb'), None, {}); "
        "name = made.__enter__() / 'part'",
        "from casebase.base.lock import lock_file; lock = lock_file('new.cb', 'casebase'); name = 'new.cb.lock'",
    ],
    ids=["a copy of standard input", "parts", "a lock"],
)
def test_a_signal_that_is_not_heard_leaves_no_folder_and_no_lock(begin, tmp_path):
    """Regression: they stayed, with all that had come by standard input."""
    script = "import pathlib\n" + begin + "\n" + DEAF.replace("'unfinished.tmp'", "name")
    script = script.replace("UNFINISHED.add(path)", "")

    assert signalled(script, signal.SIGTERM, tmp_path)[0] == 128 + signal.SIGTERM
    assert os.listdir(tmp_path) == []


def test_a_program_that_hears_the_signal_itself_goes_on(tmp_path):
    """Regression: its handler was gone when it was looked for, and the process ended: workers of the tests did."""
    script = (
        "import signal, time\n"
        "usual = signal.getsignal(signal.SIGINT)\n"
        "signal.signal(signal.SIGINT, lambda *_: signal.signal(signal.SIGINT, usual))\n"
        "print('ready', flush=True)\n"
        "while signal.getsignal(signal.SIGINT) is not usual: pass\n"
        "begin = time.process_time()\n"
        "while time.process_time() < begin + 1.2: pass\n"
        "raise SystemExit(7)\n"
    )

    assert signalled(script, signal.SIGINT, tmp_path)[0] == 7


def test_ctrl_c_ends_a_long_prediction(tmp_path):
    """In a program of one's own it is an exception: regression, it was heard after all answers."""
    script = (
        "import numpy as np, casebase as cb\n"
        "draw = np.random.default_rng(0)\n"
        "rows = draw.integers(0, 9, (30_000, 12)).astype(str)\n"
        "model = cb.IB1Classifier(weighting='none', n_jobs=1).fit(rows, rows[:, 0])\n"
        "queries = draw.integers(0, 9, (40_000, 12)).astype(str)\n"
        "cases = model.model_.schema.encode(queries)\n"
        "print('ready', flush=True)\n"
        "try: model.model_.answer(cases)\n"
        "except KeyboardInterrupt: raise SystemExit(7)\n"
    )

    assert signalled(script, signal.SIGINT, tmp_path)[0] == 7


def test_a_warning_to_the_user_is_a_line_of_text(tmp_path):
    """No place in the code, and no control characters; a warning to developers keeps its place."""
    script = """
import warnings
from casebase.cli import process
process.show_warnings()
warnings.warn("a long search: \\x1b[31mmay take 90 s more")
warnings.warn("old", FutureWarning)
"""
    ended = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, timeout=60)

    first, second = ended.stderr.splitlines()[:2]
    assert first.startswith("Warning: a long search: ")
    assert "\x1b" not in first
    assert second.endswith("FutureWarning: old")
