"""How many requests one turn may still send to the models, whatever fails and however often."""

from shared.domain.errors import ModelUnavailable

TURN_SENDS = 6
"""Requests of one turn, the SDK's retries, fallbacks, re-asks and hedges included. A turn asks five agents at the most
besides the Counselor, so each can be asked once; an ordinary one asks three and has as many left for retries."""
_SENDS_A_CALL = 2
"""Of one analyser's call: the SDK may retry it once."""
_FOR_THE_REPLY = 1
"""Never spent on an analyser."""
_FOR_BOTH_STREAMS = 2
"""Not spent on an analyser's retry, nor on any analyser after a retry: the model fails at times, and the Counselor may
need a second stream."""


class SendBudget:
    """What is left of a turn's requests; without a limit for background work, whose queue retries it."""

    def __init__(self, most: int | None = None) -> None:
        """Begin with so many requests; None is no limit."""
        self.left = most
        self._retries = 0

    def for_analyser(self, *, again: bool) -> int | None:
        """Take the requests of one analyser's call.

        Args:
            again: The agent was asked before in this turn.

        Returns:
            How many requests the call may send; None without a limit.

        Raises:
            ModelUnavailable: None is left for it; nothing was sent.
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
        """Take the one request of a stream: a second stream may be opened, so the SDK need not retry it.

        Raises:
            ModelUnavailable: None is left for it; nothing was sent.
        """
        return 1 if self.left is None else self._take(min(self.left, 1))

    def settle(self, granted: int | None, sent: int) -> None:
        """Give back what a call was granted and did not send."""
        if self.left is not None and granted is not None:
            unsent = max(granted - sent, 0)
            self.left += unsent
            self._retries -= min(unsent, granted - 1)

    def _take(self, granted: int) -> int:
        if granted < 1 or self.left is None:
            raise ModelUnavailable("the turn's requests are spent").billed(sends=0)
        self.left -= granted
        return granted
