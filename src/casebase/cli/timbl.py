"""casebase timbl"""

import sys

import click

from casebase.timbl.program import Says, run


class RawCommand(click.Command):
    """A command that reads its words itself: TiMBL's options are not click's."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--help" in args or "-h" in args:
            click.echo(ctx.get_help())
            ctx.exit(0)
        ctx.args = list(args)
        return ctx.args


@click.command("timbl", cls=RawCommand, add_help_option=False)
@click.pass_context
def command(ctx: click.Context) -> None:
    """TiMBL's own command line, on casebase: its options, its output files, its statistics.

    Change the first word of a TiMBL script, nothing else. What is not supported is refused by name.

    Example:  casebase timbl -f dimin.train -t dimin.test -mM -k5 -dID +vdb+di
    """
    says = Says(lambda text: click.echo(text, nl=False), lambda text: click.echo(text, err=True))
    sys.exit(run(ctx.args, says))
