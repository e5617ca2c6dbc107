"""The system's clock and random ids."""

import time
import uuid
from datetime import UTC, datetime


class SystemClock:
    """`Clock` of the system."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class RandomIds:
    """`IdSource` of 122 random bits from the operating system."""

    def new_id(self) -> str:
        """A new identifier of 32 hexadecimal digits."""
        return uuid.uuid4().hex
