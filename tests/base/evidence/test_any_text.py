"""Names, values and classes may be any text."""

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from casebase.base.evidence import AskedRule, CoveredCase, Evidence, RuleEvidence, Unseen
from casebase.hyphenation.evidence import HyphenationEvidence, PatternEvidence, PlaceEvidence
from casebase.neighbours.evidence import Neighbour, NeighbourEvidence
from casebase.render.page import render_html
from casebase.render.text import render_text
from casebase.render.words import n_columns
from casebase.smile.evidence import Pool, PooledCase, SmileEvidence
from casebase.tagging.evidence import Context, TagEvidence
from casebase.tagging.opinions import CommitteeEvidence, Opinion
from casebase.trees.evidence import PathEvidence, ReachedNode

anything = st.text(max_size=60)


@st.composite
def evidence(draw) -> NeighbourEvidence:
    n_features = draw(st.integers(1, 30))
    values = st.tuples(*[st.none() | anything | st.floats()] * n_features)
    costs = st.tuples(*[st.sampled_from([0.0, 0.25, 3.0])] * n_features)
    cases = draw(
        st.lists(st.builds(Neighbour, anything, values, anything, st.floats(0), st.just(2.0), costs), max_size=3)
    )
    asked, label = draw(values), draw(anything)
    names = tuple(draw(anything) for _ in range(n_features))
    return NeighbourEvidence(
        features=names,
        values=asked,
        unseen=(Unseen(names[0], asked[0]),),
        label=label,
        votes={label: 2.0, draw(anything): 1.0},
        weights=draw(st.tuples(*[st.floats(0, 1)] * n_features)),
        k=1,
        n_neighbours=len(cases),
        distances=(0.5,),
        neighbours=tuple(cases),
        nearest_other=cases[-1] if cases else None,
        is_exact=False,
        was_tied=False,
    )


@st.composite
def lattice(draw) -> SmileEvidence:
    n_features = draw(st.integers(1, 30))
    values = st.tuples(*[st.none() | anything | st.floats()] * n_features)
    names, asked, label = tuple(draw(anything) for _ in range(n_features)), draw(values), draw(anything)
    counts = st.dictionaries(anything, st.floats(0, 1e6), min_size=1, max_size=6)
    pools = draw(
        st.lists(st.builds(Pool, st.just(names), st.just(asked), st.floats(0, 1e9), counts), min_size=1, max_size=15)
    )
    agrees = st.tuples(*[st.sampled_from([True, False, None])] * n_features)
    case = st.builds(PooledCase, anything, values, anything, st.floats(0, 9), agrees, st.just((0,)))
    return SmileEvidence(
        features=names,
        values=asked,
        unseen=(),
        label=label,
        votes={label: 2.0, draw(anything): 1.0},
        weights=(),
        alpha=draw(st.integers(0, 10**9)),
        pools=tuple(pools),
        n_cases=9,
        cases=tuple(draw(st.lists(case, max_size=3))),
    )


@st.composite
def rule(draw) -> RuleEvidence:
    n_features = draw(st.integers(1, 30))
    values = st.tuples(*[st.none() | anything | st.floats()] * n_features)
    names, asked, label = tuple(draw(anything) for _ in range(n_features)), draw(values), draw(anything)
    size = st.floats(0, 1e9)
    rules = st.builds(AskedRule, st.just(names[:2]), st.just(asked[:2]), anything, st.integers(1, 9), size, size)
    agrees = st.tuples(*[st.sampled_from([True, False, None])] * n_features)
    case = st.builds(CoveredCase, anything, values, anything, st.floats(0, 9), agrees, st.booleans())
    return RuleEvidence(
        features=names,
        values=asked,
        unseen=(),
        label=label,
        votes={label: 2.0, draw(anything): 1.0},
        weights=(),
        n_levels=9,
        rule=draw(rules | st.just(AskedRule((), (), label, 10, 9.0, 3.0))),
        overridden=tuple(draw(st.lists(rules, max_size=6))),
        exceptions=tuple(draw(st.lists(rules, max_size=30))),
        n_cases=9,
        cases=tuple(draw(st.lists(case, max_size=3))),
    )


@st.composite
def path(draw) -> PathEvidence:
    n_features = draw(st.integers(1, 30))
    names, label = tuple(draw(anything) for _ in range(n_features)), draw(anything)
    counts = st.dictionaries(anything, st.floats(0, 1e6), min_size=1, max_size=6)
    size, share = st.floats(0, 1e9), st.floats(0, 1)
    value = st.none() | anything | st.floats()
    node = st.builds(
        ReachedNode, st.sampled_from(names), value, anything, counts, size, st.integers(0, 99), share, anything
    )
    return PathEvidence(
        features=names,
        values=draw(st.tuples(*[value] * n_features)),
        unseen=(),
        label=label,
        votes={label: 2.0, draw(anything): 1.0},
        weights=(),
        path=tuple(draw(st.lists(node, min_size=1, max_size=9))),
        n_endings=draw(st.integers(1, 99)),
        spread=names,
    )


words = st.lists(anything, min_size=1, max_size=5).map(tuple)
flag, counts = st.booleans(), st.dictionaries(anything, st.just(2), max_size=5)
shares = st.dictionaries(anything, st.floats(0, 1), min_size=1, max_size=5)
contexts = st.builds(Context, words, st.just(0), anything, st.integers(0, 9))
support = st.floats(-1, 1)
opinions = st.builds(Opinion, words, st.just(("v",) * 5), st.integers(0, 1), counts, st.just(1.0), support)
committees = st.builds(CommitteeEvidence, anything, st.none() | anything, shares, st.tuples(opinions), flag)
in_corpus, sure = (st.tuples(contexts), st.just(3)), (st.none() | st.floats(0, 1), st.just(60))
tags = st.builds(TagEvidence, anything, anything, flag, *sure, flag, committees, *in_corpus, *in_corpus)
patterns = st.builds(PatternEvidence, anything, st.just(1), flag, flag, st.just(1.0), st.just(9), words)
places = st.builds(
    PlaceEvidence, st.just(1), anything, st.booleans(), st.none() | patterns, st.tuples(patterns), st.just(())
)
hyphenations = st.builds(HyphenationEvidence, anything, anything, st.tuples(places), st.booleans())

any_evidence: st.SearchStrategy[Evidence] = evidence() | lattice() | rule() | path()


@given(any_evidence)
def test_text_stays_within_its_width(evidence):
    """No line is wider than the page, whatever the data hold."""
    text = render_text(evidence)

    assert all(line.isprintable() and n_columns(line) <= 100 for line in text.split("\n"))


@given(tags | hyphenations)
def test_words_cannot_move_the_cursor(evidence):
    """Control characters and line ends of words are written out; marks that join letters stay."""
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]", str(evidence))


@given(any_evidence | tags | hyphenations)
def test_page_has_only_our_elements(evidence):
    """Data never open an element, whatever they hold."""
    opened = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: opened.add(tag)
    parser.feed(render_html(evidence))

    ours = "html head meta title style body main h1 section h2 h3 small p ul li span table caption thead tbody"
    assert opened <= {*ours.split(), "tr", "th", "td", "div", "mark", "details", "summary", "ol", "dl", "dt", "dd"}
