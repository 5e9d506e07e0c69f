"""The decision trees in the list of methods."""

from casebase.base.method import Method, Takes
from casebase.trees import c45, c45rules, flips, id3, perceptron_tree
from casebase.trees.draw.decision_tree import draw_tree
from casebase.trees.export import c45rules as c45rules_export
from casebase.trees.export import decision_tree as decision_tree_export
from casebase.trees.export import perceptron_tree as perceptron_tree_export
from casebase.trees.files.c45rules import read_c45rules, write_c45rules
from casebase.trees.files.decision_tree import read_c45, read_id3, write_decision_tree
from casebase.trees.files.perceptron_tree import read_perceptron_tree, write_perceptron_tree

ID3 = Method(
    "id3",
    "ID3: a tree of the most informative tests",
    id3.fit,
    id3.ID3,
    id3.Settings,
    write_decision_tree,
    read_id3,
    keeps="a tree of tests",
    flip=flips.TREE,
    takes=Takes(numbers=True),
    exports=decision_tree_export.FORMATS,
    draw=draw_tree,
)
C45 = Method(
    "c45",
    "C4.5: a pruned tree, with numbers and missing values",
    c45.fit,
    c45.C45,
    c45.Settings,
    write_decision_tree,
    read_c45,
    keeps="a tree of tests",
    flip=flips.TREE,
    takes=Takes(numbers=True, missing=True),
    exports=decision_tree_export.FORMATS,
    draw=draw_tree,
)
C45RULES = Method(
    "c45rules",
    "C4.5's rules: the paths of a tree, shorter and fewer",
    c45rules.fit,
    c45rules.C45Rules,
    c45rules.Settings,
    write_c45rules,
    read_c45rules,
    keeps="rules",
    flip=flips.RULES,
    takes=Takes(numbers=True, missing=True),
    cost="n²",
    exports=c45rules_export.FORMATS,
)
PERCEPTRON_TREE = Method(
    "perceptron_tree",
    "Perceptron trees: tests above, perceptrons at the leaves",
    perceptron_tree.fit,
    perceptron_tree.PerceptronTree,
    perceptron_tree.Settings,
    write_perceptron_tree,
    read_perceptron_tree,
    keeps="tests and weights",
    flip=flips.PERCEPTRON_TREE,
    takes=Takes(numbers=True),
    exports=perceptron_tree_export.FORMATS,
    draw=draw_tree,
)
