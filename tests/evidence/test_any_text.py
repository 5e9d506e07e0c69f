"""Names, values and classes may be any text."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from casebase.evidence import Neighbour, NeighbourEvidence, Unseen, render_html, render_text
from casebase.evidence.reading import n_columns

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


@given(evidence())
def test_text_stays_within_its_width(evidence):
    """No line is wider than the page, whatever the data hold."""
    text = render_text(evidence)

    assert all(line.isprintable() and n_columns(line) <= 100 for line in text.split("\n"))


@given(evidence())
def test_page_has_only_our_elements(evidence):
    """Data never open an element, whatever they hold."""
    opened = set()
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: opened.add(tag)
    parser.feed(render_html(evidence))

    ours = "html head meta title style body main h1 section h2 h3 small p ul li span table caption thead tbody"
    assert opened <= {*ours.split(), "tr", "th", "td", "div", "mark", "details", "summary"}
