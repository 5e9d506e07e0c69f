"""Pattern files of TeX, LibreOffice and web browsers: readers and writers for competing patterns.

    write: PatternSet → `Digits` (`digits`: letters only, one digit for each place) → text (`tex`, `dic`)
    read:  text → `Digits` → PatternSet

TeX and the libraries that follow it take the highest digit at each place over all patterns that occur there; odd
digits allow a break. A `PatternSet` does the same; only patterns of classes, a default that allows breaks, and marks
that stay with their letter need a translation (see `digits`).
"""

from casebase.errors import TooManyPatternsError
from casebase.hyphenation.pattern_files.dic import from_dic, to_dic
from casebase.hyphenation.pattern_files.dictionary import Break, Change, Dictionary, dictionary_of, read_dictionary
from casebase.hyphenation.pattern_files.digits import MAX_EXPANSION
from casebase.hyphenation.pattern_files.exceptions import leftovers, with_exceptions
from casebase.hyphenation.pattern_files.read import READERS, read_patterns
from casebase.hyphenation.pattern_files.records import from_json, to_json
from casebase.hyphenation.pattern_files.tex import from_tex, to_tex

__all__ = [
    "MAX_EXPANSION",
    "READERS",
    "Break",
    "Change",
    "Dictionary",
    "TooManyPatternsError",
    "dictionary_of",
    "from_dic",
    "from_json",
    "from_tex",
    "leftovers",
    "read_dictionary",
    "read_patterns",
    "to_dic",
    "to_json",
    "to_tex",
    "with_exceptions",
]
