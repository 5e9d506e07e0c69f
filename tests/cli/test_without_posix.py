"""Commands where Python has no functions of POSIX, as on Windows."""

import subprocess
import sys

import pytest

# What `os` and the standard library do not have there. The other libraries call os.uname here, so it stays.
MISSING = (
    "chown fork forkpty getuid geteuid getgid getloadavg sysconf statvfs pread pwrite set_blocking get_blocking "
    "sched_getaffinity fchmod fchown lockf getgroups posix_fallocate posix_fadvise memfd_create copy_file_range "
    "sendfile killpg nice register_at_fork wait wait3 WNOHANG O_NONBLOCK O_DIRECTORY O_CLOEXEC O_NOFOLLOW"
)
PROGRAM = f"""
import os, signal, sys
for name in {MISSING.split()}:
    if hasattr(os, name):
        delattr(os, name)
sys.modules.update(dict.fromkeys(["resource", "pwd", "grp", "termios"]))
signal.set_wakeup_fd = lambda *_, **__: -1  # which needs set_blocking on POSIX alone
from casebase.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there the other tests show it")
def test_commands_need_no_functions_of_posix(tmp_path):
    """A model is trained, corrected and asked."""
    (tmp_path / "table.csv").write_text("size,colour,kind\n" + "big,red,A\nsmall,blue,B\n" * 5)
    for arguments in (
        ["train", "table.csv", "-o", "m.cb", "--learner", "ib1"],
        ["insert", "m.cb", "table.csv"],
        ["remove", "m.cb", "3"],
        ["predict", "m.cb", "table.csv", "-o", "answers.csv"],
        ["evaluate", "m.cb", "table.csv"],
    ):
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False
        )

        assert ran.returncode == 0, (arguments, ran.stderr)
