"""What one user has used up in one day of the service. It limits them, and holds neither their words nor their id."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

from pydantic import Field

from shared.domain.ids import UserId
from shared.model import Model

SERVICE_TIME = timezone(timedelta(hours=9), "KST")
"""Asia/Seoul, which has kept one offset since 1988: https://data.iana.org/time-zones/tzdb/asia"""
_DIGITS = 32


class Used(Model):
    """An amount of use; cost in Korean won."""

    messages: int = Field(default=0, ge=0)
    exports: int = Field(default=0, ge=0)
    cost_krw: float = Field(default=0, ge=0)

    def plus(self, more: "Used") -> "Used":
        """Return the sum."""
        return Used(
            messages=self.messages + more.messages,
            exports=self.exports + more.exports,
            cost_krw=round(self.cost_krw + more.cost_krw, 4),
        )


class DailyUsage(Used):
    """A user's day as it is stored. Whose it is stands nowhere: its id is a digest of user and day.

    Attributes:
        day: In the service's time, `2026-11-24`.
        expire_at: The end of the day: nothing counts after it.
    """

    day: str
    expire_at: datetime


@dataclass(frozen=True)
class UsageEntry:
    """An amount to be added to a user's day."""

    user_id: UserId
    day: date
    used: Used

    @property
    def usage_id(self) -> str:
        """Id of the document."""
        return usage_id(self.user_id, self.day)


def usage_id(user_id: UserId, day: date) -> str:
    """Return the id of a user's day: each day has another, so that two days are not known to be of one user."""
    return hashlib.sha256(f"{day.isoformat()}\x00{user_id}".encode()).hexdigest()[:_DIGITS]


def service_day(now: datetime) -> date:
    """Return the day of the service at a time."""
    return now.astimezone(SERVICE_TIME).date()


def end_of_day(day: date) -> datetime:
    """Return when a day of the service is over."""
    return datetime.combine(day + timedelta(days=1), time(), SERVICE_TIME).astimezone(UTC)
