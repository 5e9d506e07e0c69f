"""casebase lm predict"""

import click

from casebase.cli.options import json_option
from casebase.cli.output import console, grid, print_json
from casebase.language_model import LanguageModel
from casebase.tagging.tokens import tokens_of


@click.command("predict")
@click.argument("model")
@click.argument("words", nargs=-1)
@click.option("-n", "number", type=click.IntRange(min=1), default=5, metavar="N", help="How many next words to show.")
@click.option("--places", type=click.IntRange(min=0), default=1, metavar="N", help="Places in the text for each.")
@json_option
def command(model: str, words: tuple[str, ...], number: int, places: int, as_json: bool) -> None:
    """Show the most likely words after WORDS, their probabilities, and places in the text where they followed.

    Without WORDS, those at the beginning of a sentence.

    Example:  casebase lm predict text.cb one of the
    """
    known = LanguageModel.load(model)
    before = [token for sentence in tokens_of(" ".join(words)) for token in sentence]
    found = known.predict(before, number, n_places=places)
    if as_json:
        print_json({"words": before, "continuations": [one.to_dict() for one in found]})
        return
    table = grid("next word", "probability", "times", "for example" if places else "")
    for one in found:
        first, *others = map(str, one.places or ("",))
        table.add_row(one.word, f"{one.probability:.4f}", f"{one.count:,.0f}", first)
        for place in others:
            table.add_row("", "", "", place)
    console().print(table, markup=False)
