"""Rules on combinations of options, checked before any file is read."""

from casebase.errors import CasebaseError
from casebase.timbl.options import Options

LEAVE_ONE_OUT, CROSS_VALIDATE = "leave_one_out", "cross_validate"


def check_combination(options: Options) -> None:
    """Refuse options that contradict each other or need another one."""
    if options.train is None and options.base_in is None:
        raise CasebaseError(
            "Expected a training file (-f) or an instance base (-i). Usage: casebase timbl -f TRAIN -t TEST"
        )
    for wrong, message in _rules(options):
        if wrong:
            raise CasebaseError(message)


def _rules(options: Options) -> list[tuple[bool, str]]:
    algorithm, test = options.algorithm, options.test
    is_tree = algorithm == "IGTree"
    has_both = options.train is not None and options.base_in is not None
    return [
        (
            has_both and algorithm not in ("IB1", "TRIBL2"),
            f"Options -i and -f together are supported for IB1 and TRIBL2, not for {algorithm}.",
        ),
        (
            options.n_bins != Options().n_bins
            and test == LEAVE_ONE_OUT
            and not options.sloppy
            and bool({"N", "E"} & {options.metric.default, *options.metric.per_feature.values()}),
            f"Option -B {options.n_bins} is not supported with leave_one_out, whose weights change with every line.",
        ),
        (options.limit is not None and options.train is None, "Option --limit needs a training file (-f)."),
        (
            options.train is None and test is None,
            "Option -i needs a test file (-t): an instance base is read to be tested, or added to (-f).",
        ),
        (
            test in (LEAVE_ONE_OUT, CROSS_VALIDATE)
            and (options.shows("n") or options.shows("k") or options.neighbours_only),
            f"Options +vn, +vk and -Z are not supported with -t {test}.",
        ),
        (
            algorithm == "TRIBL" and options.switch is None,
            "Algorithm TRIBL needs option -q: the number of features in its tree.",
        ),
        (algorithm != "TRIBL" and options.switch is not None, f"Option -q is for TRIBL (-a 2), not for {algorithm}."),
        (
            algorithm == "IB2" and options.bootstrap is None and options.base_in is None,
            "Algorithm IB2 needs option -b: the number of lines that are stored without a test.",
        ),
        (is_tree and options.k > 1, f"Option -k {options.k}: IGTree has no neighbours, only -k 1 is possible."),
        (
            is_tree and options.decay.kind != "Z",
            f"Option -d {options.decay.text}: IGTree has no neighbours whose votes could decay.",
        ),
        (
            is_tree and options.metric.default != "O",
            f"Option -m {options.metric.text}: IGTree compares by overlap (O).",
        ),
        (is_tree and options.shows("db") and not options.keep_distributions, "Option +vdb needs +D with IGTree."),
        (is_tree and options.shows("n"), "Option +vn: IGTree has no neighbours to show."),
        (is_tree and options.shows("k"), "Option +vk: IGTree has no neighbours to show."),
        (is_tree and options.neighbours_only, "Option -Z: IGTree has no neighbours to show."),
        (options.shows("cf") and options.normalisation is None, "Option +vcf needs option -G."),
        (
            options.exemplars is not None and options.occurrences is not None,
            "Options -s and --occurrences cannot be combined.",
        ),
        (options.sloppy and test != LEAVE_ONE_OUT, "Option --sloppy is for -t leave_one_out."),
        (
            test in (LEAVE_ONE_OUT, CROSS_VALIDATE) and algorithm != "IB1",
            f"Option -t {test} is for IB1 (-a 0), not for {algorithm}.",
        ),
        (
            test == LEAVE_ONE_OUT and options.exemplars in ("both", "train"),
            "Option -t leave_one_out cannot be combined with -s.",
        ),
        (
            test == CROSS_VALIDATE and options.output is not None,
            "Option -o cannot be combined with -t cross_validate: every fold has its own file.",
        ),
        (
            test in (LEAVE_ONE_OUT, CROSS_VALIDATE) and options.train is None,
            f"Option -t {test} needs a training file (-f).",
        ),
        (
            options.format in ("Sparse", "Binary") and options.n_features is None,
            f"Option -F {options.format} needs option -N: the number of features.",
        ),
        (
            options.format == "Compact" and options.width is None,
            "Option -F Compact needs option -l: the width of the fields.",
        ),
    ]
