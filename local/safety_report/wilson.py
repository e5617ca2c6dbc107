"""A share with its confidence interval."""

from math import sqrt
from typing import NamedTuple

_Z = 1.959964
"""Standard deviations around the mean for 95 % of a normal distribution."""


class Share(NamedTuple):
    """A counted share with its 95 % interval (Wilson 1927, Journal of the American Statistical Association 22(158)).

    Attributes:
        hits: Number of hits among `of` rows.
    """

    hits: int
    of: int

    @property
    def value(self) -> float:
        """The share, 0 to 1; 0 without rows."""
        return self.hits / self.of if self.of else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Lower and upper bound, 0 to 1; the full range without rows."""
        if not self.of:
            return 0.0, 1.0
        squared = _Z * _Z
        centre = self.value + squared / (2 * self.of)
        reach = _Z * sqrt(self.value * (1 - self.value) / self.of + squared / (4 * self.of * self.of))
        whole = 1 + squared / self.of
        return max((centre - reach) / whole, 0.0), min((centre + reach) / whole, 1.0)

    def __str__(self) -> str:
        """Format the share and its interval in percent: `90.0% (80.1–95.3)`."""
        low, high = self.interval
        return f"{self.value:.1%} ({100 * low:.1f}–{100 * high:.1f})"
