"""A user's usage in one service day, for the limits; holds neither their text nor their id."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone

from pydantic import Field

from shared.domain.ids import UserId
from shared.model import Model

SERVICE_TIME = timezone(timedelta(hours=9), "KST")
"""Asia/Seoul, which has had one offset since 1988: https://data.iana.org/time-zones/tzdb/asia"""
_DIGITS = 32


class Used(Model):
    """An amount of usage; cost in Korean won."""

    messages: int = Field(default=0, ge=0)
    exports: int = Field(default=0, ge=0)
    cost_krw: float = Field(default=0, ge=0)

    def plus(self, more: "Used") -> "Used":
        return Used(
            messages=self.messages + more.messages,
            exports=self.exports + more.exports,
            cost_krw=round(self.cost_krw + more.cost_krw, 4),
        )


class DailyUsage(Used):
    """A user's day as stored. Its id is a digest of user and day, so the user is not stored.

    Attributes:
        day: In the service's time zone, `2026-11-24`.
        expire_at: End of the day.
    """

    day: str
    expire_at: datetime


@dataclass(frozen=True)
class UsageEntry:
    """An amount to add to a user's day."""

    user_id: UserId
    day: date
    used: Used

    @property
    def usage_id(self) -> str:
        return usage_id(self.user_id, self.day)


def usage_id(user_id: UserId, day: date) -> str:
    """Return the id of a user's day; two days of one user cannot be linked."""
    return hashlib.sha256(f"{day.isoformat()}\x00{user_id}".encode()).hexdigest()[:_DIGITS]


def service_day(now: datetime) -> date:
    return now.astimezone(SERVICE_TIME).date()


def end_of_day(day: date) -> datetime:
    """Return the end of a service day, in UTC."""
    return datetime.combine(day + timedelta(days=1), time(), SERVICE_TIME).astimezone(UTC)
