"""TiMBL's command line as a record: what is read, and what is refused by name."""

import pytest

from casebase.errors import CasebaseError
from casebase.timbl.metric_string import feature_ranges, read_metrics
from casebase.timbl.options import Decay, Options, WeightsFile, read_options


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("-k3", "k", 3),
        ("-k 3", "k", 3),
        ("-a IGTREE", "algorithm", "IGTree"),
        ("-a tribl2", "algorithm", "TRIBL2"),
        ("-a0", "algorithm", "IB1"),
        ("-w 2", "weighting", "ig"),
        ("-w SV", "weighting", "sv"),
        ("-w file.wgt", "weights_file", WeightsFile("file.wgt", "gr")),
        ("-w dir/file:ig", "weights_file", WeightsFile("dir/file", "ig")),
        ("-w file:3", "weights_file", WeightsFile("file", "x2")),
        ("-d ED:2:3", "decay", Decay("ED:2:3", "ED", 2.0, 3.0)),
        ("-dED2", "decay", Decay("ED2", "ED", 2.0, 1.0)),
        ("-d id", "decay", Decay("id", "ID")),
        ("-F c45", "format", "C4.5"),
        ("-s", "exemplars", "both"),
        ("-s1", "exemplars", "train"),
        ("-s0", "exemplars", "ignored"),
        ("--occurrences=both", "occurrences", "both"),
        ("--occurrences train", "occurrences", "train"),
        ("-G", "normalisation", "probability"),
        ("-G1:0.5", "added", 0.5),
        ("-G logProbability", "normalisation", "log_probability"),
        ("+x", "exact_match", True),
        ("-x", "exact_match", False),
        ("-H", "hashed", False),
        ("+D", "keep_distributions", True),
        ("+%", "percent", True),
        ("--Treeorder=g/v", "tree_order", "G/V"),
        ("--sloppy", "sloppy", True),
        ("--sloppy=false", "sloppy", False),
        ("--Beam 2", "beam", 2),
        ("-t leave_one_out", "test", "leave_one_out"),
        ("-O out -o x", "output_folder", "out"),
    ],
)
def test_an_option_is_read(words, name, value):
    """With or without a blank, with a number or a name."""
    assert getattr(read_options(words.split()), name) == value


def test_the_defaults_are_timbls():
    """IB1, overlap, gain ratio, one neighbour, equal votes."""
    options = read_options([])

    assert (options.algorithm, options.metric.text, options.weighting, options.k) == ("IB1", "O", "gr", 1)
    assert options == Options()


def test_levels_of_verbosity_add_up():
    """+v switches levels on, -v off; some bring another one with them."""
    options = read_options(["+vdb+di", "+v", "cm", "-vdi", "-vf", "+vk"])

    assert options.verbosity == {"db", "cm", "as", "k"}


def test_a_metric_string_names_features_and_ranges():
    """The letters hold for single features, the first one for all the others."""
    metric = read_metrics("O:N3:I2,5-7:DC9")

    assert [metric.of(i) for i in range(1, 10)] == ["O", "I", "N", "O", "I", "I", "I", "O", "DC"]
    assert feature_ranges([2, 5, 6, 7]) == "2,5-7"


MALFORMED = {
    "-k": "needs a value",
    "-k 0": "-k: expected a whole number from 1 to 100000, got '0'",
    "-k x": "got 'x'",
    "-k 3x": "got '3x'",
    "-k -1": "-k needs a value",
    "-k 200000": "got '200000'",
    "-a 9": "Unknown algorithm '9'",
    "-a IG": "Unknown algorithm 'IG'",
    "-m X": "-m X: expected one of O, N,",
    "-m I": "got I",
    "-m O:Z1": "'Z1'",
    "-m O:L2": "'L2'",
    "-m O:N3-1": "is descending",
    "-m O:N1:M1": "feature 1 has two metrics, N and M",
    "-m ON2": "got ON2",
    "-m C:N2": "compares whole cases",
    "-m O:I0": "'I0'",
    "-w file:foo": "Unknown section of a weights file 'foo'",
    "-d Q": "expected Z, ID, IL, ED:a or ED:a:b, got 'Q'",
    "-d ED:x": "expected a number of at least 0, got 'x'",
    "-d ED:1:2:3": "got 'ED:1:2:3'",
    "-d ID:3": "got 'ID:3'",
    "-L 0": "-L",
    "-F Foo": "Unknown format 'Foo'",
    "-l 40": "from 1 to 32, got '40'",
    "-N x": "-N",
    "-T 0": "-T",
    "-s2": "expected -s, -s0 or -s1, got -s2",
    "--occurrences=foo": "expected train, test or both, got 'foo'",
    "--occurrences": "--occurrences needs a value",
    "-B 1": "from 2 to 10000",
    "-M 3": "from 10 to 100000",
    "-c x": "-c",
    "-G3": "got '3'",
    "-G1:x": "got 'x'",
    "--Beam=0": "--Beam",
    "+vfoo": "Unknown level 'foo'",
    "+v": "+v needs a value",
    "-p 0": "-p",
    "--Treeorder=foo": "Unknown tree order 'foo'",
    "--Threshold=x": "--Threshold",
    "--Diversify=3": "takes no value",
    "--sloppy=maybe": "expected true or false, got 'maybe'",
    "--clones=0": "--clones",
    "--limit=x": "--limit",
    "+xyz": "+x takes no value, got 'yz'",
    "+k3": "only v, x, D, H and % can have a +",
    "-y": "Unknown option '-y'",
    "--foo=3": "Unknown option '--foo'",
    "--k 3": "Unknown option '--k'",
    "extra": "'extra' is not an option",
    "-k 2 -k 3": "-k is given twice: -k 2 and -k 3",
    "+x -x": "given twice",
}


@pytest.mark.parametrize("words", MALFORMED)
def test_a_malformed_option_is_refused_by_name(words):
    """The message has the option, what came, and what was expected."""
    with pytest.raises(CasebaseError) as refused:
        read_options(words.split())

    assert MALFORMED[words] in str(refused.value)


@pytest.mark.parametrize("words", ["-R 3", "-X f", "-u f", "-U f", "--matrixin=f", "--matrixout=f"])
def test_an_option_that_is_not_supported_says_so(words):
    """By its name, and why."""
    option = words.split("=")[0].split()[0]

    with pytest.raises(CasebaseError, match=f"Option {option} is not supported: "):
        read_options(words.split())
