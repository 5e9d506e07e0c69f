"""How long work reports what is done."""

from collections.abc import Callable

Progress = Callable[[int], object]  # so much more is done
SearchProgress = Callable[[int, int], object]  # so much is done, of so much at most
