"""Where the laboratory finds the checkout it is part of."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
BUILD = ROOT / "build"  # reports, and data made for them
