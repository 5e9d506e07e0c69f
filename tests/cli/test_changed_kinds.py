"""Columns that have another kind than in training: a prediction, or a message of casebase; never a traceback.

`symbolic columns must come before numeric ones` and `a tree is walked with codes, not with numbers` are checks of the
compiled core. A query becomes codes or numbers by the features of the model, not by its own columns, so no file may
reach them.
"""

import pytest

from casebase.methods import METHODS

LEARNERS = [name for name in METHODS if name != "auto"]
HEADER = "size,kind,made,class\n"
TRAINING = {
    "numbers": [("1.5", "2", "3.25"), ("2.5", "4", "1.5"), ("3.5", "2", "0.5"), ("1.0", "6", "2.75")],
    "texts": [("red", "a", "x"), ("blue", "b", "y"), ("red", "c", "x"), ("green", "a", "z")],
    "mixed": [("red", "2.5", "x"), ("blue", "1.5", "y"), ("green", "0.25", "x"), ("red", "4.5", "z")],
    "dates": [
        ("2020-01-02", "2.5", "a"),
        ("2021-03-04", "1.5", "b"),
        ("2020-05-06", "0.5", "a"),
        ("2022-07-08", "4", "c"),
    ],
}
OPTIONS = {
    "numbers": [[], ["--kinds", "auto"], ["--discretise", "mdlp"]],
    "texts": [[]],
    "mixed": [[], ["--kinds", "auto"], ["--discretise", "mdlp"]],
    "dates": [[]],
}
ASKED = {
    **TRAINING,
    "whole": [("1", "2", "3"), ("4", "5", "6")],
    "missing": [("", "?", ""), ("NA", "", "?")],
    "half": [("1.5", "a", "2020-01-02"), ("red", "2.5", "x")],
    "infinite": [("inf", "nan", "-inf"), ("1e999", "1_0", "0x1")],
}
N_FILES = 2  # of the five of a kind of change; all of them take minutes
COMMANDS = [
    ["predict"],
    ["predict", "--proba"],
    ["explain"],
    ["evaluate"],
    ["insert"],
]


def rows_of(rows):
    return "".join(",".join([*row, "PQ"[i % 2]]) + "\n" for i, row in enumerate(rows))


def files_of(rows):
    """Return files with these rows: with and without a header or a class, reordered, and typed by the format."""
    turned = HEADER.replace("size,kind", "kind,size") + rows_of([(b, a, c) for a, b, c in rows])
    headless = rows_of(rows)
    without_class = "size,kind,made\n" + "".join(",".join(row) + "\n" for row in rows)
    records = "".join(
        f'{{"size": {_json(a)}, "kind": {_json(b)}, "made": {_json(c)}, "class": "P"}}\n' for a, b, c in rows
    )
    return {
        "header.csv": HEADER + headless,
        "headless.csv": headless,
        "turned.csv": turned,
        "asked.csv": without_class,
        "typed.jsonl": records,
    }


def _json(text):
    try:
        return repr(float(text)) if abs(float(text)) < 1e300 else "null"
    except ValueError:
        return f'"{text}"' if text not in ("", "?") else "null"


def check(ran):
    """A command answers, or says in one message what is wrong."""
    assert "Traceback" not in ran.err
    assert ran.code in (0, 1, 2), ran.err


@pytest.mark.parametrize("trained", TRAINING)
@pytest.mark.parametrize("learner", LEARNERS)
def test_columns_of_another_kind(run, tmp_path, learner, trained):
    """Every learner takes or refuses every kind of column, whatever command asks and however the file is written."""
    data = tmp_path / "train.csv"
    data.write_text(HEADER + rows_of(TRAINING[trained] * 3))
    turn = LEARNERS.index(learner)
    for options in OPTIONS[trained]:
        model = tmp_path / "model.cb"
        check(run("train", data, "-o", model, "--learner", learner, *options))
        for i, rows in enumerate(ASKED.values() if model.exists() else ()):
            files = list(files_of(rows).items())
            for j in range(N_FILES):
                name, text = files[(turn + i + j) % len(files)]
                (tmp_path / name).write_text(text)
                command, *more = COMMANDS[(turn + i + 2 * j) % len(COMMANDS)]
                check(run(command, model, tmp_path / name, *more))
        model.unlink(missing_ok=True)
