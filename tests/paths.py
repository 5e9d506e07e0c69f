"""Where tests find the checkout and the data beside it."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SHARED = ROOT.parent / "shared" / "data"  # may be absent
