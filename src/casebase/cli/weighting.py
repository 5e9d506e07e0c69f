"""What `--weighting` takes: the name of a measure, numbers, or a file of weights."""

from pathlib import Path

from casebase.errors import CasebaseError, unknown_name
from casebase.formats.source import open_source
from casebase.formats.weights import MEASURES, read_weights
from casebase.measures.weights import WEIGHTINGS

SECTIONS = {name: name for name in MEASURES} | {ours: name for name, ours in MEASURES.items()}


def weighting_named(text: str) -> str | list[float]:
    """Return a name that learners know, or one number per feature.

    A file has TiMBL's form; its section is named behind a colon as TiMBL or casebase names it, gain ratio if not said.

    >>> weighting_named("chi_squared"), weighting_named("0.5,2")
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
        path, _, asked = text.rpartition(":")
        if asked not in SECTIONS:
            raise CasebaseError(f"--weighting {text}: {unknown_name('section of a weights file', asked, SECTIONS)}")
        section = SECTIONS[asked]
    if not Path(path).exists():
        if path == text and not {".", "/"} & set(text):
            return text  # a name, perhaps misspelt: the learner's message lists those it knows
        raise CasebaseError(
            f"--weighting {text}: there is no file {path}. Expected the name of a measure ({', '.join(WEIGHTINGS)}), "
            "numbers separated by commas, or a file of weights, perhaps with the name of a section: FILE:gain_ratio."
        )
    return read_weights(path, open_source(Path(path)).data.decode("latin-1"), None, section).tolist()
