"""`python -m casebase` is the command line."""

from casebase.cli import main

main()
