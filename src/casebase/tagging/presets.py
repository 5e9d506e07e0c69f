"""Committees that were found best, by experiments on sentences held out of the training parts: see the documentation.

`words` tags words by themselves and by what stands around them (found on Brown); `chunks` gives labels to words that
have a tag already, their first further column (found on CoNLL-2000).
"""

from collections.abc import Mapping
from typing import Any

WORDS: dict[str, Any] = {
    "known": {
        "word tag-1 ambitag+1 tag-2": 1.0,
        "ambitag+1 word ambitag+2": 1.0,
        "ambitag tag-1 ambitag+1 wordclass+1 tag-2": 1.0,
        "word wordtag-1 wordclass+1 tag-2": 0.7,
        "wordtag-1 wordtag-2 word": 0.3,
        "wordclass-1 wordclass+1 word": 0.3,
    },
    "unknown": {
        "suffix3 ambitag+1 prefix2": 1.0,
        "tag-1 shape suffix2 ambitag+2": 2.0,
        "wordclass+1 word-1 suffix2": 0.6,
        "wordtag-1 suffix3 prefix2": 0.7,
        "word+1 suffix1 tag-1": 1.0,
        "stem tag-1": 0.6,
        "ambitag+2 prefix1": 1.0,
    },
    "form": {"shape suffix1 stem suffix2 suffix3 suffix4 suffix5": 1.0},
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
        "column1 column1+1 tag-1 column1-1 suffix2 column1+2 wordtag-2 column1+3": 1.4,
        "word tag-1 column1+1 word+1": 1.4,
        "column1 column1-1 word-1 tag-1 wordtag-1": 0.5,
        "column1 column1+1 column1+2 word word+1 tag-1": 0.8,
        "word wordclass+1 ambitag-1 wordclass-1": 0.3,
        "column1 column1-1 column1+1 word-1 wordclass-1 wordclass-2 suffix2": 0.4,
        "wordtag-1 word column1+1 column1+2": 0.6,
        "word column1-1 tag-1 column1-2": 0.5,
        "tag-1 word-1 word column1": 0.4,
    },
    "unknown": {},
    "form": {"column1": 1.0},
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
