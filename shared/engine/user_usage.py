"""What each user uses up in a day over all their conversations, as this instance knows it; and who has to wait.

Every turn's commit adds to one document per user and day, and is told the sum over all instances: that costs a write
and no read. An instance may so be behind by what others took since its own newest commit for the user, and takes at
most `per_minute` messages of a user it has heard nothing of for long: that is by how much a day's limit is passed.
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
"""Users that an instance remembers. Who was longest away is forgotten, and is as new to it when they come back."""
DANGER_FACTOR = 4
"""How many times the usual limits, of a user and of a conversation, hold for messages that tell of a danger. The
protocol answers them without a model, so they are cheap; nobody in need writes 120 a minute, and a flood is stopped."""


class UserLimits(Model):
    """What one user may do over all their conversations.

    Attributes:
        per_minute: Messages within a minute, at one instance.
        per_day: Messages in a day of the service.
        won_per_day: What model calls for them may cost in a day, background work included, in Korean won.
    """

    per_minute: int = 60
    per_day: int = 500
    won_per_day: float = 5000

    @property
    def in_danger(self) -> "UserLimits":
        """Those of somebody in danger."""
        return UserLimits(
            per_minute=self.per_minute * DANGER_FACTOR,
            per_day=self.per_day * DANGER_FACTOR,
            won_per_day=self.won_per_day * DANGER_FACTOR,
        )


@dataclass
class _Account:
    """A user's day.

    Attributes:
        stored: The sum over all instances as last told.
        pending: What is to be added yet.
        adding: A commit that adds is under way. One at a time, so that side by side they do not contend for a document.
        arrivals: When messages were taken within the minute, by the stopwatch.
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
    """An addition under way.

    Attributes:
        entry: What the commit adds; None when it is to add nothing.
        told: The sum after it, as the commit answered; None while it is not done.
        written: The commit was written, though its answer was lost.
    """

    entry: UsageEntry | None = None
    told: Used | None = None
    written: bool = False


class UserUsage:
    """The users of this instance."""

    def __init__(self, clock: Clock, limits: UserLimits | None = None) -> None:
        """Take the clock and the limits."""
        self._clock = clock
        self._limits = limits or UserLimits()
        self._accounts: OrderedDict[UserId, _Account] = OrderedDict()

    def refusal(self, user_id: UserId, *, pressing: bool, in_danger: bool) -> Refused | None:
        """Return why a user's next message is not taken; None where it is.

        Args:
            user_id: Who sends it.
            pressing: It tells of a danger itself, and is answered without a model: no limit of the day holds for it.
            in_danger: Its conversation is about a danger that was told of before.
        """
        limits = self._limits.in_danger if pressing or in_danger else self._limits
        account = self._account(user_id)
        if wait := self._wait(account, limits.per_minute):
            return TooManyRequests(wait, "messages")
        spent = account.used.messages >= limits.per_day or account.used.cost_krw >= limits.won_per_day
        if spent and not pressing:
            return DailyLimitReached(self._until_tomorrow(account))
        return None

    @contextmanager
    def taking(self, user_id: UserId) -> Iterator[None]:
        """Count a message that is taken in the block; one whose block fails does not count."""
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

    @contextmanager
    def adding(self, user_id: UserId, cost_krw: float, *, now: bool) -> Iterator[Adding]:
        """Add a turn's cost, and let its commit, in the block, bear all that is to be added.

        The cost counts even if the block fails: a later commit of the user bears it.

        Args:
            user_id: Whose turn it is.
            cost_krw: What its model calls cost, as far as no earlier try of its commit gave it.
            now: Whether the commit has room for the addition; it is left to a later one otherwise.
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
        """Return the seconds until another message of the minute is taken; 0 where one is now."""
        now = self._clock.monotonic()
        while account.arrivals and account.arrivals[0] <= now - MINUTE:
            account.arrivals.popleft()
        if len(account.arrivals) < per_minute:
            return 0
        return max(1, ceil(account.arrivals[-per_minute] + MINUTE - now))

    def _until_tomorrow(self, account: _Account) -> int:
        return max(1, ceil((end_of_day(account.day) - self._clock.now()).total_seconds()))


def _without(total: Used, part: Used) -> Used:
    return Used(
        messages=max(0, total.messages - part.messages),
        exports=max(0, total.exports - part.exports),
        cost_krw=max(0.0, round(total.cost_krw - part.cost_krw, 4)),
    )
