"""TiMBL's notation of numbers and names."""


def as_distance(number: float) -> str:
    """Return a distance with 14 significant digits, trailing zeros kept.

    >>> as_distance(0.39240427756029543), as_distance(0.0)
    ('0.39240427756030', '0.0000000000000')
    """
    return f"{number:#.14g}"


def as_votes(number: float) -> str:
    """Return votes with 6 significant digits, trailing zeros kept.

    >>> as_votes(17.0), as_votes(2.0**52)
    ('17.0000', '4.50360e+15')
    """
    return f"{number:#.6g}"


_ESCAPES = str.maketrans({"\\": "\\\\", " ": "\\_", "\t": "\\t"})


def escape(value: str) -> str:
    r"""Return a value as TiMBL stores it: with blanks escaped.

    >>> escape("New York")
    'New\\_York'
    """
    return value.translate(_ESCAPES)


def unescape(text: str) -> str:
    r"""Return the value that was escaped.

    >>> unescape("New\\_York")
    'New York'
    """
    if "\\" not in text:
        return text
    out, rest = [], iter(text)
    for character in rest:
        if character == "\\":
            character = {"_": " ", "t": "\t", "\\": "\\"}.get(following := next(rest, ""), "\\" + following)
        out.append(character)
    return "".join(out)
