"""A naive tagger, word by word: lexicon, patterns and instances as in MBT's manual, and the search.

A classifier is any function from a list of values to {class: votes}, the class that it chooses first.
"""

from collections import Counter


def lexicon(sentences):
    """Return {word: Counter of tags}."""
    words = {}
    for sentence in sentences:
        for word, *_, tag in sentence:
            words.setdefault(word, Counter())[tag] += 1
    return words


def ambitag(tags, threshold):
    total = sum(tags.values())
    kept = [(tag, n) for tag, n in tags.items() if 100 * n >= threshold * total]
    kept = kept or [min(tags.items(), key=lambda item: (-item[1], item[0]))]
    return ";".join(tag for tag, _ in sorted(kept, key=lambda item: (-item[1], item[0])))


def word_slot(word, frequent):
    if frequent is None or word in frequent:
        return word
    signs = [("H", "-" in word), ("C", word[:1].isupper()), ("N", any(c.isdigit() for c in word))]
    return "HAPAX-" + ("".join(sign for sign, holds in signs if holds) or "0")


def case(pattern, words, tags, i, ambitags, frequent):
    """Return the values of a pattern of letters for word i; `tags` are those of the words before it."""
    pattern = pattern.replace("fW", "f@").replace("FW", "F@").replace("W", "F@")
    focus = next(at for at, letter in enumerate(pattern) if letter in "fF")

    def at(j, value):
        return value(j) if 0 <= j < len(words) else "=="

    def ambiguity(j):
        return ambitags.get(words[j], "__")

    tag_slots, word_slots = [], []
    left, right = pattern[:focus], pattern[focus + 1 :]
    for before, letter in enumerate(letter for letter in reversed(left) if letter in "da"):
        value = (lambda j: tags[j]) if letter == "d" else ambiguity
        tag_slots.insert(0, at(i - before - 1, value))
    for before in range(left.count("w")):
        word_slots.insert(0, at(i - before - 1, lambda j: word_slot(words[j], frequent)))
    if pattern[focus] == "f":
        tag_slots.append(ambiguity(i))
    if "@" in right:
        word_slots.append(word_slot(words[i], frequent))
    tag_slots += [at(i + 1 + after, ambiguity) for after in range(right.count("a"))]
    word_slots += [at(i + 1 + after, lambda j: word_slot(words[j], frequent)) for after in range(right.count("w"))]
    word = words[i]
    first = ["_" + (word[n] if n < len(word) else "=") for n in range(pattern.count("p"))]
    last = ["_" + (word[-n] if n <= len(word) else "=") for n in range(pattern.count("s"), 0, -1)]
    flags = [("h", "_H", "-" in word), ("c", "_C", word[:1].isupper()), ("n", "_N", any(c.isdigit() for c in word))]
    return [
        *first,
        *word_slots,
        *tag_slots,
        *last,
        *(sign if holds else "_0" for x, sign, holds in flags if x in pattern),
    ]


def greedy(words, ask):
    """Return the tags of a sentence; `ask(i, tags so far)` gives {tag: votes}, the chosen one first."""
    tags = []
    for i in range(len(words)):
        tags.append(next(iter(ask(i, tags))))
    return tags


def beam(words, ask, n):
    """Return the tags of the best of n paths."""
    paths = [((), 1.0)]
    for i in range(len(words)):
        longer = []
        for tags, probability in paths:
            votes = ask(i, list(tags))
            total = sum(votes.values())
            for tag in list(votes)[:n]:
                new = ((*tags, tag), probability * (votes[tag] / total))
                if len(longer) == n and not new[1] > longer[-1][1]:
                    continue
                longer = sorted([*longer[: n - 1], new], key=lambda path: -path[1])
        paths = longer
    return list(paths[0][0])
