"""Names of the C++ core: one namespace, so one definition of each class."""

import re
from collections import Counter

from tests.paths import ROOT

# A class at the left margin is at namespace level; a nested one is indented.
DEFINITION = re.compile(r"^(?:class|struct|enum class) (\w+)[^;]*\{", re.MULTILINE)


def test_no_two_headers_define_the_same_class():
    """Regression: two classes TreeGrower; the linker took the members of one for the other, and C4.5 crashed."""
    names = Counter(
        name
        for header in sorted((ROOT / "src" / "core").rglob("*.hpp"))
        for name in DEFINITION.findall(header.read_text(encoding="utf-8"))
    )

    assert len(names) > 50
    assert [name for name, n in names.items() if n > 1] == []
