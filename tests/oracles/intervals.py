"""The interval of a number, found by comparing it with one cut after the other."""

import math


def interval_name(number, cuts):
    """Return the name of the interval that contains a number; None for a missing number."""
    if number is None or math.isnan(number):
        return None
    texts = [f"{cut:.6g}" if abs(cut) < 1e5 else f"{cut:.10g}" for cut in cuts]
    if not texts:
        return "any number"
    below = [text for text, cut in zip(texts, cuts) if cut < number]
    above = [text for text, cut in zip(texts, cuts) if cut >= number]
    if not below:
        return f"≤ {above[0]}"
    return f"{below[-1]} – {above[0]}" if above else f"> {below[-1]}"
