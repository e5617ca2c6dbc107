"""Limits second streams (hedges): when every stream is slow, asking twice makes it slower."""

_EACH_STREAM_ALLOWS = 0.1
"""Hedges allowed per stream: a tenth, as in gRPC retry throttling (gRFC A6, `tokenRatio`)."""
_MOST = 5.0


class HedgeQuota:
    """One instance's allowance of hedges."""

    def __init__(self) -> None:
        self._left = _MOST

    def opened(self) -> None:
        """Count a stream."""
        self._left = min(self._left + _EACH_STREAM_ALLOWS, _MOST)

    def take(self) -> bool:
        """Take one hedge from the allowance; return whether one was left."""
        if self._left < 1:
            return False
        self._left -= 1
        return True
