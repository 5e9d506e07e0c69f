"""casebase timbl"""

import sys

import click

from casebase.terminal import harmless
from casebase.timbl.program import Streams, run


class RawCommand(click.Command):
    """A command that parses its own arguments: TiMBL's options do not follow click's rules."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--help" in args or "-h" in args:
            click.echo(ctx.get_help())
            ctx.exit(0)
        ctx.args = list(args)
        return ctx.args


@click.command("timbl", cls=RawCommand, add_help_option=False, options_metavar="-f TRAIN -t TEST [TiMBL's options]")
@click.pass_context
def command(ctx: click.Context) -> None:
    """Run a TiMBL command line: same options, output files and statistics.

    Change the first word of a TiMBL script and nothing else. Unsupported options are refused by name.

    \b
    -a NAME           IB1 (default), IGTree, TRIBL (with -q), IB2 (with -b), TRIBL2
    -m STRING         metrics: O M J S N E L DC C D; for features O:N3:I2,5-7
    -w NAME|FILE:NAME weights: nw gr ig x2 sv sd
    -k N, -d Z|ID|IL|ED:a:b, -L N, +x    neighbours and their votes
    -t FILE|leave_one_out|cross_validate|@FILE
    -F, -l, -N, -T, -s, --occurrences=   how data files are read
    -i, -I, -W, -n    instance bases, weights, names
    -o, -O, -P, +%    where files are
    +v LEVEL+LEVEL    di db md cf n k in the result file, as cs cm b printed
    -G, --Beam=, -Z, -M, -B, -c, +D, -H, --Treeorder=, --Diversify, --limit=, --sloppy

    Example:  casebase timbl -f dimin.train -t dimin.test -mM -k5 -dID +vdb+di
    """
    sys.exit(run(ctx.args, Streams(lambda text: _echo(text, False), lambda text: _echo(text + "\n", True))))


def _echo(text: str, is_warning: bool) -> None:
    if (sys.stderr if is_warning else sys.stdout).isatty():
        click.echo(harmless(text), nl=False, err=is_warning)
        return
    # Bytes that are not UTF-8 leave as they came.
    click.echo(text.encode("utf-8", "surrogateescape"), nl=False, err=is_warning)
