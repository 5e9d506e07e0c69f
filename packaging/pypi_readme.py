"""README.md as PyPI shows it: its links point to this version's files, since PyPI has none of them.

scikit-build-core calls `dynamic_metadata` when it builds a wheel or an sdist (`tool.scikit-build.metadata.readme`).
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# The target of a link or of an image in Markdown, unless it is an address or a heading of the same page.
RELATIVE = re.compile(r"(?P<image>!?)(?P<text>\[[^\]]*\])\((?![a-z]+:|#)(?P<target>[^)\s]+)\)")


def dynamic_metadata(field: str, settings: Mapping[str, Any] | None = None, *_: object) -> dict[str, str]:
    """Return the readme for the metadata of a distribution."""
    assert field == "readme", field
    return {"content-type": "text/markdown", "text": absolute((ROOT / "README.md").read_text(encoding="utf-8"))}


def absolute(text: str) -> str:
    """Return Markdown with absolute addresses: pages as GitHub shows them, images as they are."""
    source = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]["Source"]
    found = re.search(r'^__version__ = "(.+)"$', (ROOT / "src/casebase/__init__.py").read_text(), flags=re.MULTILINE)
    assert found
    tag = f"v{found[1]}"
    return RELATIVE.sub(
        lambda link: (
            f"{link['image']}{link['text']}({source}/{'raw' if link['image'] else 'blob'}/{tag}/{link['target']})"
        ),
        text,
    )
