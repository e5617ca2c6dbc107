"""Keeps second streams rare: when everything is slow, asking twice makes it slower."""

_EACH_STREAM_ALLOWS = 0.1
"""Hedges that one stream makes room for: a tenth, as gRPC's retry throttling has it (proposal A6, `tokenRatio`)."""
_MOST = 5.0


class HedgeQuota:
    """One instance's allowance of second streams beside late ones."""

    def __init__(self) -> None:
        """Begin with the full allowance."""
        self._left = _MOST

    def opened(self) -> None:
        """Note a stream."""
        self._left = min(self._left + _EACH_STREAM_ALLOWS, _MOST)

    def take(self) -> bool:
        """Take one hedge from the allowance; tell whether there was one."""
        if self._left < 1:
            return False
        self._left -= 1
        return True
