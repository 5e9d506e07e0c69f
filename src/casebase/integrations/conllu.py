"""`TokenList`s of the package conllu, in and out.

`Tagger.fit` and `Annotator.fit` take `conllu.parse(…)` as it is; a tagger then learns UPOS.
"""

import copy
from collections.abc import Iterable
from typing import Any

from conllu.models import TokenList

from casebase.errors import CasebaseError, unknown_name
from casebase.tagging.annotator import Annotator, table_of, tokens_of
from casebase.tagging.sentences import Sentences, sentences_of
from casebase.tagging.tagger import Tagger
from casebase.tagging.universal import NOTHING, TAGS, words_in


def sentences(token_lists: Iterable[TokenList], tag: str = "upos") -> Sentences:
    """Return sentences for `Tagger.fit`, with UPOS, XPOS or FEATS as tags.

    >>> import conllu
    >>> text = "1\\tIt\\tit\\tPRON\\tPRP\\t_\\t_\\t_\\t_\\t_\\n\\n"
    >>> list(sentences(conllu.parse(text), "xpos"))
    [[('It', 'PRP')]]
    """
    if tag not in TAGS:
        raise CasebaseError(unknown_name("column of tags", tag, TAGS))
    return sentences_of(table_of(tokens_of(token_lists), (tag,)), tagged=True)


def annotated(model: Tagger | Annotator, token_lists: Iterable[TokenList], tag: str = "upos") -> list[TokenList]:
    """Return copies of token lists with what a model says: all columns of an annotator, or the tags of a tagger.

    `tag` is the column for the tags of a tagger. Words of several tokens and empty nodes stay as they are.
    """
    if isinstance(model, Tagger) and tag not in TAGS:
        raise CasebaseError(unknown_name("column of tags", tag, TAGS))
    results = [copy.deepcopy(one) for one in token_lists]
    tokens = [words_in(one) for one in results]
    words = [[form for (form,) in one] for one in table_of(tokens, ())]
    if isinstance(model, Tagger):
        columns = {tag: [label for labels in model.tag_many(words) for label in labels]}
    else:
        columns = model.columns_of(words)
    flat: list[Any] = [token for one in tokens for token in one]
    for name, values in columns.items():
        for token, value in zip(flat, values, strict=True):
            token[name] = features_of(value) if name == "feats" else value
    return results


def features_of(text: str) -> dict[str, str | None] | None:
    """Return the features of a column FEATS as the package conllu has them.

    >>> features_of("Case=Nom|Number=Sing"), features_of("_")
    ({'Case': 'Nom', 'Number': 'Sing'}, None)
    """
    if text == NOTHING:
        return None
    parts = (feature.partition("=") for feature in text.split("|"))
    return {name: value if sign else None for name, sign, value in parts}
