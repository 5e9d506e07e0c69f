"""The benchmark's files: windows over Brown if the corpus is present, else over generated text of the same shape."""

import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from lab import local
from lab.bench.sizes import Sizes, short
from lab.paths import BUILD
from lab.peers import timbl

CACHE = BUILD / "bench-data"


@dataclass(frozen=True)
class Files:
    """Training files with their numbers of lines, and a test file, in TiMBL's Columns format; 12 features."""

    name: str
    few: Path
    middle: Path
    many: Path
    test: Path
    n_lines: dict[Path, int]

    def size(self, path: Path) -> str:
        """Return how the report names the number of cases in a file."""
        return short(self.n_lines[path])

    def asked(self, n_lines: int) -> Path:
        """Return the first lines of the test file."""
        return head(self.test, n_lines, CACHE / f"{self.name}.{n_lines}.test")


def windows(sizes: Sizes) -> Files:
    """Return the benchmark's files, cached; small ones are always generated."""
    CACHE.mkdir(parents=True, exist_ok=True)
    if sizes.many is not None:
        name = f"generated.{sizes.name}"
        full, test = CACHE / f"{name}.train", CACHE / f"{name}.test"
        _generate(full, sizes.many, seed=1)
        _generate(test, sizes.many, seed=2)
        return _cut(name, full, test, sizes)
    script = local.folder() / "brown_windows.py"
    name = "brown" if script.exists() else "generated"
    full, test = CACHE / f"{name}.train", CACHE / f"{name}.test"
    if not (full.exists() and test.exists()):
        if script.exists():
            subprocess.run([sys.executable, str(script), str(CACHE / name)], check=True)
        else:
            _generate(full, 1_044_663, seed=1)
            _generate(test, 116_529, seed=2)
    return _cut(name, full, test, sizes)


def _cut(name: str, full: Path, test: Path, sizes: Sizes) -> Files:
    few, middle = (head(full, n, CACHE / f"{name}.{short(n)}.train") for n in (sizes.few, sizes.middle))
    with open(full, "rb") as file:
        n_full = sum(1 for _ in file)
    return Files(name, few, middle, full, test, {few: sizes.few, middle: sizes.middle, full: n_full})


def head(path: Path, n_lines: int, out: Path) -> Path:
    """Return a file with the first lines of another."""
    if not out.exists():
        with open(path, "rb") as source, open(out, "wb") as target:
            for _, line in zip(range(n_lines), source):
                target.write(line)
    return out


def mixed(sizes: Sizes) -> tuple[Path, Path, list[int]]:
    """Return a training and a test file of six symbolic and six numeric features, and the latter's positions."""
    CACHE.mkdir(parents=True, exist_ok=True)
    train, test = CACHE / f"mixed.{sizes.mixed}.train", CACHE / f"mixed.{sizes.mixed_asked}.test"
    n_values = (5, 20, 100, 8, 50, 300)
    for path, n_cases, seed in ((train, sizes.mixed, 1), (test, sizes.mixed_asked, 2)):
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


def two_words(sizes: Sizes) -> tuple[Path, Path]:
    """Return files of 20,000 and 3,000 lines with the previous word, the word and a class."""
    files = windows(sizes)
    n_asked = 3_000 if sizes.is_full else sizes.asked
    paths = []
    for source, n_lines, kind in ((files.middle, sizes.two_words, "train"), (files.test, n_asked, "test")):
        path = CACHE / f"{files.name}.words.{kind}"
        if not path.exists():
            lines = [line.split() for _, line in zip(range(n_lines), source.open(encoding="utf-8"))]
            path.write_text("".join(f"{line[2]} {line[3]} {line[-1]}\n" for line in lines), encoding="utf-8")
        paths.append(path)
    return paths[0], paths[1]


def small(sizes: Sizes) -> tuple[Path, Path]:
    """Return TiMBL's diminutives if they are installed, else as many lines of the windows."""
    train, test = (timbl.EXAMPLES / name for name in ("dimin.train", "dimin.test"))
    if train.exists():
        return train, test
    files = windows(sizes)
    return head(files.few, 3_000, CACHE / f"{files.name}.3k.train"), files.asked(950)


def _generate(path: Path, n_cases: int, seed: int) -> None:
    """Write windows over random text with Zipf-like word frequencies."""
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
