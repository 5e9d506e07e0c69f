"""A data frame with columns of every kind, and the file that a training in memory gives."""

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather

from tests.scale.tables import in_memory


def mixed_frame(n: int = 400, *, seed: int = 2) -> pd.DataFrame:
    """Return a frame of texts, categories, ordered categories, numbers and truth values, some of them missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "word": [None if rng.random() < 0.03 else f"w{value % 50}" for value in rng.zipf(1.5, n)],
            "colour": pd.Categorical(rng.choice(["red", "green", "blue"], n)),
            "size": pd.Categorical(rng.choice(["small", "large"], n), categories=["small", "large"], ordered=True),
            "weight": np.where(rng.random(n) < 0.05, np.nan, rng.integers(0, 40, n) / 4),
            "count": rng.integers(0, 9, n),
            "new": rng.random(n) < 0.3,
        }
    )
    frame["class"] = np.where((frame["colour"] == "red") | (rng.random(n) < 0.3), "yes", "no")
    return frame


def file_of_memory(frame: pd.DataFrame, folder: Path, learner: str) -> bytes:
    """Return the file of a training in memory on the whole frame."""
    path = folder / "frame.feather"
    pyarrow.feather.write_feather(pa.Table.from_pandas(frame, preserve_index=False), path)
    return in_memory(path, folder / "memory.cb", learner)
