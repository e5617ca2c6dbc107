"""Limits how fast one user may read from one instance."""

from collections import OrderedDict
from math import ceil

from shared.domain.errors import TooManyRequests
from shared.domain.ids import UserId
from shared.engine.token_bucket import TokenBucket
from shared.ports.clock import Clock

MOST_USERS = 10_000
"""Users tracked; the least recent one is dropped and starts with a full bucket."""


class ReadLimits:
    """One token bucket per user, with a burst of one minute."""

    def __init__(self, clock: Clock, per_minute: int = 300) -> None:
        self._clock = clock
        self._per_minute = per_minute
        self._buckets: OrderedDict[UserId, TokenBucket] = OrderedDict()

    def take(self, user_id: UserId) -> None:
        """Count one read of a user.

        Raises:
            TooManyRequests: The user must wait.
        """
        bucket = self._buckets.get(user_id)
        if bucket is None:
            bucket = self._buckets[user_id] = TokenBucket(self._per_minute / 60, self._per_minute, self._clock)
        self._buckets.move_to_end(user_id)
        if len(self._buckets) > MOST_USERS:
            self._buckets.popitem(last=False)
        if wait := bucket.wait_s():
            raise TooManyRequests(ceil(wait), "reads")
        bucket.take()
