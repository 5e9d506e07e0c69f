"""The values of `--weighting`: the name of a measure, numbers, or a file of weights."""

from pathlib import Path

from casebase.errors import CasebaseError, unknown_name
from casebase.formats.source import open_source
from casebase.formats.weights import MEASURES, read_weights
from casebase.measures.weights import WEIGHTINGS

SECTIONS = {name: name for name in MEASURES} | {ours: name for name, ours in MEASURES.items()}


def parse_weighting(text: str) -> str | list[float]:
    """Return the name of a measure, or one number per feature.

    A file is in TiMBL's format; FILE:SECTION picks a section by TiMBL's name or ours, gain ratio by default.

    >>> parse_weighting("chi_squared"), parse_weighting("0.5,2")
    ('chi_squared', [0.5, 2.0])
    """
    if text in WEIGHTINGS:
        return text
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        return _from_file(text)


def _from_file(text: str) -> str | list[float]:
    path, section = text, "gr"
    if not Path(text).exists() and ":" in text:
        path, _, name = text.rpartition(":")
        if name not in SECTIONS:
            raise CasebaseError(f"--weighting {text}: {unknown_name('section of a weights file', name, SECTIONS)}")
        section = SECTIONS[name]
    if not Path(path).exists():
        if path == text and not {".", "/"} & set(text):
            return text  # a name, perhaps misspelt: the learner rejects it and lists the known ones
        raise CasebaseError(
            f"--weighting {text}: there is no file {path}. Expected the name of a measure ({', '.join(WEIGHTINGS)}), "
            "numbers separated by commas, or a file of weights, with or without a section (FILE:gain_ratio)."
        )
    weights: list[float] = read_weights(path, open_source(Path(path)).data.decode("latin-1"), None, section).tolist()
    return weights
