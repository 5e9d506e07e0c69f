"""The progress report of TiMBL: the data, the weights, the settings of a test.

Scripts parse these lines, so they are identical; only the times between them are left out, because no script can rely
on those.
"""

import numpy as np

from casebase import __version__
from casebase.timbl.data_files import DataFile
from casebase.timbl.file_names import written_path
from casebase.timbl.layout import Layout
from casebase.timbl.memory import Memory
from casebase.timbl.metric_string import WITH_MATRICES
from casebase.timbl.models import Learned
from casebase.timbl.options import VERBOSITIES, Options
from casebase.timbl.relevance import NAMES, ORDER_NAMES

METRIC_NAMES = {
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


def file_report(path: str, layout: Layout) -> str:
    """Return the format of a file, as detected from its first line."""
    format = "Sparse Binary" if layout.format == "Binary" else layout.format
    if format == "Compact":
        format = f"Compact, (Feature Length = {layout.width})"
    return (
        f"Examine datafile '{path}' gave the following results:\n"
        f"Number of Features: {layout.n_features}\n"
        f"InputFormat       : {format}\n\n"
    )


def data_report(memory: Memory, options: Options, file: DataFile) -> str:
    """Return the data and the weights of the features."""
    lines = [f"Phase 1: Reading Datafile: {file.path}", f"Lines of data     : {file.n_lines}"]
    if file.n_skipped:
        lines.append(f"SkippedLines      : {file.n_skipped}")
    return "\n".join(lines) + "\n" + weights_table(memory, options)


def order_report(memory: Memory, options: Options) -> str:
    """Return the files of weights and names that were written or read, and the order of the features."""
    lines = [
        *([f"Saving Weights in {written_path(options, options.weights_out)}"] if options.weights_out else []),
        *([f"Saving names in {written_path(options, options.names_out)}"] if options.names_out else []),
        *([f"Reading weights from {options.weights_file.path}"] if options.weights_file else []),
        f"Feature Permutation based on {ORDER_NAMES.get(memory.order_name, memory.order_name)} :",
        f"< {', '.join(str(i + 1) for i in memory.order)} >",
    ]
    return "\n".join(lines) + "\n"


def relevance_table(memory: Memory, options: Options, style: str) -> list[str]:
    """Return the number of values and the weights of every feature."""
    measures = memory.relevance.measures
    if options.weighting == "sd" and options.weights_file is None:
        columns = {"Standard Deviation": measures["sd"]}
    else:
        columns = {"InfoGain": measures["ig"], "GainRatio": measures["gr"]}
        if "x2" in memory.relevance.computed:
            columns = {"X-square": measures["x2"], "Variance": measures["sv"], **columns}
    lines = ["\t".join(["Feats", "Vals", *columns])]
    for i, letter in enumerate(memory.metrics):
        if letter == "I":
            lines.append(f"{i + 1:5d} (ignored) ")
            continue
        numbers = "\t".join(f"{weights[i] + 0.0:{style}}" for weights in columns.values())
        kind = " NUMERIC" if letter in ("N", "E", "C", "D") else ""
        lines.append(f"{i + 1:5d}{memory.relevance.n_values[i]:7d}\t{numbers}{kind}")
    return lines


def weights_listing(weights: np.ndarray, style: str = ".15f") -> str:
    """Return the weight of every feature, one per line, by default with 15 decimals."""
    return "".join(f"Feature {i + 1}\t : {weight + 0.0:{style}}\n" for i, weight in enumerate(weights.tolist()))


def base_order_report(order: list[int]) -> str:
    """Return the order of the features in an instance base."""
    return f"Feature Permutation based on Data File Ordering :\n< {', '.join(str(i + 1) for i in order)} >\n"


def weights_table(memory: Memory, options: Options, *, is_first: bool = True) -> str:
    """Return the entropy of the classes and the weights; later tables of a run have 8 decimals, not 8 digits."""
    style = "#.8g" if is_first else ".8f"
    lines = [
        f"DB Entropy        : {memory.relevance.entropy:{style}}",
        f"Number of Classes : {np.count_nonzero(np.bincount(memory.symbols.labels))}",
        "",
        *relevance_table(memory, options, style),
    ]
    return "\n".join(lines) + "\n\n"


def experiment_header(
    learned: Learned, options: Options, test: str, output: str, *, is_first_fold: bool = False
) -> str:
    """Return the settings of a test, which TiMBL prints before the first test line."""
    algorithm = {"TRIBL": f"TRIBL, q = {options.switch}"}.get(options.algorithm, options.algorithm)
    first = f"Starting to test, Testfile: {test}"
    if options.test == "leave_one_out":
        how = " using SLOPPY metric calculations" if options.sloppy else ""
        algorithm, first = "LOO", f"Starting to test using Leave One Out{how}"
    elif options.test == "cross_validate":
        algorithm = "CV"
    lines = ["", first, f"Writing output in:          {output}", f"Algorithm     : {algorithm}"]
    if options.algorithm != "IGTree":
        lines += _metrics(learned, options)
    if learned.ignored:
        lines.append(f"Ignored features : {{ {', '.join(str(i + 1) for i in learned.ignored)} }} ")
    source = options.weights_file.path if options.weights_file else None
    if source is None and learned.memory is None:
        source = f"{options.base_in}.wgt"
    lines.append(f"Weighting     : {NAMES[options.weighting] if source is None else f'User Defined  ({source})'}")
    text = "\n".join(lines) + "\n"
    if source is not None or options.weighting != "nw":
        # TiMBL prints digits until its first table of weights, then decimals; a tree from a file has no such table.
        style = ".15g" if learned.memory is None else "#.15g" if is_first_fold else ".15f"
        text += weights_listing(learned.model.weights, style)
    if options.decay.kind in DECAYS:
        return text + f"Decay         : {DECAYS[options.decay.kind]}\n"
    if options.decay.kind == "ED":
        return text + f"Decay         : Exponential Decay a={options.decay.alpha:.6f} b= {options.decay.beta:.6f}\n"
    return text + "\n"


def _metrics(learned: Learned, options: Options) -> list[str]:
    default = options.metric.default
    in_tree = learned.memory.order[: options.switch] if learned.memory and options.algorithm == "TRIBL" else []
    deviant = [
        f"   Feature[{i + 1}] : {METRIC_NAMES[letter]}{' (Prestored)' if letter in WITH_MATRICES else ''}"
        for i, letter in enumerate(learned.metrics)
        if letter not in (default, "I") and i not in in_tree
    ]
    prestored = ", Prestored matrix" if default in WITH_MATRICES else ""
    exact = ", prefering exact matches" if options.exact_match else ""
    lines = [f"Global metric : {METRIC_NAMES[default]}{prestored}{exact}"]
    lines += ["Deviant Feature Metrics:", *deviant] if deviant else ["Deviant Feature Metrics:(none)"]
    return lines


def timing(n_lines: int, seconds: float) -> str:
    """Return the duration of a test."""
    rate = n_lines / seconds if seconds > 0 else 0.0
    return f"Ready: {n_lines:7d}\nSeconds taken: {seconds:.4f} ({rate:.2f} p/s)\n"


def version() -> str:
    return f"casebase {__version__}, with the command line of TiMBL 6.5\n"


def settings(options: Options) -> str:
    """Return the options as TiMBL lists them (-Q, +vo)."""
    order = options.tree_order or ("GRO" if options.algorithm in ("IGTree", "TRIBL", "TRIBL2") else "G/V")
    verbosity = "+".join(level.upper() for level in VERBOSITIES if options.shows(level))
    normalisation = {
        None: "None",
        "probability": "Probability",
        "add": "AddFactor",
        "log_probability": "LogProbability",
    }
    per_feature = ", ".join(f"{letter}{feature}" for feature, letter in sorted(options.metric.per_feature.items()))
    table = {
        "FLENGTH": options.width or 0,
        "MAXBESTS": options.n_listed,
        "TRIBL_OFFSET": options.switch or 0,
        "IG_THRESHOLD": options.ig_threshold,
        "INPUTFORMAT": options.format or "Unknown",
        "TREE_ORDER": order,
        "ALL_WEIGHTS": options.weights_out is not None,
        "WEIGHTING": "ud" if options.weights_file else options.weighting,
        "BIN_SIZE": options.n_bins,
        "IB2_OFFSET": options.bootstrap or 0,
        "KEEP_DISTRIBUTIONS": options.keep_distributions,
        "DO_SLOPPY_LOO": options.sloppy,
        "DO_SILLY": options.silly,
        "DO_DIVERSIFY": options.diversify,
        "DECAY": options.decay.kind,
        "SEED": -1,
        "BEAM_SIZE": options.beam or 0,
        "DECAYPARAM_A": f"{options.decay.alpha:#.6g}",
        "DECAYPARAM_B": f"{options.decay.beta:#.6g}",
        "NORMALISATION": normalisation[options.normalisation],
        "NORM_FACTOR": f"{options.added:#.6g}",
        "EXEMPLAR_WEIGHTS": options.exemplars is not None,
        "VERBOSITY": verbosity,
        "EXACT_MATCH": options.exact_match,
        "HASHED_TREE": options.hashed,
        "GLOBAL_METRIC": options.metric.default,
        "METRICS": per_feature,
        "MVD_LIMIT": options.threshold or 1,
        "NEIGHBORS": options.k,
        "PROGRESS": options.progress,
        "CLIP_FACTOR": options.clip,
    }
    lines = [
        f"{name:<20} : {str(value).lower() if isinstance(value, bool) else value}" for name, value in table.items()
    ]
    return "\n".join(["Current Experiment Settings :", *lines, ""])
