"""The trial of a workbook: another process opens it first, because a hostile file can end the process that reads it.

The reader stores every cell of the rectangle between the first and the last value. Two cells in opposite corners of a
sheet are a file of a kilobyte and need 550 GB, and an allocation that fails ends the process: no error can be caught.
So a process with limited memory tries it. It uses the same reader, so no trick of a file can make the two differ.
"""

import subprocess
import sys
import threading

from casebase.errors import FormatError

MOST_CELLS = 20_000_000  # of a sheet, the empty ones between the others too
MEMORY = 2 << 30  # bytes of the process: such a sheet needs 64 bytes per cell
SECONDS = 120.0
TOO_LARGE = 3  # the exit code

# The limit of memory exists on Unix only; elsewhere an allocation of such a size fails by itself.
SCRIPT = f"""
import io, os, sys
sys.path[:] = sys.argv[2:]
from python_calamine import CalamineWorkbook
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except (ImportError, ValueError, OSError):
    pass
try:
    workbook = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
    for name in workbook.sheet_names:
        try:
            sheet = workbook.get_sheet_by_name(name)
        except Exception:
            continue
        if sheet.height * sheet.width > int(sys.argv[1]):
            os._exit({TOO_LARGE})
except MemoryError:
    os._exit({TOO_LARGE})
except BaseException:
    pass
os._exit(0)
"""
_one_at_a_time = threading.Lock()  # several would need several times the memory


def try_to_open(name: str, data: bytes) -> None:
    """Raise an error if a workbook cannot be opened within the limits; other faults are left to the reader."""
    if not sys.executable or hasattr(sys, "frozen"):  # Python inside another program
        return
    command = [sys.executable, "-I", "-c", SCRIPT, str(MOST_CELLS), *sys.path]
    try:
        with _one_at_a_time:
            code = subprocess.run(
                command, input=data, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=SECONDS, check=False
            ).returncode
    except subprocess.TimeoutExpired:
        raise FormatError(
            f"{name}: the workbook takes longer than {SECONDS:.0f} seconds to open. Save the table as CSV."
        ) from None
    if code not in (0, 1):  # 1 is an error of Python itself, such as a package that is missing
        raise FormatError(
            f"{name}: a sheet has more than {MOST_CELLS:,} cells between its first and its last value, or the workbook "
            "is damaged. Delete stray values far from the table, or save the table as CSV."
        )
