"""From a tagged corpus in parts to a tagger, and its calibration, in stages that hold one part at a time."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np

from casebase.data import Cases
from casebase.errors import CasebaseError
from casebase.progress import note
from casebase.scale.fitting import added_counts
from casebase.scale.scratch import check_space
from casebase.scale.sentences import (
    Portion,
    Selected,
    StoredCorpus,
    code_sentences,
    count_sentences,
    lexicon_from,
    texts_of,
)
from casebase.scale.stages import Stages
from casebase.scale.stored import StoredArray, StoredBlock
from casebase.scale.windows import (
    Beginnings,
    Level,
    PackedContexts,
    Windows,
    find_beginnings,
    grow_memory,
    join_cases,
    sort_windows,
)
from casebase.tagging import case_bases, committee
from casebase.tagging.calibration import Calibration, calibration_by
from casebase.tagging.case_bases import CaseBases, TaggerSettings, Tagging, are_rare, word_model, word_settings
from casebase.tagging.coded_text import CodedText, Lowered, begin_with_capital, begin_with_mark
from casebase.tagging.committee import GROUPS, Committee, CommitteeSettings, Contexts
from casebase.tagging.features import Pattern, TagFeature, Text, cases_of, coded_feature
from casebase.tagging.lexicon import Lexicon
from casebase.tagging.sentences import Sentences

Settings = TaggerSettings | CommitteeSettings
MOST_TOKENS = 0xFFFF0000 - 1
# How the time of a training is shared among its stages, in hundredths, as measured with a committee.
SHARES = {
    "reading": 7.0,
    "counting": 2.0,
    "adding": 4.0,
    "coding": 5.0,
    "looking": 4.0,
    "sorting form": 1.0,
    "growing form": 1.0,
    "sorting known": 36.0,
    "growing known": 8.0,
    "sorting unknown": 6.0,
    "growing unknown": 2.0,
}
CALIBRATING = 100 - sum(SHARES.values())


@dataclass(frozen=True, eq=False)
class TaggerWork:
    """The stages over one corpus: who runs them and where, and about how many tokens a task takes.

    The trees of a model that is only saved are packed as in its file; those of one that `is_asked` are as the kernel
    takes them. `mapped` are the arrays of models, whose pages may be given back.
    """

    stages: Stages
    n_tokens: int
    is_asked: bool = False
    mapped: list[np.ndarray] = field(default_factory=list)

    def learn(self, portions: Sequence[Portion], settings: Settings) -> tuple[Tagging, StoredCorpus]:
        """Return the model of some sentences; its arrays are files."""
        corpus, lexicon = self._corpus(portions, settings)
        if isinstance(settings, CommitteeSettings):
            return self._committee(corpus, lexicon, settings), corpus
        return self._case_bases(corpus, lexicon, settings), corpus

    def _corpus(self, portions: Sequence[Portion], settings: Settings) -> tuple[StoredCorpus, Lexicon]:
        """Count all words and tags, and write the corpus in their codes."""
        folder, run = self.stages.folder, self.stages.run
        files = [(portion, folder / f"count-{i:06}.pickle") for i, portion in enumerate(portions)]
        counted = run("counting", count_sentences, (), files)
        counts = added_counts(run, folder, [one.path for one in counted])
        lexicon = lexicon_from(counts, settings.ambiguity_threshold)
        sizes = np.array([(portion.n_tokens, portion.n_sentences) for portion in portions])
        starts = np.vstack([[(0, 0)], np.cumsum(sizes, axis=0)])
        n_tokens, n_sentences = starts[-1].tolist()
        if n_tokens > MOST_TOKENS:
            raise CasebaseError(f"A tagger learns from at most {MOST_TOKENS:,} words; the corpus has {n_tokens:,}.")
        corpus = StoredCorpus.new(folder, lexicon, texts_of(counted), (n_tokens, n_sentences))
        self._check_space(corpus, settings)
        for array in corpus.arrays:
            array.create()
        places = [(portion, *start) for portion, start in zip(portions, starts.tolist())]
        run("coding", code_sentences, (lexicon, corpus), places)
        corpus.first.write(n_sentences, np.array([n_tokens]))
        for portion in portions:
            portion.remove()
        return corpus, lexicon

    def _check_space(self, corpus: StoredCorpus, settings: Settings) -> None:
        """Raise an error unless there is room for the corpus, the windows of a group of memories, and the model."""
        own = sum(array.itemsize for array in (corpus.word, corpus.tag, *corpus.entries))
        n_memories = 1
        if isinstance(settings, CommitteeSettings):
            n_memories = max(len(settings.patterns(group)) for group in GROUPS)
        # The corpus is here and in the model; windows take 12 to 20 bytes, unless they are equal.
        check_space(self.stages.folder, corpus.n_tokens * (2 * own + 16 * n_memories + 24), "corpus-*", "sorted-*")

    def _committee(self, corpus: StoredCorpus, lexicon: Lexicon, settings: CommitteeSettings) -> Committee:
        committee.check_columns(settings, len(corpus.texts))
        words = _words_of(corpus, lexicon)
        beginnings = None
        if settings.lowers_first:
            words, beginnings = self._looked_up(corpus, lexicon, words)
        coded = CodedText.training(committee.describer_of(lexicon, settings), words, settings.features)
        is_rare = are_rare(lexicon, settings.hapax_limit)
        trees = {}
        for group in GROUPS:
            patterns = [pattern for pattern, _ in settings.patterns(group)]
            of_entries = {feature.base: coded.of_entries(feature) for one in patterns for feature in one.features}
            windows = Windows(
                tuple(tuple(_level(coded, feature) for feature in pattern.features) for pattern in patterns),
                {name: codes for name, codes in of_entries.items() if codes is not None},
                len(lexicon.tags),
                np.ones(len(lexicon), dtype=bool) if group == "known" else is_rare,
                beginnings,
            )
            trees[group] = self._grown(corpus, windows, group, group in settings.splits_pure)
        text, tags = self._text(corpus, lexicon)
        share = committee.share_of_tags(lexicon, settings)
        return Committee(settings, lexicon, coded.coder.vocabularies, trees, share, text, tags)

    def _looked_up(self, corpus: StoredCorpus, lexicon: Lexicon, words: Text) -> tuple[Text, Beginnings]:
        """Return the distinct words with those that stand for others at the beginning of sentences."""
        is_mark, is_asked = begin_with_mark(words), (lexicon.frequency == 1) & begin_with_capital(words)
        found = self.stages.run("looking up", find_beginnings, (corpus, is_mark, is_asked), corpus.spans(self.n_tokens))
        lowered = Lowered.of(words, lexicon, np.unique(np.concatenate(found)))
        return replace(words, words=lowered.words, lexical=lowered.lexical), Beginnings(
            is_mark, is_asked, lowered.number
        )

    def _sorted(self, corpus: StoredCorpus, windows: Windows, group: str) -> list[list[StoredBlock]]:
        """Return the runs of each memory of a group."""
        folder = self.stages.folder
        files = [(*span, folder / f"sorted-{group}-{i:06}") for i, span in enumerate(corpus.spans(self.n_tokens))]
        return [
            list(runs) for runs in zip(*self.stages.run(f"sorting {group}", sort_windows, (corpus, windows), files))
        ]

    def _grown(self, corpus: StoredCorpus, windows: Windows, group: str, splits_pure: bool) -> tuple[Contexts, ...]:
        """Return the trees of a group."""
        if not windows.memories:
            return ()
        runs = self._sorted(corpus, windows, group)
        packings = [windows.packing(i) for i in range(len(runs))]
        common = (packings, self.n_tokens, windows.n_tags, splits_pure, not self.is_asked)
        each = [(i, own, self.stages.folder / f"tree-{group}-{i}") for i, own in enumerate(runs)]
        trees = self.stages.run(f"growing {group}", grow_memory, common, each)
        _remove(runs)
        contexts = tuple(tree.contexts() for tree in trees)
        for one in contexts:
            self.mapped.extend((one.packed() if isinstance(one, PackedContexts) else one.arrays()).values())
        return contexts

    def _case_bases(self, corpus: StoredCorpus, lexicon: Lexicon, settings: TaggerSettings) -> CaseBases:
        settings = settings.for_columns(len(corpus.texts))
        is_rare = are_rare(lexicon, settings.hapax_limit)
        known, unknown = (
            word_model(
                learner,
                self._distinct(corpus, lexicon, settings, group, is_used),
                word_settings(learner, options, settings.as_mbt),
            )
            for group, learner, options, is_used in (
                ("known", settings.known_learner, settings.known_options, np.ones_like(is_rare)),
                ("unknown", settings.unknown_learner, settings.unknown_options, is_rare),
            )
        )
        return CaseBases(settings, lexicon, known, unknown, *self._text(corpus, lexicon))

    def _text(self, corpus: StoredCorpus, lexicon: Lexicon) -> tuple[Text, np.ndarray]:
        """Return the text and the tags of a model, as mapped files."""
        text, tags = corpus.text(lexicon)
        self.mapped.extend([text.word, text.first, tags, *(entries for _, entries in text.columns)])
        return text, tags

    def _distinct(
        self, corpus: StoredCorpus, lexicon: Lexicon, settings: TaggerSettings, group: str, is_used: np.ndarray
    ) -> Cases:
        """Return the distinct cases of a case base in memory, in the order of their first tokens, with their counts."""
        pattern: Pattern = getattr(settings, group)
        describer, words = case_bases.describer_of(lexicon, settings), _words_of(corpus, lexicon)
        coded = [coded_feature(feature, describer, words) for feature in pattern.features]
        levels, of_entries = [], {}
        for feature, (known, codes, entries) in zip(pattern.features, coded):
            of_tags = codes[:-1] if entries is None else None
            if entries is not None:
                of_entries[feature.base] = codes[:-1]
            name = None if entries is None else feature.base
            levels.append(Level(name, feature.n_column, of_tags, feature.offset, int(codes[-1]), len(known)))
        windows = Windows((tuple(levels),), of_entries, len(lexicon.tags), is_used, has_rows=True)
        runs = self._sorted(corpus, windows, group)
        (block,) = self.stages.run(
            f"growing {group}",
            join_cases,
            (windows.packing(0), self.n_tokens),
            [(runs[0], self.stages.folder / f"cases-{group}")],
        )
        _remove(runs)
        *columns, labels, times, rows = block.read(0, block.n)
        by_token = np.argsort(rows, kind="stable")
        typed = [
            (known, column[by_token].astype(known.dtype)) for (known, _, _), column in zip(coded, columns, strict=True)
        ]
        tags, named = labels[by_token].astype(lexicon.tags.dtype), not settings.as_mbt
        cases = cases_of(pattern, typed, lexicon.tags, tags, rows[by_token].astype(np.int64), is_named=named)
        return replace(cases, weights=times[by_token].astype(float))


def _words_of(corpus: StoredCorpus, lexicon: Lexicon) -> Text:
    """Return the distinct words and texts of a corpus, without its tokens."""
    nothing = np.empty(0, dtype=np.int64)
    columns = tuple((texts, nothing) for texts in corpus.texts)
    return Text(corpus.words, nothing, np.zeros(1, np.int64), np.arange(len(lexicon)), columns)


def _level(coded: CodedText, feature: TagFeature) -> Level:
    """Return where the codes of a feature of a memory come from."""
    outside = coded.coder.outside(feature)
    name = None if coded.of_entries(feature) is None else feature.base
    return Level(name, feature.n_column, coded.coder.of_tags(feature.kind), feature.offset, outside, outside + 1)


def _remove(runs: Sequence[Sequence[StoredBlock]]) -> None:
    for run in (run for own in runs for run in own):
        run.path.unlink(missing_ok=True)


def calibrate(work: TaggerWork, corpus: StoredCorpus, settings: Settings, *, n_jobs: int) -> Calibration:
    """Return the calibration of a tagger: tags of held-out sentences, by taggers that learned from others.

    A tagger that learns from more sentences than a task takes is trained in parts as well, in a folder of its own.
    """
    stages = work.stages
    first, numbered = corpus.first.mapped(), count()

    def trained_on(sentences: np.ndarray) -> Tagging:
        n_tokens = int((first[sentences + 1] - first[sentences]).sum())
        if n_tokens <= work.n_tokens:
            return _in_memory(corpus.take(sentences), settings)
        folder = stages.folder / f"held-out-{next(numbered)}"
        folder.mkdir(exist_ok=True)
        shares = {name: CALIBRATING / 100 * share for name, share in SHARES.items()}
        own = replace(stages, folder=folder, shares=shares, before=float(100 - CALIBRATING))
        numbers = StoredArray(folder / "sentences", "int64", len(sentences)).create()
        numbers.write(0, sentences)
        ends = np.cumsum(first[sentences + 1] - first[sentences])
        edges = np.unique(np.append(np.searchsorted(ends, np.arange(0, n_tokens, work.n_tokens)), len(sentences)))
        sizes = np.diff(np.concatenate([[0], ends])[edges])
        portions = [
            Selected(corpus, numbers, begin, end, size)
            for begin, end, size in zip(edges[:-1].tolist(), edges[1:].tolist(), sizes.tolist())
        ]
        return replace(work, stages=own, is_asked=True).learn(portions, settings)[0]

    note(stages.progress, "calibrating")
    return calibration_by(first, corpus.take, trained_on, n_jobs=n_jobs)


def _in_memory(sentences: Sentences, settings: Settings) -> Tagging:
    if isinstance(settings, CommitteeSettings):
        return committee.fit(sentences, settings)
    return case_bases.fit(sentences, settings)
