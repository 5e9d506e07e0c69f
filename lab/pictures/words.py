"""The applications: a word under the patterns of the hyphenator, and a word under the memories of the tagger."""

from typing import Any

from casebase.render.drawing import COLOURS, INK, PALE, SOFT
from lab.pictures.canvas import WASH, sheet
from lab.pictures.examples import example


def hyphenator() -> Any:
    """Return where in a word each pattern speaks, and what the highest level decides at each place."""
    hyph = example("hyphenator", "hyph")["hyph"]
    found = hyph.explain("kasti")
    word, left, step = found.word, 3.1, 0.95
    spoken: dict[Any, Any] = {}
    for place in found.places:
        for pattern in (*(() if place.decided_by is None else (place.decided_by,)), *place.agreeing, *place.overridden):
            spoken.setdefault((pattern.level, pattern.pattern, pattern), []).append(place)
    rows = sorted(spoken, key=lambda key: (key[0], key[1]))
    with sheet(left + step * len(word) + 1.6, 2.2 + 0.62 * len(rows)) as canvas:
        bottom = 1.1 + 0.62 * len(rows)
        for i, letter in enumerate(word):
            canvas.text(left + step * i, 0.55, letter, ha="center", fontsize=20)
        for place in found.places:
            x = left + step * (place.place - 0.5)
            canvas.line(x, 0.3, x, bottom + 0.25, linewidth=1.2)
        canvas.soft(0.15, 0.55, "the word, and its places")
        for row, key in enumerate(rows):
            level, text, pattern = key
            at, colour = 1.15 + 0.62 * row, COLOURS[0] if pattern.allows else COLOURS[1]
            canvas.text(0.15, at, text, fontsize=13, weight="bold", color=colour)
            verb = "allows a break" if pattern.allows else "forbids a break"
            canvas.soft(0.85, at, f"level {level}, {verb}")
            for place in spoken[key]:
                before, _, after = text.partition("-")
                begin, end = place.place - len(before), place.place + len(after)
                is_last = place.decided_by == pattern
                canvas.box(
                    left + step * (begin - 0.42), at - 0.19, step * (end - begin - 0.16), 0.38, fc=WASH, zorder=0
                )
                for i in range(begin, end):
                    letter = (before + after)[i - begin]
                    canvas.text(left + step * i, at, letter, ha="center", fontsize=13, color=INK if is_last else SOFT)
                x = left + step * (place.place - 0.5)
                canvas.dot(x, at, colour, radius=0.13)
                canvas.text(x, at, str(level), ha="center", color="white", fontsize=9.5, weight="bold")
        canvas.soft(0.15, bottom + 0.42, "the highest level decides")
        for place in found.places:
            x = left + step * (place.place - 0.5)
            why = place.decided_by
            canvas.text(
                x,
                bottom + 0.42,
                "break" if place.is_break else "no",
                ha="center",
                fontsize=10,
                weight="bold" if place.is_break else "normal",
                color=SOFT if why is None else COLOURS[0] if why.allows else COLOURS[1],
            )
            if why is None:
                canvas.soft(x, bottom + 0.62, "default", ha="center", fontsize=8.5)
        canvas.text(left + step * len(word) - 0.1, bottom + 0.42, f"→ {found.hyphenated}", fontsize=15, weight="bold")
        canvas.soft(0.15, bottom + 0.9, "K stands for a consonant, E for a vowel")
    return canvas.figure


def tagger() -> Any:
    """Return a word in its sentence, what each memory recalls of its context, and the tag that follows."""
    tagger = example("tagger", "tagger")["tagger"]
    sentence = ["The", "cat", "walks", "."]
    at_word = 2
    tags, told = tagger.tag(sentence), tagger.explain(sentence)[at_word]
    opinions, shares = told.evidence.opinions, told.evidence.distribution
    colours = dict(zip(sorted(shares, key=lambda tag: -shares[tag]), COLOURS))
    left, unit = 5.35, 0.62
    with sheet(9.6, 3.2 + 0.42 * len(opinions)) as canvas:
        for i, word in enumerate(sentence):
            x = 1.1 + 1.6 * i
            is_asked = i == at_word
            canvas.box(
                x - 0.62,
                0.2,
                1.24,
                0.9,
                fc=WASH if is_asked else "white",
                ec=INK if is_asked else PALE,
                linewidth=1.6 if is_asked else 1.2,
            )
            canvas.text(x, 0.45, word, ha="center", fontsize=13, weight="bold" if is_asked else "normal")
            tag = tags[i] if i < at_word else "?" if is_asked else "not yet tagged"
            canvas.soft(
                x, 0.85, tag, ha="center", fontsize=11 if i <= at_word else 8.5, color=INK if i <= at_word else SOFT
            )
        canvas.soft(
            6.85,
            0.65,
            "known of the context:\nto the left, words and given tags;\nto the right, words and their classes",
        )
        canvas.soft(0.25, 1.55, "each memory matches as much of its context as it remembers")
        canvas.soft(left, 1.55, "tags met there")
        for row, opinion in enumerate(opinions):
            at = 1.95 + 0.42 * row
            met = ", ".join(f"{f} = {v}" for f, v in zip(opinion.features[: opinion.n_matched], opinion.values))
            canvas.text(
                0.25,
                at,
                met or f"{opinion.features[0]} = {opinion.values[0]}",
                fontsize=9.5,
                color=INK if opinion.n_matched else SOFT,
            )
            x = left
            for tag, n in sorted(opinion.counts.items(), key=lambda item: -item[1]) if opinion.n_matched else ():
                canvas.box(x, at - 0.14, unit * n - 0.05, 0.28, fc=colours.get(tag, PALE), zorder=2)
                canvas.text(
                    x + unit * n / 2 - 0.025, at, f"{tag} {n}", ha="center", color="white", fontsize=9.3, weight="bold"
                )
                x += unit * n
            if not opinion.n_matched:
                canvas.soft(left, at, "never met: says nothing of its own")
        at = 1.95 + 0.42 * len(opinions) + 0.15
        canvas.line(0.25, at - 0.12, 9.3, at - 0.12, color=INK, linewidth=1)
        canvas.text(0.25, at + 0.2, "their shares multiplied", fontsize=10.5)
        x, whole = left, 3.9
        for tag, share in sorted(shares.items(), key=lambda item: -item[1]):
            canvas.box(x, at + 0.03, whole * share, 0.34, fc=colours[tag], zorder=2, boxstyle="square,pad=0")
            if share > 0.1:
                canvas.text(
                    x + whole * share / 2,
                    at + 0.2,
                    tag,
                    ha="center",
                    color="white",
                    weight="bold",
                )
            x += whole * share
        canvas.soft(
            2.0, at + 0.68, "ambitag: the tags a word may have; ==: beyond the sentence; /__: a word not in the lexicon"
        )
        canvas.text(0.25, at + 0.65, f"{told.word}/{told.tag}", fontsize=14, weight="bold", color=colours[told.tag])
    return canvas.figure
