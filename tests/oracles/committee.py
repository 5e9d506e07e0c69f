"""A naive committee of memories: dictionaries of contexts, one word at a time.

Settings are those of `CommitteeSettings`; a memory is {context: Counter of tags} for every number of features.
"""

import math
from collections import Counter

from tests.oracles.tagging import ambitag, lexicon

NEW = object()  # a value that does not occur in training


class Committee:
    def __init__(self, sentences, settings):
        self.settings = settings
        self.words = lexicon(sentences)
        self.count = {word: sum(tags.values()) for word, tags in self.words.items()}
        self.class_of = {word: ambitag(tags, settings.ambiguity_threshold) for word, tags in self.words.items()}
        self.tags = sorted({tag for tags in self.words.values() for tag in tags})
        rare, every = [], []
        for sentence in sentences:
            words, tags = [token[0] for token in sentence], [token[-1] for token in sentence]
            forms = self.forms(words, lambda word: self.count[word] == 1)
            columns = [token[1:-1] for token in sentence]
            for i in range(len(words)):
                every.append((forms, tags, columns, i))
                if self.count[words[i]] <= settings.hapax_limit:
                    rare.append(every[-1])
        rare = rare if settings.hapax_limit and rare else every
        self.memories = {
            group: [self.learn(pattern, every if group == "known" else rare) for pattern, _ in settings.patterns(group)]
            for group in ("form", "known", "unknown")
        }
        self.memories["early"] = [self.learn(pattern, every) for pattern, _ in settings.patterns("early")]
        share = Counter(tags[i] for _, tags, _, i in rare)
        total = len(rare) + 1e-6 * len(self.tags)
        self.share = {tag: (share[tag] + 1e-6) / total for tag in self.tags}

    def forms(self, words, is_new):
        """Return the words as they are looked up."""
        forms = list(words)
        places = [0, 1] if words and ord(words[0][0]) < 128 and not words[0][0].isalnum() else [0]
        for i in places if self.settings.lowers_first else []:
            if i < len(words) and words[i][0].isupper() and is_new(words[i]) and words[i].lower() in self.words:
                forms[i] = words[i].lower()
        return forms

    def value(self, feature, forms, tags, columns, i):
        j = i + feature.offset
        if not 0 <= j < len(forms):
            return "=="
        word = forms[j]
        is_common = self.count.get(word, 0) >= self.settings.frequent_from
        kind, n = feature.kind, feature.n
        if kind == "tag":
            return tags[j]
        if kind == "word":
            return word if word in self.words else NEW
        if kind == "ambitag":
            return self.class_of.get(word, "__")
        if kind == "wordclass":
            return ("word", word) if is_common else ("class", self.class_of.get(word, "__"))
        if kind == "wordtag":
            return ("word", word) if is_common else ("tag", tags[j])
        if kind == "column":
            return columns[j][n - 1]
        if kind == "stem":
            return self.stem(word)
        if kind == "shape":
            signs = ["A" if c.isupper() else "9" if c.isdigit() else "a" if c.isalpha() else c for c in word]
            runs = [s for at, s in enumerate(signs) if not at or s != signs[at - 1] or s not in "Aa9"]
            return "".join(runs)[:8]
        if kind == "lastpart":
            first, _, last = word.rpartition("-")
            found = self.class_of.get(last, self.class_of.get(last.lower()))
            return "-" if not first or not last else ("class", found) if found else last[-3:]
        if kind == "othercase":
            others = [word.lower(), word[0].upper() + word[1:].lower()]
            return next((self.class_of[other] for other in others if other != word and other in self.words), "-")
        if kind == "capital":
            return word[0].isupper()
        return {"prefix": word[:n], "suffix": word[-n:], "lower": word.lower(), "length": min(len(word), 15)}[kind]

    def stem(self, word):
        for n in range(1, 6):
            for left in (word[:-n], word[:-n].lower()):
                if len(word) - n >= 3 and left in self.words:
                    return word[-n:], self.class_of[left]
        return None

    def learn(self, pattern, examples):
        contexts = {}
        for forms, tags, columns, i in examples:
            values = tuple(self.value(f, forms, tags, columns, i) for f in pattern.features)
            for n in range(1, len(values) + 1):
                contexts.setdefault(values[:n], Counter())[tags[i]] += 1
        return contexts

    def believe(self, group, contexts, pattern, thought, *question):
        """Return the beliefs after the contexts, from the widest to the narrowest that occurs in training."""
        values = tuple(self.value(f, *question) for f in pattern.features)
        caution = getattr(self.settings, f"{group}_caution")
        beliefs = [thought]
        for n in range(1, len(values) + 1):
            counts = contexts.get(values[:n])
            wider = contexts[values[: n - 1]] if n > 1 else Counter()
            # A context that occurs once is not split.
            is_split = group in self.settings.splits_pure and wider.total() > 1
            if counts is None or (len(wider) == 1 and not is_split):
                break
            doubt = caution[0] + caution[1] * len(counts)
            total = sum(counts.values()) + doubt
            beliefs.append({tag: (counts[tag] + doubt * share) / total for tag, share in beliefs[-1].items()})
        return beliefs

    def scores(self, words, columns, i, tags):
        """Return {tag: logarithm of the belief} of word i; the first of the highest is the answer."""
        settings = self.settings
        forms = self.forms(words, lambda word: word not in self.words)
        question = forms, tags, columns, i
        thought = dict(self.share)
        for contexts, (pattern, _) in zip(self.memories["form"], settings.patterns("form")):
            thought = self.believe("form", contexts, pattern, thought, *question)[-1]
        word = forms[i]
        if word in self.words:
            doubt = settings.word_caution[0] + settings.word_caution[1] * len(self.words[word])
            total = self.count[word] + doubt
            thought = {tag: (self.words[word][tag] + doubt * share) / total for tag, share in thought.items()}
        candidates = {tag for tag, share in thought.items() if share >= settings.least_share}
        if word in self.words and settings.certain_from is not None and self.count[word] >= settings.certain_from:
            candidates &= set(self.words[word])
        else:
            candidates |= set(self.words.get(word, ()))
        candidates = sorted(candidates) or [max(self.tags, key=lambda tag: thought[tag])]
        before = {tag: max(thought[tag], 1e-5) for tag in candidates}
        if word in self.words and settings.early:
            scores = self.weigh("early", before, *question)
            total = sum(math.exp(score - max(scores.values())) for score in scores.values())
            if 1 / total >= settings.early_share:
                return scores
        return self.weigh("known" if word in self.words or not settings.unknown else "unknown", before, *question)

    def weigh(self, group, before, *question):
        """Return the scores of candidates; the contexts of early memories are those of known words."""
        scores = {tag: self.settings.start(group) * math.log(share) for tag, share in before.items()}
        for contexts, (pattern, weights) in zip(self.memories[group], self.settings.patterns(group)):
            beliefs = self.believe("known" if group == "early" else group, contexts, pattern, before, *question)
            for wider, narrower, weight in zip(beliefs, beliefs[1:], weights):
                for tag in scores:
                    scores[tag] += weight * math.log(narrower[tag] / wider[tag])
        return scores
