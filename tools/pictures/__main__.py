"""Write every picture, or those that are named: `python -m tools.pictures ib1 focus`."""

import sys

from tools.pictures.all import write

write(*sys.argv[1:])
