"""The files that are measured: Brown windows where the corpus is present, else generated text of the same shape."""

import os
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / "build" / "bench-data"


@dataclass(frozen=True)
class Files:
    """Training files by number of lines, and a test file, in TiMBL's Columns format (12 features, class last)."""

    name: str
    train: dict[str, Path]
    test: Path
    n_lines: dict[str, int]


def windows() -> Files:
    """Return the benchmark's files, made once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    script = Path(os.environ.get("CASEBASE_DATA", ROOT.parent / "shared" / "data")) / "brown_windows.py"
    name = "brown" if script.exists() else "generated"
    full, test = CACHE / f"{name}.train", CACHE / f"{name}.test"
    if not (full.exists() and test.exists()):
        if script.exists():
            subprocess.run([sys.executable, str(script), str(CACHE / name)], check=True)
        else:
            _generate(full, 1_044_663, seed=1)
            _generate(test, 116_529, seed=2)
    train, n_lines = {}, {}
    for label, wanted in (("10k", 10_000), ("100k", 100_000)):
        train[label] = head(full, wanted, CACHE / f"{name}.{label}.train")
        n_lines[label] = wanted
    train["1M"] = full
    with open(full, "rb") as file:
        n_lines["1M"] = sum(1 for _ in file)
    return Files(name, train, test, n_lines)


def head(path: Path, n_lines: int, out: Path) -> Path:
    """Return a file with the first lines of another."""
    if not out.exists():
        with open(path, "rb") as source, open(out, "wb") as target:
            for _, line in zip(range(n_lines), source):
                target.write(line)
    return out


def mixed() -> tuple[Path, Path, list[int]]:
    """Return a training and a test file with six symbolic and six numeric features, and the latter's positions."""
    CACHE.mkdir(parents=True, exist_ok=True)
    train, test = CACHE / "mixed.train", CACHE / "mixed.test"
    n_values = (5, 20, 100, 8, 50, 300)
    for path, n_cases, seed in ((train, 50_000, 1), (test, 2_000, 2)):
        if path.exists():
            continue
        draw = random.Random(seed)
        with open(path, "w") as file:
            for _ in range(n_cases):
                label = draw.randrange(6)
                symbols = [
                    f"v{(label * 7 + f * 3) % n if draw.random() < 0.5 else draw.randrange(n)}"
                    for f, n in enumerate(n_values)
                ]
                numbers = [f"{draw.gauss(label * 0.7 * (f + 1) / 3, 1 + f * 0.3):.3f}" for f in range(6)]
                file.write(" ".join([*symbols, *numbers, f"c{label}"]) + "\n")
    return train, test, list(range(6, 12))


def two_words() -> tuple[Path, Path]:
    """Return files of 20,000 and 3,000 lines with two words (the one before, and the word) and a class."""
    files = windows()
    paths = []
    for source, n_lines, kind in ((files.train["100k"], 20_000, "train"), (files.test, 3_000, "test")):
        path = CACHE / f"{files.name}.words.{kind}"
        if not path.exists():
            lines = [line.split() for _, line in zip(range(n_lines), source.open(encoding="utf-8"))]
            path.write_text("".join(f"{line[2]} {line[3]} {line[-1]}\n" for line in lines), encoding="utf-8")
        paths.append(path)
    return paths[0], paths[1]


def small() -> tuple[Path, Path]:
    """Return TiMBL's diminutives where they are installed, else as many lines of the windows."""
    folder = Path("/usr/share/doc/timbl/examples")
    if (folder / "dimin.train").exists():
        return folder / "dimin.train", folder / "dimin.test"
    files = windows()
    test = head(files.test, 950, CACHE / f"{files.name}.950.test")
    return head(files.train["10k"], 3_000, CACHE / f"{files.name}.3k.train"), test


def _generate(path: Path, n_cases: int, seed: int) -> None:
    """Write windows over text of random words whose frequencies fall as in a corpus."""
    lexicon = random.Random(0)
    letters = "etaoinshrdlucmfwypvbgkjqxz"
    words = ["".join(lexicon.choices(letters, range(26, 0, -1), k=lexicon.randint(2, 10))) for _ in range(45_000)]
    tags = {word: lexicon.sample([f"t{i}" for i in range(80)], lexicon.choice((1, 1, 1, 2, 3))) for word in words}
    weights = [1 / (rank + 3) for rank in range(len(words))]
    cumulative = [0.0]
    for weight in weights:
        cumulative.append(cumulative[-1] + weight)
    draw = random.Random(seed)
    text = draw.choices(words, cum_weights=cumulative[1:], k=n_cases + 4)
    said = [draw.choices(tags[word], range(len(tags[word]), 0, -1))[0] for word in text]
    with open(path, "w") as file:
        for i in range(2, n_cases + 2):
            word = text[i]
            around = [";".join(tags[text[j]]) for j in (i, i + 1, i + 2)]
            values = [said[i - 2], said[i - 1], text[i - 1], word, *around, text[i + 1]]
            values += [word[0], word[-3:], word[-2:], word[-1:], said[i]]
            file.write(" ".join(values) + "\n")
