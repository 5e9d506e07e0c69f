"""The command line: one thin file per command, imported only when the command runs."""

import io
import sys
from contextlib import nullcontext

import click

from casebase import __version__
from casebase.cli import process
from casebase.cli.lazy_group import LazyGroup, discard_output
from casebase.errors import CasebaseError
from casebase.terminal import harmless

# The one-line descriptions live here, so that `casebase --help` imports no command.
COMMANDS = {
    "demo": "Compare the methods on built-in data and explain one answer.",
    "recognise": "Show how a data file would be read: encoding, separator, header, class, kinds of columns.",
    "train": "Train a model on a data file and save it.",
    "insert": "Add cases to a model.",
    "update": "Change values or classes of stored cases.",
    "remove": "Remove cases from a model by id and print a receipt.",
    "cases": "Show, search and export the cases that a model stores.",
    "log": "Show the corrections of a model: who, when, why, before and after.",
    "predict": "Predict the class of each case in a file.",
    "evaluate": "Measure accuracy on a test file, by cross-validation or leave-one-out.",
    "explain": "Show the evidence behind predictions.",
    "inspect": "Show what a model file contains.",
    "weights": "Show how relevant each feature is, by five measures.",
    "select": "Select the features that matter.",
    "health": "Show which records are suspect: mislabelled, contradictory, redundant, pivotal.",
    "methods": "Compare all methods on a data file: accuracy, log loss, time and size.",
    "compare": "Find the representation of the same examples that suits a learner best.",
    "hyphen": "Train a hyphenator for any language and hyphenate with it.",
    "strings": "Learn rules over substrings: pronunciation, endings, DNA.",
    "align": "Align letters with phonemes, as examples for letter-to-sound.",
    "lm": "Train a language model on a text and predict the next word.",
    "tagger": "Train a tagger on a tagged corpus and tag with it.",
    "serve": "Serve models and tables as web pages, and to programs.",
    "timbl": "Run a TiMBL command line: same options, output files and statistics.",
}
MODULES = {"methods": "compare_methods"}  # cli/methods.py has the options of the methods


@click.group(
    cls=LazyGroup,
    home="casebase.cli",
    known=COMMANDS,
    modules=MODULES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="casebase")
def cli() -> None:
    """Memory-based learning for categorical tables: train, predict and explain.

    Example:  casebase train words.tsv -o words.cb --learner igtree
    """


def needs_libraries(arguments: list[str]) -> bool:
    """Return whether a command line does more than show a help text."""
    return bool(arguments) and not {"-h", "--help", "--version"} & set(arguments)


def main(program: click.Command = cli) -> None:
    """Run a click program; an error in the input ends with a message and exit code 1."""
    process.open_streams()
    process.show_warnings()
    if needs_libraries(sys.argv[1:]):
        if too_little := process.memory_error():
            click.echo(too_little, err=True)
            sys.exit(1)
        process.guard_memory()
    process.hear_signals()
    watched = process.explained_bus_errors() if needs_libraries(sys.argv[1:]) else nullcontext()
    try:
        with watched:
            # Without standalone mode click returns the exit code of an interrupted command that showed its results.
            sys.exit(program(standalone_mode=False))
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        click.echo(harmless(shown.getvalue()), nl=False, err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted: nothing was changed.", err=True)
        sys.exit(130)
    except CasebaseError as error:
        click.echo(harmless(f"Error: {error}"), err=True)
        sys.exit(1)
    except Exception as error:
        if process.is_lack_of_memory(error):
            click.echo(f"{process.NO_MEMORY}.", err=True)
        elif isinstance(error, OSError) and error.filename is not None:  # a name that no file can have, for example
            click.echo(harmless(f"Error: {error.filename}: {error.strerror or error}."), err=True)
        elif isinstance(error, OSError):  # files have their own messages, so this is standard output, on a full disk
            discard_output()
            click.echo(f"Error: cannot write to standard output: {error.strerror or error}.", err=True)
        else:
            raise
        sys.exit(1)
