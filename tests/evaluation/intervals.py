"""The interval of a counted share."""

from local.safety_report.wilson import Share


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Return the bounds (0 to 1) of the 95 % interval of `hits` of `n`."""
    return Share(hits, n).interval
