"""What TiMBL says on the way: the data, the weights, what is about to be tested.

Scripts read these lines, so they are the same; the times that it prints between them are left out, because nobody
can rely on those.
"""

from typing import Any

import numpy as np

from casebase.timbl.experiment import Memory
from casebase.timbl.metric_string import METRICS, WITH_MATRICES
from casebase.timbl.options import Options
from casebase.timbl.reading import Layout
from casebase.timbl.relevance import NAMES, ORDER_NAMES

GLOBAL_NAMES = {
    "O": "Overlap",
    "N": "Numeric",
    "E": "Euclidean Distance",
    "M": "Value Difference",
    "J": "Jeffrey Divergence",
    "S": "Jensen-Shannon Divergence",
    "L": "Levenshtein",
    "DC": "Dice coefficient",
    "C": "Cosine metric",
    "D": "Dot product",
}
DECAYS = {"ID": "Inverse Distance", "IL": "Inverse Linear Distance"}


def examined(path: str, layout: Layout) -> str:
    """Return what a look at the first line of a file gave."""
    format = "Sparse Binary" if layout.format == "Binary" else layout.format
    if format == "Compact":
        format = f"Compact, (Feature Length = {layout.width})"
    return (
        f"Examine datafile '{path}' gave the following results:\n"
        f"Number of Features: {layout.n_features}\n"
        f"InputFormat       : {format}\n\n"
    )


def learned(memory: Memory, options: Options, n_skipped: int) -> str:
    """Return the data and the weights of the features."""
    training = memory.training
    lines = [f"Phase 1: Reading Datafile: {training.name}", f"Lines of data     : {memory.symbols.n_lines}"]
    if n_skipped:
        lines.append(f"SkippedLines      : {n_skipped}")
    lines += [
        f"DB Entropy        : {memory.relevance.entropy:#.8g}",
        f"Number of Classes : {len(memory.symbols.classes)}",
        "",
        *relevance_table(memory, options),
        "",
        f"Feature Permutation based on {ORDER_NAMES.get(memory.order_name, memory.order_name)} :",
        f"< {', '.join(str(i + 1) for i in memory.order)} >",
        f"Phase 2: Learning from Datafile: {training.name}",
        "",
    ]
    return "\n".join(lines)


def relevance_table(memory: Memory, options: Options) -> list[str]:
    """Return the number of values and the weights of every feature."""
    measures = memory.relevance.measures
    if options.weighting == "sd" and options.weights_file is None:
        columns = {"Standard Deviation": measures["sd"]}
    else:
        columns = {"InfoGain": measures["ig"], "GainRatio": measures["gr"]}
        if measures["x2"].any() or measures["sv"].any():
            columns = {"X-square": measures["x2"], "Variance": measures["sv"], **columns}
    lines = ["\t".join(["Feats", "Vals", *columns])]
    for i, letter in enumerate(memory.metrics):
        if letter == "I":
            lines.append(f"{i + 1:5d} (ignored) ")
            continue
        numbers = "\t".join(f"{weights[i]:#.8g}" for weights in columns.values())
        kind = " NUMERIC" if letter in ("N", "E", "C", "D") else ""
        lines.append(f"{i + 1:5d}{memory.relevance.n_values[i]:7d}\t{numbers}{kind}")
    return lines


def weights_listing(weights: np.ndarray) -> str:
    """Return the weight of every feature, a line each, 15 decimals."""
    return "".join(f"Feature {i + 1}\t : {weight:.15f}\n" for i, weight in enumerate(weights.tolist()))


def size(memory: Memory, model: Any) -> str:
    return ""


def starting(memory: Memory, model: Any, options: Options, test: str, output: str) -> str:
    """Return what is said before the first test line."""
    first = (
        "Starting to test using Leave One Out"
        if options.test == "leave_one_out"
        else f"Starting to test, Testfile: {test}"
    )
    algorithm = {"TRIBL": f"TRIBL, q = {options.switch}"}.get(options.algorithm, options.algorithm)
    if options.test in ("leave_one_out", "cross_validate"):
        algorithm = "LOO" if options.test == "leave_one_out" else "CV"
    lines = ["", first, f"Writing output in:          {output}", f"Algorithm     : {algorithm}"]
    if options.algorithm != "IGTree":
        lines += _metrics(memory, options)
    if options.weights_file is not None:
        lines.append(f"Weighting     : User Defined  ({options.weights_file.path})")
    else:
        lines.append(f"Weighting     : {NAMES[options.weighting]}")
    text = "\n".join(lines) + "\n"
    if options.shows("f") or True:
        is_weighted = options.weights_file is not None or options.weighting != "nw"
        text += weights_listing(model.weights) if is_weighted else ""
    if options.decay.kind in DECAYS:
        return text + f"Decay         : {DECAYS[options.decay.kind]}\n"
    if options.decay.kind == "ED":
        return text + f"Decay         : Exponential Decay a={options.decay.alpha:.6f} b= {options.decay.beta:.6f}\n"
    return text + "\n"


def _metrics(memory: Memory, options: Options) -> list[str]:
    default = options.metric.default
    prestored = ", Prestored matrix" if default in WITH_MATRICES else ""
    deviant = [
        f"   Feature[{i + 1}] : {deviant_name(letter)}"
        for i, letter in enumerate(memory.metrics)
        if letter not in (default, "I")
    ]
    lines = [f"Global metric : {GLOBAL_NAMES[default]}{prestored}"]
    lines += ["Deviant Feature Metrics:", *deviant] if deviant else ["Deviant Feature Metrics:(none)"]
    if memory.ignored:
        ignored = ", ".join(str(i + 1) for i in sorted(memory.ignored))
        lines.append(f"Ignored features : {{ {ignored} }} ")
    return lines


def deviant_name(letter: str) -> str:
    prestored = ", Prestored matrix" if letter in WITH_MATRICES else ""
    return GLOBAL_NAMES.get(letter, METRICS[letter][1]) + prestored


def finished(n_lines: int, seconds: float) -> str:
    """Return how long the test took."""
    rate = n_lines / seconds if seconds > 0 else 0.0
    return f"Ready: {n_lines:7d}\nSeconds taken: {seconds:.4f} ({rate:.2f} p/s)\n"


def settings(options: Options) -> str:
    return ""
