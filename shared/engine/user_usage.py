"""Counts what each user uses in a day over all conversations, as this instance knows it.

Every turn's commit adds to one document per user and day and gets back the sum over all instances: one write, no read.
An instance does not know what others added since its own newest commit for the user, so a day's limit may be exceeded
by up to `per_minute` messages per instance.
"""

from collections import OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from math import ceil

from shared.domain.errors import DailyLimitReached, Refused, TooManyRequests
from shared.domain.ids import UserId
from shared.domain.usage import UsageEntry, Used, end_of_day, service_day
from shared.model import Model
from shared.ports.clock import Clock

MINUTE = 60.0
NOTHING = Used()
MOST_USERS = 10_000
"""Users tracked per instance; the least recent one is dropped and starts with an empty account."""
DANGER_FACTOR = 4
"""Factor on the limits of a user and of a conversation for messages about a danger. The crisis protocol answers them
without a model, so they are cheap; the limits still stop a flood."""


class UserLimits(Model):
    """Limits of one user over all conversations.

    Attributes:
        per_minute: Messages per minute at one instance.
        per_day: Messages per service day.
        won_per_day: Cost of model calls per service day, background work included, in Korean won.
    """

    per_minute: int = 60
    per_day: int = 500
    won_per_day: float = 5000

    @property
    def in_danger(self) -> "UserLimits":
        """The limits that hold when the user is in danger."""
        return UserLimits(
            per_minute=self.per_minute * DANGER_FACTOR,
            per_day=self.per_day * DANGER_FACTOR,
            won_per_day=self.won_per_day * DANGER_FACTOR,
        )


@dataclass
class _Account:
    """A user's day.

    Attributes:
        stored: Last known sum over all instances.
        pending: Not added to the store yet.
        adding: A commit that adds is running. One at a time, so that commits do not contend for the document.
        arrivals: Stopwatch times of the messages of the last minute.
    """

    day: date
    stored: Used = NOTHING
    pending: Used = NOTHING
    adding: bool = False
    arrivals: deque[float] = field(default_factory=deque)

    @property
    def used(self) -> Used:
        return self.stored.plus(self.pending)


@dataclass
class Adding:
    """An addition that is being committed.

    Attributes:
        entry: What the commit adds; None if nothing.
        told: The sum after it, as returned by the commit; None until then.
        written: The commit was written although its answer was lost.
    """

    entry: UsageEntry | None = None
    told: Used | None = None
    written: bool = False


class UserUsage:
    """Usage of the users of this instance."""

    def __init__(self, clock: Clock, limits: UserLimits | None = None) -> None:
        self._clock = clock
        self._limits = limits or UserLimits()
        self._accounts: OrderedDict[UserId, _Account] = OrderedDict()

    def refusal(self, user_id: UserId, *, pressing: bool, in_danger: bool) -> Refused | None:
        """Return the refusal of a user's next message, or None.

        Args:
            user_id: The sender.
            pressing: The message tells of a danger and is answered without a model: no daily limit applies.
            in_danger: Its conversation is about a danger.
        """
        limits = self._limits.in_danger if pressing or in_danger else self._limits
        account = self._account(user_id)
        if wait := self._wait(account, limits.per_minute):
            return TooManyRequests(wait, "messages")
        spent = account.used.messages >= limits.per_day or account.used.cost_krw >= limits.won_per_day
        if spent and not pressing:
            left = end_of_day(account.day) - self._clock.now()
            return DailyLimitReached(max(1, ceil(left.total_seconds())))
        return None

    @contextmanager
    def taking(self, user_id: UserId) -> Iterator[None]:
        """Count a message that is stored inside the block, unless the block fails."""
        account, at = self._account(user_id), self._clock.monotonic()
        account.arrivals.append(at)
        account.pending = account.pending.plus(Used(messages=1))
        try:
            yield
        except BaseException:
            account.pending = account.pending.model_copy(update={"messages": max(0, account.pending.messages - 1)})
            if at in account.arrivals:
                account.arrivals.remove(at)
            raise

    def owe(self, user_id: UserId, cost_krw: float) -> None:
        """Count what was spent for a user outside their turns; the next commit of one writes it."""
        account = self._account(user_id)
        account.pending = account.pending.plus(Used(cost_krw=cost_krw))

    @contextmanager
    def adding(self, user_id: UserId, cost_krw: float, *, now: bool) -> Iterator[Adding]:
        """Add a turn's cost, and let the commit inside the block write all pending usage.

        The cost counts even if the block fails: a later commit of the user writes it.

        Args:
            user_id: The turn's user.
            cost_krw: Cost of its model calls that no earlier attempt of the commit reported, in won.
            now: Whether this commit may write usage; else a later one does.
        """
        account = self._account(user_id)
        account.pending = account.pending.plus(Used(cost_krw=cost_krw))
        if not now or account.adding or account.pending == NOTHING:
            yield Adding()
            return
        used, account.pending, account.adding = account.pending, NOTHING, True
        adding = Adding(UsageEntry(user_id, account.day, used))
        account.stored = account.stored.plus(used)
        try:
            yield adding
        finally:
            account.adding = False
            if adding.told is not None:
                account.stored = adding.told
            elif not adding.written:
                account.pending = account.pending.plus(used)
                account.stored = _without(account.stored, used)

    def _account(self, user_id: UserId) -> _Account:
        today = service_day(self._clock.now())
        account = self._accounts.get(user_id)
        if account is None or account.day != today:
            account = self._accounts[user_id] = _Account(today)
        self._accounts.move_to_end(user_id)
        if len(self._accounts) > MOST_USERS:
            self._accounts.popitem(last=False)
        return account

    def _wait(self, account: _Account, per_minute: int) -> int:
        """Return the seconds until the minute's limit allows another message; 0 if it does now."""
        now = self._clock.monotonic()
        while account.arrivals and account.arrivals[0] <= now - MINUTE:
            account.arrivals.popleft()
        if len(account.arrivals) < per_minute:
            return 0
        return max(1, ceil(account.arrivals[-per_minute] + MINUTE - now))


def _without(total: Used, part: Used) -> Used:
    return Used(
        messages=max(0, total.messages - part.messages),
        exports=max(0, total.exports - part.exports),
        cost_krw=max(0.0, round(total.cost_krw - part.cost_krw, 4)),
    )
