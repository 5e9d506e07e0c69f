"""Hierarchical rules in the list of methods."""

from casebase.base.method import Method
from casebase.rules import export, flips, table
from casebase.rules.files import read_rules, write_rules

RULES = Method(
    "rules",
    "Hierarchical rules: a default, exceptions, exceptions to those",
    table.fit,
    table.Rules,
    table.Settings,
    write_rules,
    read_rules,
    keeps="cases",
    flip=flips.RULES,
    cost="n² · values",
    exports=export.FORMATS,
)
