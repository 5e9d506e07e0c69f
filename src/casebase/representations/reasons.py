"""The reasons for which a run ends."""

INDEPENDENT = "independent"  # the errors look independent: no code for them is shorter
NO_ERRORS = "no_errors"  # the hypothesis is right on all examples (or on none): its errors have no structure
INCREASING = "increasing"  # Kendall's test: the total codelength grows with the sample
ALL_EXAMPLES = "all_examples"  # the last sample was all examples
STOPS = {
    INDEPENDENT: "errors independent",
    NO_ERRORS: "no errors",
    INCREASING: "codelength increases",
    ALL_EXAMPLES: "all examples used",
}
