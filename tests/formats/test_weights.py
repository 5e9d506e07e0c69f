"""Weights files: round trips, and damaged ones."""

import numpy as np
import pytest

from casebase.errors import FormatError
from casebase.formats.weights import WeightsHeader, read_weights, weights_text

WEIGHTS = {"gr": np.array([0.494358190132524, 0.25]), "ig": np.array([1 / 3, 7.0])}


def test_what_is_written_can_be_read():
    """To 15 digits; an ignored feature reads as 0."""
    text = weights_text(WeightsHeader(1.44881564, 3, 7), WEIGHTS, ignored={1})

    assert text.startswith("# DB Entropy: 1.44882\n# Classes: 3\n# Lines of data: 7\n# gr\n# Fea.\tWeight\n1\t0.4943")
    assert "\n2\tIgnore\n#\n# ig\n" in text
    assert read_weights("w", text, 2, "ig").tolist() == [0.333333333333333, 0.0]


def test_a_plain_list_of_weights_is_enough():
    """Then there is nothing to choose from."""
    assert read_weights("w", "2 0.5\n1 0.25\n", 2, "ig").tolist() == [0.25, 0.5]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "weight, got none"),
        ("# gr\n#\n", "weight, got none"),
        ("# ig\n1 1\n2 1\n", "no section gr. Sections of this file: ig"),
        ("1 0.5\n", "feature 2 of 2 has no weight"),
        ("1 0.5\n1 0.5\n", "line 2: feature 1 has two weights"),
        ("1 0.5\n3 0.5\n", "line 2: expected features 1 to 2, got feature 3"),
        ("1 0.5\n0 0.5\n", "got feature 0"),
        ("1 0.5\n2 x\n", "line 2: expected the number of a feature and its weight"),
        ("1 0.5\n2 nan\n", "line 2: expected"),
        ("1 0.5\n2 -1\n", "line 2: expected"),
        ("1 0.5 7\n", "line 1: expected"),
        ("# gr\n1 1\n2 1\n#\n# gr\n1 1\n", "two sections called gr"),
    ],
)
def test_a_damaged_weights_file_is_refused(text, message):
    """With the line, and what was expected there."""
    with pytest.raises(FormatError, match=message):
        read_weights("w", text, 2)
