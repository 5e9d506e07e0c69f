"""Tables for training in parts, and the file that training in memory gives."""

from pathlib import Path
from typing import Any

import numpy as np

from casebase import methods
from casebase.cli.ids import new_ids
from casebase.confidence import calibrate, calibrate_by, is_calibrated_when_trained, split_apart
from casebase.data.kinds import cases_with_kinds
from casebase.data.roles import Roles
from casebase.formats.read import read_table
from casebase.scale import Resources, train

PLAIN = Roles()
SMALL = 200_000_000  # bytes of memory


def pieces(rows: int, *, n_threads: int = 1) -> Resources:
    """Return the resources with which a table is cut into parts, and its cases into ranges, of about so many rows."""
    return Resources(SMALL, n_threads=n_threads, rows=rows, part_bytes=20 * rows)


def write_words(path: Path, n: int = 400, *, seed: int = 0, n_features: int = 4, n_classes: int = 3) -> Path:
    """Write a table of words with repeated, rare and missing values; the class depends on two features and on noise."""
    rng = np.random.default_rng(seed)
    values = [np.minimum(rng.zipf(1.4, n), 3 + 9 * i) for i in range(n_features)]
    label = (values[0] * 2 + values[1]) % n_classes
    label = np.where(rng.random(n) < 0.15, rng.integers(0, n_classes, n), label)
    lines = [",".join([*(f"f{i}" for i in range(n_features)), "class"])]
    for row in range(n):
        words = ["" if rng.random() < 0.02 else f"w{value[row]}" for value in values]
        lines.append(",".join([*words, f"c{label[row]}"]))
    path.write_text("\n".join(lines) + "\n")
    return path


def write_mixed(path: Path, n: int = 300, *, seed: int = 1) -> Path:
    """Write a table with a column of decimals, which some rows lack."""
    rng = np.random.default_rng(seed)
    lines = ["colour,size,weight,class"]
    for _ in range(n):
        colour, size = f"c{rng.integers(5)}", ["small", "large"][rng.integers(2)]
        weight = "" if rng.random() < 0.05 else f"{rng.integers(40) / 4:.2f}"
        lines.append(f"{colour},{size},{weight},{'yes' if size == 'large' or rng.random() < 0.2 else 'no'}")
    path.write_text("\n".join(lines) + "\n")
    return path


def in_memory(
    path: Path,
    output: Path,
    learner: str,
    *,
    roles: Roles = PLAIN,
    ids: Path | None = None,
    held_out: float | None = None,
    **settings: Any,
) -> bytes:
    """Train in memory, as `casebase train` does, and return the bytes of the model file."""
    method, table = methods.method_named(learner), read_table(path)
    kinds = roles.kinds_of(table)
    cases = cases_with_kinds(table, kinds=kinds, find_others=False, ignore=roles.ignore, keep=roles.keep)
    if ids is not None:
        cases = cases.with_ids(new_ids(str(ids), table.n_rows))
    cases, apart = split_apart(cases, held_out)
    model = method.fit(cases, method.settings(**settings))
    calibration = calibrate(model, cases) if is_calibrated_when_trained(model) or apart is not None else None
    if apart is not None:
        calibration = calibrate_by(model, calibration, model.schema.recode(apart), apart.known_labels)
    methods.save(output, model, calibration=calibration)
    return output.read_bytes()


def in_parts(
    data: Any,
    output: Path,
    learner: str,
    *,
    resources: Resources | None = None,
    roles: Roles = PLAIN,
    ids: Path | None = None,
    held_out: float | None = None,
    **settings: Any,
) -> bytes:
    """Train in parts and return the bytes of the model file."""
    method = methods.method_named(learner)
    own = method.settings(**settings)
    given = None if ids is None else str(ids)
    train(data, output, method, own, resources or Resources(SMALL), roles=roles, ids=given, held_out=held_out)
    return output.read_bytes()
