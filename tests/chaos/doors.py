"""One user's client of the two chat instances: it checks every answer and retries every failure."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import httpx

from tests.chaos.findings import Record
from tests.support.chat_client import Event, events_of
from tests.support.overheard import noted
from tests.support.process import LOOPBACK

PROBLEM = "application/problem+json"
ANSWER_WITHIN_S = 30.0
PAUSE_S, LONGEST_PAUSE_S = 0.3, 2.0
"""The client waits no longer, even if Retry-After is longer."""
Body = Mapping[str, Any] | None


@dataclass(frozen=True)
class Answer:
    status: int
    body: dict[str, Any]

    @property
    def code(self) -> str:
        return str(self.body.get("code", ""))

    @property
    def retryable(self) -> bool:
        return self.status >= 500 or self.status == 429


class OutOfPatience(Exception):
    """No answer came before the end of the run."""


class RetryingClient:
    """Sends the requests of one signed-in user to both instances in turn.

    Attributes:
        asked: The name of the instance that was asked last.
        until: On the monotonic clock: after it no failed request is sent again.
    """

    def __init__(self, token: str, addresses: Mapping[str, str], record: Record, until: float) -> None:
        """Take the addresses of the instances by name; answers that break a promise are noted in the record."""
        self.http = httpx.AsyncClient(
            timeout=None,  # every request has a deadline of its own
            headers={"Authorization": f"Bearer {token}"},
            **LOOPBACK,
            limits=httpx.Limits(keepalive_expiry=1.0),
            event_hooks={"request": [noted]},  # what is said in it is searched for in the logs
        )
        self.until = until
        self.asked = ""
        self._addresses, self._record = dict(addresses), record
        self._turns = cycle(reversed(addresses))

    def _next_address(self) -> str:
        self.asked = next(self._turns)
        return self._addresses[self.asked]

    async def once(self, method: str, path: str, body: Body = None, *, crisis: bool = False) -> Answer | None:
        """Make one request; None when no whole answer came."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                response = await self.http.request(method, self._next_address() + path, json=body)
        except (httpx.TransportError, TimeoutError):
            self._record.did("requests without an answer")
            return None
        return self._judged(response, crisis=crisis)

    async def until_answered(self, method: str, path: str, body: Body = None, *, crisis: bool = False) -> Answer:
        """Make a request again and again until it is answered by something other than "later".

        Raises:
            OutOfPatience: That did not happen before the end of the run.
        """
        while True:
            answer = await self.once(method, path, body, crisis=crisis)
            if answer is not None and not answer.retryable:
                return answer
            if time.monotonic() >= self.until:
                raise OutOfPatience
            asked = answer.body.get("retry_after") if answer else None
            await asyncio.sleep(min(float(asked or PAUSE_S), LONGEST_PAUSE_S))

    async def events(
        self, method: str, path: str, body: Body, headers: Mapping[str, str], most: int | None
    ) -> list[Event] | Answer | None:
        """Read a stream, at most so many events; an `Answer` where no stream came, None where it broke off."""
        found: list[Event] = []
        headers = {"Accept": "text/event-stream", **headers}
        try:
            async with (
                asyncio.timeout(ANSWER_WITHIN_S),
                self.http.stream(method, self._next_address() + path, json=body, headers=headers) as response,
            ):
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    await response.aread()
                    return self._judged(response)
                async for event in events_of(response):
                    found.append(event)
                    if most is not None and len(found) >= most:
                        break
        except (httpx.TransportError, TimeoutError):
            self._record.did("streams that broke off")
            return found or None
        return found

    def _judged(self, response: httpx.Response, *, crisis: bool = False) -> Answer:
        """Return the answer, and record every broken promise in it."""
        status, body = response.status_code, {}
        self._record.did(f"answers with {status}")
        where = f"{response.request.method} {response.request.url.path} {status}"
        if response.content:
            try:
                body = response.json()
            except json.JSONDecodeError:
                self._record.broken(8, "an answer that is no JSON", where)
        if status >= 400 and not response.headers.get("content-type", "").startswith(PROBLEM):
            self._record.broken(8, f"{status} that is no problem+json", where)
        elif status == 500:
            self._record.broken(8, "500", where)
        if status in {429, 503} and "retry-after" not in response.headers:
            self._record.broken(9, f"{status} without Retry-After", where)
        if status >= 429 and crisis and not body.get("resources"):
            self._record.broken(9, "a crisis message refused without lines of help", where)
        return Answer(status, body)
