"""The names of TiMBL's output files."""

from pathlib import Path

from casebase.timbl.options import Options


def output_path(options: Options, test: str) -> str:
    """Return where the answers to a test file go.

    >>> from casebase.timbl.options import read_options
    >>> output_path(read_options(["-k3", "-mM", "-L2", "-dID"]), "dimin.test")
    'dimin.test.IB1.M.L2.gr.k3.ID.out'
    """
    name = options.output or f"{test}.{_description(options)}.out"
    if options.output_folder is not None:
        name = inside(options.output_folder, name if options.output else Path(name).name)
    return name


def _description(options: Options) -> str:
    weight = "ud" if options.weights_file else options.weighting
    exact = ["X"] if options.exact_match else []
    if options.algorithm == "IGTree":
        return ".".join(["IGTree", weight, *exact])
    name = f"TRIBL-{options.switch}" if options.algorithm == "TRIBL" else options.algorithm
    if options.test == "leave_one_out":
        name = "LOO"
    parts = [name, options.metric.text]
    if options.threshold is not None:
        parts.append(f"L{options.threshold}")
    parts += [weight, f"k{options.k}"]
    if options.decay_given:
        parts.append(options.decay.text)
    return ".".join(parts + exact)


def percent_path(output: str) -> str:
    """Return the name of the percent file beside an output file: its last extension is replaced.

    >>> percent_path("dimin.test.IB1.O.gr.k1.out"), percent_path("answers")
    ('dimin.test.IB1.O.gr.k1.%', 'answers.%')
    """
    folder, slash, name = output.rpartition("/")
    stem, dot, _ = name.rpartition(".")
    return f"{folder}{slash}{stem if dot else name}.%"


def input_path(options: Options, name: str) -> str:
    return name if options.input_folder is None else inside(options.input_folder, name)


def written_path(options: Options, name: str) -> str:
    """Return where a file other than the answers is written."""
    return name if options.output_folder is None else inside(options.output_folder, name)


def inside(folder: str, name: str) -> str:
    """Return a name in a folder, written as TiMBL writes it.

    >>> inside("out", "a"), inside("./", "a")
    ('out/a', './a')
    """
    return f"{folder.removesuffix('/')}/{name}"
