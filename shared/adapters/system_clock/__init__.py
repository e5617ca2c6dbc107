"""The machine's clock and its source of randomness."""

import time
import uuid
from datetime import UTC, datetime


class SystemClock:
    """`Clock` of the machine."""

    def now(self) -> datetime:
        """The present time, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back; only differences mean something."""
        return time.monotonic()


class RandomIds:
    """`IdSource` of 122 random bits from the operating system."""

    def new_id(self) -> str:
        """A fresh identifier of 32 hexadecimal digits."""
        return uuid.uuid4().hex
