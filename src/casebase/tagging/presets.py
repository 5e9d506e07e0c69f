"""Committees that were found best, by experiments on sentences held out of the training parts: see the documentation.

`words` tags words by themselves and by what stands around them (found on Brown); `chunks` gives labels to words that
have a tag already, their first further column (found on CoNLL-2000).
"""

from collections.abc import Mapping
from typing import Any


def _weights(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


WORDS: dict[str, Any] = {
    "known": {
        "word tag-1 ambitag+1": (0.16, 0.08, 0.18),
        "ambitag+1 word ambitag+2": (0.23, 0.26, 0.29),
        "ambitag tag-1 ambitag+1 wordclass+1 tag-2": (-0.02, 0.23, 0.14, 0.05, 0.17),
        "word wordtag-1 wordclass+1": (0.16, 0.29, 0.04),
        "wordtag-1 wordtag-2 word": (0.04, 0.26, 0.06),
        "wordclass-1 wordclass+1": (0.02, 0.23),
    },
    "unknown": {
        "suffix3 ambitag+1": (0.09, 0.18),
        "tag-1 shape suffix2": (-0.15, -0.15, 0.06),
        "wordclass+1 word-1": (0.09, 0.35),
        "wordtag-1 suffix3": (0.33, 0.11),
        "word+1": (0.16,),
        "stem tag-1": (0.14, 0.11),
        "suffix4": (0.22,),
        "capital-1 shape suffix1 ambitag+1": (-0.57, -0.3, -0.05, 0.32),
        "lastpart shape tag-1": (0.13, 0.04, 0.53),
        "othercase capital-1 shape": (0.3, 0.58, 0.53),
        "prefix3 suffix2": (0.14, 0.18),
        "prefix4": (0.1,),
        "tag-1 tag-2 ambitag+1": (-0.15, 0.35, 0.15),
        "capital-1 capital capital+1 suffix2": (-0.57, -0.09, 0.29, 0.15),
        "lower": (0.53,),
        "prefix1 shape length": (0.3, 0.15, 0.14),
    },
    "form": {"shape suffix1 stem suffix2 suffix3 suffix4 suffix5": 1.0},
    "known_start": 0.69,
    "unknown_start": 0.45,
    "known_caution": (0.2, 0.25),
    "unknown_caution": (1.0, 0.7),
    "form_caution": (1.0, 0.25),
    "word_caution": (1.0, 1.0),
    "ambiguity_threshold": 5,
    "hapax_limit": 5,
    "certain_from": 20,
    "least_share": 0.002,
    "frequent_from": 50,
    "lowers_first": True,
    "splits_pure": ("form", "unknown"),
}
CHUNKS: dict[str, Any] = {
    "known": {
        "column1 column1+1 tag-1 column1-1 suffix2 column1+2 wordtag-2 column1+3": _weights(
            "-0.016 0.019 0.079 0.006 0.088 -0.002 0.053 0.094"
        ),
        "word tag-1 column1+1 word+1": (-0.004, -0.015, 0.01, 0.056),
        "column1 column1-1 word-1 tag-1 wordtag-1": (-0.016, 0.046, 0.067, -0.004, -0.024),
        "column1 column1+1 column1+2 word word+1 tag-1": (-0.016, 0.019, 0.036, -0.009, 0.048, 0.041),
        "word wordclass+1 ambitag-1 wordclass-1": (-0.004, -0.024, 0.03, -0.015),
        "column1 column1-1 column1+1 word-1 wordclass-1 wordclass-2 suffix2": _weights(
            "-0.016 0.046 0.103 0.04 0.0 0.062 -0.02"
        ),
        "wordtag-1 word column1+1 column1+2": (-0.008, 0.024, -0.039, 0.08),
        "word column1-1 tag-1 column1-2": (-0.004, 0.059, -0.025, 0.028),
        "tag-1 word-1 word column1": (-0.014, 0.024, 0.012, -0.018),
        "column1 tag-1 column1+1 column1-1 tag-2": (-0.016, 0.028, -0.023, 0.009, 0.03),
        "tag-1 tag-2 column1": (-0.014, -0.007, -0.004),
        "tag-1 column1 word": (-0.014, -0.017, 0.052),
        "word word+1 word+2": (-0.004, 0.092, 0.087),
        "word word-1 word-2": (-0.004, 0.034, 0.05),
        "word-1 column1 word+1": (0.035, 0.037, 0.052),
        "column1 column1-1 column1-2 tag-1": (-0.016, 0.046, 0.072, -0.08),
        "column1 column1+1 column1+2 column1+3": (-0.016, 0.019, 0.036, 0.087),
        "column1 word-1 word-2": (-0.016, 0.099, 0.114),
        "column1 word+1 word+2": (-0.016, 0.032, 0.028),
        "word+1 column1+1 column1 tag-1": (0.014, -0.009, 0.05, 0.006),
        "column1+2 column1+1 column1 word+2": (-0.012, 0.056, 0.052, -0.026),
        "tag-1 tag-2 tag-3 column1 column1+1": (-0.014, -0.007, 0.052, 0.042, 0.017),
        "word column1 column1+1 column1+2": (-0.004, 0.004, -0.026, 0.116),
        "word column1+1 tag-1 column1-1": (-0.004, 0.084, -0.077, -0.055),
        "word column1-1 column1+1": (-0.004, 0.059, 0.05),
        "suffix3 column1 tag-1 column1+1": (0.117, 0.002, -0.018, 0.075),
        "column1 column1+1 word+2 word+1": (-0.016, 0.019, 0.094, 0.028),
        "column1-1 word-1 column1 column1+1": (-0.044, 0.118, -0.033, 0.017),
        "word tag-1 tag-2 column1+1 column1+2": (-0.004, -0.015, 0.02, -0.01, 0.024),
        "column1 tag-1 word+1 column1+2": (-0.016, 0.028, -0.021, -0.023),
        "column1 tag-1 word-1 word": (-0.016, 0.028, -0.001, -0.03),
        "ambitag ambitag+1 tag-1 ambitag+2": (-0.006, 0.087, -0.003, 0.028),
        "ambitag-1 ambitag ambitag+1": (0.06, 0.032, 0.018),
        "ambitag column1 tag-1 ambitag+1 column1+1": (-0.006, 0.006, 0.011, 0.025, -0.077),
        "column1-1 tag-1 column1 column1+1": (-0.044, 0.076, 0.034, -0.065),
        "word+1 word column1-1": (0.014, 0.019, -0.018),
        "tag-1 tag-2 ambitag column1+1": (-0.014, -0.007, -0.014, 0.006),
        "column1-2 column1-1 column1 column1+1 column1+2": (0.07, 0.191, 0.034, 0.054, 0.097),
        "word-1 word tag-1": (0.035, 0.063, -0.011),
        "word+1 tag-1 column1 column1+1": (0.014, 0.043, 0.018, -0.03),
        "word-2 tag-1 column1 column1-1": (0.123, -0.022, -0.001, 0.063),
        "word+2 column1+1 column1 column1+2": (-0.001, 0.031, -0.008, -0.062),
        "tag-1 ambitag+1 ambitag word+1": (-0.014, -0.034, 0.03, -0.036),
        "wordtag-1 wordtag-2 column1 word": (-0.008, 0.081, 0.019, 0.019),
        "wordtag-1 wordclass+1 column1 column1+1": (-0.008, 0.066, 0.029, 0.016),
        "suffix2 column1 column1+1 tag-1": (-0.043, 0.046, 0.09, 0.007),
        "tag-1 column1 column1+1 column1+2 column1+3": (-0.014, -0.017, -0.02, -0.007, 0.082),
        "prefix3 column1 tag-1": (0.047, 0.054, 0.005),
        "tag-1 tag-2 column1 column1+1 column1+2 word": (-0.014, -0.007, -0.004, -0.014, 0.027, -0.007),
    },
    "unknown": {},
    "form": {"column1": 1.0},
    "known_start": 0.294,
    "unknown_start": None,
    "known_caution": (0.2, 0.15),
    "unknown_caution": (0.2, 0.15),
    "form_caution": (1.0, 0.5),
    "word_caution": (1.0, 1.0),
    "ambiguity_threshold": 5,
    "hapax_limit": 0,
    "certain_from": None,
    "least_share": 0.002,
    "frequent_from": 50,
    "lowers_first": False,
    "splits_pure": ("form", "known", "unknown"),
}
COMMITTEES: Mapping[str, Mapping[str, Any]] = {"words": WORDS, "chunks": CHUNKS}
