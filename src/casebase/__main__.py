"""`python -m casebase` and `casebase` are the command line."""

import os
import sys


def main() -> None:
    """Run the command line; without memory for its first modules, a message is all that it gives."""
    try:
        from casebase.cli import main as run
    except (MemoryError, ImportError) as error:
        if isinstance(error, ImportError) and "map segment" not in str(error):
            raise
        os.write(2, b"Error: not enough memory to start.\n")
        sys.exit(1)
    run()


if __name__ == "__main__":
    main()
