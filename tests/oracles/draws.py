"""SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014), with whole numbers."""

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


class Draws:
    """A stream of random numbers: the streams of one seed begin at different states."""

    def __init__(self, seed: int, stream: int) -> None:
        self.state = seed & MASK
        self.state = self.next() ^ (GOLDEN * (stream + 1) & MASK)

    def next(self) -> int:
        self.state = (self.state + GOLDEN) & MASK
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return a whole number below n, from the upper 32 bits."""
        return ((self.next() >> 32) * n) >> 32

    def unit(self) -> float:
        """Return a number from 0 to 1, from the upper 53 bits."""
        return (self.next() >> 11) / 2**53
