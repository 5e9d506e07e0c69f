"""Pages for `man`: one per command, with every option, in a form that the formatter accepts."""

import shutil
import subprocess

import click
import pytest

from casebase.cli import cli
from tools.command_reference import commands
from tools.man_pages import _text, main, pages


def test_every_command_has_a_page_with_its_options():
    """What `--help` lists is on the page of the command."""
    text = pages()
    for context in commands(click.Context(cli, info_name="casebase")):
        page = text[context.command_path.replace(" ", "-") + ".1"].replace("\\-", "-")
        shown = [each for each in context.command.params if isinstance(each, click.Option) and not each.hidden]

        assert [option.opts for option in shown if not all(f"\\fB{name}\\fR" in page for name in option.opts)] == []


@pytest.mark.parametrize(("line", "safe"), [(".csv", "\\&.csv"), ("'-'", "\\&'\\-'"), ("a\\b", "a\\eb")])
def test_text_is_no_request_to_the_formatter(line, safe):
    """A full stop or a quote at the beginning of a line, and a backslash, have a meaning there."""
    assert _text(line) == safe


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
def test_the_pages_are_accepted(tmp_path):
    """mandoc warns about nothing but the date, which would make every page new every day."""
    main(tmp_path)
    told = subprocess.run(
        ["mandoc", "-Tlint", "-W", "warning", *sorted(tmp_path.glob("*.1"))],
        capture_output=True,
        text=True,
        check=False,
    ).stdout

    assert [line for line in told.splitlines() if "missing date" not in line] == []
