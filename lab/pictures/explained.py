"""The README's picture: the page of one explained prediction, photographed by Chromium.

`python -m lab.pictures.explained` writes `docs/explained.png`; it needs Chromium on the PATH.
"""

import subprocess
import tempfile
from pathlib import Path

import pandas as pd

import casebase as cb
from lab.paths import DOCS

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
WIDTH, HEIGHT, SCALE = 880, 860, 1.5


def page() -> str:
    """Return the page of one prediction on the weather data."""
    weather = cb.datasets.load_weather()
    days = [dict(zip(weather.feature_names, row)) for row in weather.data.tolist()]
    ids = [f"day {number}" for number in range(1, len(days) + 1)]
    clf = cb.IB1Classifier(k=2).fit(days, pd.Series(weather.target, name="play"), ids=ids)
    query = {"outlook": "sunny", "temperature": "cool", "humidity": "high", "windy": "true"}
    evidence = clf.explain([query])
    about = {name: evidence.about[name] for name in ("Class variable", "Learner", "Records", "Fingerprint")}
    return cb.render_html(evidence, title="Why this prediction", about=about)


def write(path: Path = DOCS / "explained.png") -> None:
    """Photograph the page."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "page.html"
        source.write_text(page(), encoding="utf-8")
        options = [f"--user-data-dir={folder}/profile", f"--window-size={WIDTH},{HEIGHT}"]
        options += [f"--force-device-scale-factor={SCALE}", f"--screenshot={path}"]
        subprocess.run(["chromium", *QUIET, *options, source.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    write()
