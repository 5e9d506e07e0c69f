"""Why a run of one representation ended."""

INDEPENDENT = "independent"  # the errors look independent: no code says them in fewer bits
NO_ERRORS = "no_errors"  # the hypothesis is right on all examples (or on none): there is nothing left to say
INCREASING = "increasing"  # Kendall's test: the total codelength grows with the sample
ALL_EXAMPLES = "all_examples"  # the last sample was all examples
STOPS = {
    INDEPENDENT: "errors independent",
    NO_ERRORS: "no errors",
    INCREASING: "codelength increases",
    ALL_EXAMPLES: "all examples used",
}
