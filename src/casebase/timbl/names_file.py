"""The names file (-n): the classes, and the values of every feature."""

from casebase.timbl.memory import Memory
from casebase.timbl.metric_string import NUMERIC, SIMILARITIES
from casebase.timbl.notation import escape


def names_text(memory: Memory) -> str:
    """Return the text of a names file."""
    lines = [f"{','.join(escape(label) for label in memory.symbols.classes)}.", ""]
    for i, (letter, values) in enumerate(zip(memory.metrics, memory.symbols.values), start=1):
        if letter == "I" or values is None:
            lines.append(f"a{i}: Ignore")
        elif letter in NUMERIC + SIMILARITIES:
            lines.append(f"a{i}: Numeric")
        else:
            lines.append(f"a{i}: {','.join(escape(value) for value in values)}.")
    return "\n".join(lines) + "\n"
