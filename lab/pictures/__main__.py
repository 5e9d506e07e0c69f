"""Write every picture, or those that are named: `python -m lab.pictures ib1 focus`."""

import sys

from lab.pictures.all import write

write(*sys.argv[1:])
