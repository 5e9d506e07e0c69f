"""The oblivious methods in the list of methods."""

from casebase.base.method import Method, Takes
from casebase.oblivious import flips, graph, oblivion
from casebase.oblivious.draw.graph import draw_graph
from casebase.oblivious.draw.tree import draw_tree
from casebase.oblivious.export import graph as graph_export
from casebase.oblivious.files.graph import read_oblivious_graph, write_oblivious_graph
from casebase.oblivious.files.oblivion import read_oblivion, write_oblivion

OBLIVION = Method(
    "oblivion",
    "OBLIVION: abstract cases over the features that matter",
    oblivion.fit,
    oblivion.Oblivion,
    oblivion.Settings,
    write_oblivion,
    read_oblivion,
    keeps="abstract cases",
    flip=flips.OBLIVION,
    cost="n² per step",
    draw=draw_tree,
)
OBLIVIOUS_GRAPH = Method(
    "oblivious_graph",
    "Oblivious decision graphs: one feature a level, nodes that answer alike merged",
    graph.fit,
    graph.ObliviousGraph,
    graph.Settings,
    write_oblivious_graph,
    read_oblivious_graph,
    keeps="a graph of tests",
    takes=Takes(numbers=True),
    flip=flips.GRAPH,
    exports=graph_export.FORMATS,
    draw=draw_graph,
)
