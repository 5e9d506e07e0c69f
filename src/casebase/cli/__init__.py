"""The command line: one thin file per command, loaded only when it is called."""

import sys

import click

from casebase import __version__
from casebase.cli.lazy import LazyGroup, forget_output
from casebase.errors import CasebaseError

# What `casebase --help` shows; a command's own module is imported when it runs.
COMMANDS = {
    "demo": "Learn, compare the methods and explain one answer, on built-in data.",
    "train": "Learn from a data file and save the model.",
    "insert": "Add cases to a model.",
    "remove": "Take cases out of a model, by their ids, and print a receipt.",
    "predict": "Answer the cases of a file, one answer a line.",
    "evaluate": "Report accuracy on a test file, by cross-validation, or leaving one out.",
    "explain": "Show the evidence for answers: the cases that decided.",
    "inspect": "Show what is in a model file.",
    "weights": "Show the relevance of each feature, by five measures.",
    "select": "Find out which features matter.",
    "compare": "Find out which representation of the same examples suits a learner best.",
    "hyphen": "Learn to hyphenate the words of a language, and do it.",
    "tagger": "Make a tagger of a tagged corpus, and tag with it.",
    "timbl": "Run a TiMBL command line: its options, its output files, its statistics.",
}


@click.group(
    cls=LazyGroup, home="casebase.cli", known=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="casebase")
def cli() -> None:
    """Memory-based learning for symbolic tables: train, answer, and show why.

    Example:  casebase train words.tsv -o words.cb --learner igtree
    """


def main(program: click.Command = cli) -> None:
    """Run the command line, or another program; a mistake in the input ends in a message and exit code 1."""
    try:
        sys.exit(
            program(standalone_mode=False)
        )  # a command that was interrupted, but shows what it has, gives its code
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted: nothing was changed.", err=True)
        sys.exit(130)
    except CasebaseError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
    except OSError as error:  # files have their own messages: this is standard output, on a full disk for example
        forget_output()
        click.echo(f"Error: cannot write to standard output: {error.strerror or error}.", err=True)
        sys.exit(1)
    except MemoryError:
        click.echo("Error: there is not enough memory for this.", err=True)
        sys.exit(1)
