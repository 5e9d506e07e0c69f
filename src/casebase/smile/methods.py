"""The row of this family in the list of methods."""

from casebase.base.method import Method
from casebase.smile import flips, smile
from casebase.smile.files import read_smile, write_smile

SMILE = Method(
    "smile",
    "SMILE: every set of features on which enough cases agree",
    smile.fit,
    smile.SMILE,
    smile.Settings,
    write_smile,
    read_smile,
    keeps="cases",
    flip=flips.STRUCTURE,
    cost="n² for alpha",
)
