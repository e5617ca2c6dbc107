"""Limits how many requests one turn may send to the models."""

from shared.domain.errors import ModelUnavailable

TURN_SENDS = 7
"""Requests of one turn, including the SDK's retries, fallbacks, re-asks, hedges and calls ahead in vain. A turn asks
four agents at most besides the counsellor, so each can be asked once; an ordinary turn asks two."""
_SENDS_A_CALL = 2
"""Requests of one analyser's call: the SDK may retry it once."""
_FOR_THE_REPLY = 1
"""Requests reserved for the reply; analysers never get them."""
_FOR_BOTH_STREAMS = 2
"""Requests reserved for two streams: an analyser's retry never gets them, and no analyser does after a retry, since a
failing model may need a second stream."""


class SendBudget:
    """Requests left in a turn; background work has no limit, because its queue retries it."""

    def __init__(self, most: int | None = None) -> None:
        """Start with `most` requests; None means no limit."""
        self.left = most
        self._retries = 0

    def for_analyser(self, *, again: bool) -> int | None:
        """Take the requests for one analyser's call.

        Args:
            again: The agent was asked before in this turn.

        Returns:
            How many requests the call may send; None without a limit.

        Raises:
            ModelUnavailable: No request is left; nothing was sent.
        """
        if self.left is None:
            return None
        spare = self.left - _FOR_BOTH_STREAMS
        granted = min(spare, 1 if again else _SENDS_A_CALL)
        if granted < 1 and not again and not self._retries:
            granted = min(self.left - _FOR_THE_REPLY, 1)
        taken = self._take(granted)
        self._retries += taken if again else taken - 1
        return taken

    def for_stream(self) -> int:
        """Take the one request of a stream. The SDK does not retry it, since a second stream may be opened.

        Raises:
            ModelUnavailable: No request is left; nothing was sent.
        """
        return 1 if self.left is None else self._take(min(self.left, 1))

    def settle(self, granted: int | None, sent: int) -> None:
        """Return granted requests that were not sent."""
        if self.left is not None and granted is not None:
            unsent = max(granted - sent, 0)
            self.left += unsent
            self._retries -= min(unsent, granted - 1)

    def _take(self, granted: int) -> int:
        if granted < 1 or self.left is None:
            raise ModelUnavailable("the turn's requests are spent").billed(sends=0)
        self.left -= granted
        return granted
