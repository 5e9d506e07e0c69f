"""Fourteen days on which to play or not, the table of many textbooks, written out."""

from casebase.datasets._base import Dataset, from_rows

_DAYS = """
sunny    hot  85 high   85 false no
sunny    hot  80 high   90 true  no
overcast hot  83 high   86 false yes
rainy    mild 70 high   96 false yes
rainy    cool 68 normal 80 false yes
rainy    cool 65 normal 70 true  no
overcast cool 64 normal 65 true  yes
sunny    mild 72 high   95 false no
sunny    cool 69 normal 70 false yes
rainy    mild 75 normal 80 false yes
sunny    mild 75 normal 70 true  yes
overcast mild 72 high   90 true  yes
overcast hot  81 normal 75 false yes
rainy    mild 71 high   91 true  no
"""


def load_weather(*, numeric: bool = False) -> Dataset:
    """Return fourteen days, told apart by outlook, temperature, humidity and wind: is it a day to play?

    With `numeric`, temperature and humidity are the measurements, otherwise the words for them.

    >>> ds = load_weather()
    >>> ds
    Dataset('weather': 14 cases, 4 features, 2 classes)
    >>> print(*ds.data[0], ds.target[0])
    sunny hot high false no
    >>> print(*load_weather(numeric=True).data[0])
    sunny 85.0 85.0 false

    Quinlan, Induction of Decision Trees, Machine Learning 1, 1986; with measurements in Quinlan, C4.5: Programs for
    Machine Learning, 1993.
    """
    columns = (0, 2, 4, 5, 6) if numeric else (0, 1, 3, 5, 6)
    days = [line.split() for line in _DAYS.strip().splitlines()]
    rows = [[day[i] for i in columns] for day in days]
    names = ("outlook", "temperature", "humidity", "windy")
    return from_rows("weather", rows, names, "Fourteen days: is it a day to play?", symbolic=not numeric)
