"""The summaries of taggers and hyphenators are records of the library."""

import casebase as cb

CORPUS = [[("the", "D"), ("dog", "N")], [("a", "D"), ("dog", "N"), ("barks", "V")]]


def test_the_summary_of_a_tagger():
    """The size of its corpus, and its tags by frequency."""
    record = cb.Tagger().fit(CORPUS).summary()

    assert (record["n_sentences"], record["n_tokens"], record["n_words"]) == (2, 5, 4)
    assert [entry["tag"] for entry in record["tags"]] == ["D", "N", "V"]


def test_the_summary_of_a_hyphenator():
    """Its patterns, each with its level and what it says."""
    hyphenator = cb.Hyphenator().fit(["ka-la", "ta-lo", "ka-to"])
    record = hyphenator.summary()

    assert record["n_words"] == 3
    assert [row["pattern"] for row in record["patterns"]] == [str(pattern) for pattern in hyphenator.patterns_]
