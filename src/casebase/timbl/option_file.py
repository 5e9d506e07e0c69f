"""Option files: `-t @file`, one test per line, each with its own options."""

from dataclasses import replace
from pathlib import Path

from casebase.errors import CasebaseError
from casebase.formats.source import open_source
from casebase.timbl.file_names import input_path
from casebase.timbl.option_rules import check_combination
from casebase.timbl.options import PER_TEST, Options, read_options


def read_tests(options: Options) -> list[Options]:
    """Return the options of each test: none, one, or one per line of an option file.

    Options that a line may set start from their defaults; all others are those of the command line.
    """
    if options.test is None:
        return []
    if not options.test.startswith("@"):
        return [options]
    path = input_path(options, options.test[1:])
    fresh = Options()
    defaults = replace(
        options,
        test=None,
        k=fresh.k,
        decay=fresh.decay,
        decay_given=False,
        threshold=None,
        metric=fresh.metric,
        output=None,
        exact_match=False,
        normalisation=None,
        progress=fresh.progress,
    )
    tests: list[Options] = []
    for number, line in enumerate(open_source(Path(path)).data.decode("utf-8", "replace").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            # The verbosity of a line holds for the lines after it, too.
            verbosity = tests[-1].verbosity if tests else options.verbosity
            test = read_options(line.split(), defaults=replace(defaults, verbosity=verbosity), only=PER_TEST)
            if test.test is None:
                raise CasebaseError("Option -t is missing: every line names a test file.")
            if test.test.startswith("@"):
                raise CasebaseError("Option -t: an option file cannot name another option file.")
            check_combination(test)
            if test.weighting != options.weighting or test.weights_file != options.weights_file:
                raise CasebaseError("Option -w belongs on the command line: all tests use the same weights.")
        except CasebaseError as error:
            raise CasebaseError(f"{path}, line {number}: {error}") from None
        tests.append(test)
    if not tests:
        raise CasebaseError(f"{path}: expected one test per line, such as '-t FILE -k 3', got none.")
    return tests
