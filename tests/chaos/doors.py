"""One user's way to the two chat instances: every answer is judged, every failure is met by another try."""

import asyncio
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from local.loopback import NO_AUTHORITIES
from tests.chaos.findings import Record
from tests.support.chat_client import Event, events_of
from tests.support.overheard import noted

PROBLEM = "application/problem+json"
ANSWER_WITHIN_S = 30.0
PAUSE_S = 0.3
LONGEST_PAUSE_S = 2.0
"""A client of ours waits no longer, whatever Retry-After says: patience is not what is tested."""


@dataclass(frozen=True)
class Answer:
    """What one request brought, once it was answered.

    Attributes:
        body: None where there is none.
    """

    status: int
    body: dict[str, Any] | None

    @property
    def code(self) -> str:
        """The problem's, or an empty string."""
        return str((self.body or {}).get("code", ""))


class OutOfPatience(Exception):
    """Nobody answered until the end of the run."""


class Doors:
    """Both instances, for one signed-in user."""

    def __init__(self, http: httpx.AsyncClient, addresses: Mapping[str, str], record: Record, until: float) -> None:
        """Take a client that sends the user's token.

        Args:
            http: Closed by the caller.
            addresses: Of the instances, by name.
            record: Told of answers that break a promise.
            until: On the monotonic clock; later nobody tries again.
        """
        self._http = http
        self._addresses = dict(addresses)
        self._record = record
        self._until = until
        self._turn = 0

    @property
    def patient(self) -> bool:
        """Whether there is time for another try."""
        return time.monotonic() < self._until

    def other(self) -> str:
        """Return the address of the next instance."""
        self._turn += 1
        return self._addresses[self.asked]

    @property
    def asked(self) -> str:
        """The name of the instance whose address was given out last."""
        return list(self._addresses)[self._turn % len(self._addresses)]

    async def once(
        self, method: str, path: str, body: Mapping[str, str] | None = None, *, crisis: bool = False
    ) -> Answer | None:
        """Make one request; None when no whole answer came."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN_S):
                response = await self._http.request(method, self.other() + path, json=body)
        except (httpx.TransportError, TimeoutError):
            self._record.did("requests without an answer")
            return None
        return self.judged(response, crisis=crisis)

    async def surely(
        self, method: str, path: str, body: Mapping[str, str] | None = None, *, crisis: bool = False
    ) -> Answer:
        """Make a request again and again until it is answered by something other than "later".

        Raises:
            OutOfPatience: That did not happen before the end of the run.
        """
        while True:
            answer = await self.once(method, path, body, crisis=crisis)
            if answer is not None and answer.status < 500 and answer.status != 429:
                return answer
            await self.pause(answer)

    async def pause(self, answer: Answer | None = None) -> None:
        """Wait before another try.

        Raises:
            OutOfPatience: There is none.
        """
        if not self.patient:
            raise OutOfPatience
        asked = (answer.body or {}).get("retry_after") if answer else None
        await asyncio.sleep(min(float(asked or PAUSE_S), LONGEST_PAUSE_S))

    async def events(
        self, method: str, path: str, body: Mapping[str, str] | None, headers: Mapping[str, str], most: int | None
    ) -> "list[Event] | Answer | None":
        """Read a stream, at most so many events; an `Answer` where no stream came, None where it broke off."""
        found: list[Event] = []
        try:
            async with (
                asyncio.timeout(ANSWER_WITHIN_S),
                self._http.stream(method, self.other() + path, json=body, headers=headers) as response,
            ):
                if not response.headers.get("content-type", "").startswith("text/event-stream"):
                    await response.aread()
                    return self.judged(response)
                async for event in events_of(response):
                    found.append(event)
                    if most is not None and len(found) >= most:
                        break
        except (httpx.TransportError, TimeoutError):
            self._record.did("streams that broke off")
            return found or None
        return found

    def judged(self, response: httpx.Response, *, crisis: bool = False) -> Answer:
        """Return the answer, and note what no answer may be."""
        self._record.did(f"answers with {response.status_code}")
        if response.status_code == 204 or not response.content:
            return Answer(response.status_code, None)
        where = f"{response.request.method} {response.request.url.path} {response.status_code}"
        problem = response.headers.get("content-type", "").startswith(PROBLEM)
        if response.status_code >= 400 and not problem:
            self._record.broken(8, f"{response.status_code} that is no problem+json", where)
            return Answer(response.status_code, None)
        try:
            body: dict[str, Any] = response.json()
        except json.JSONDecodeError:
            self._record.broken(8, "an answer that is no JSON", where)
            return Answer(response.status_code, None)
        self._judge_refusal(response, body, where, crisis=crisis)
        return Answer(response.status_code, body)

    def _judge_refusal(self, response: httpx.Response, body: Mapping[str, object], where: str, *, crisis: bool) -> None:
        if response.status_code == 500:
            self._record.broken(8, "500", where)
        if response.status_code in {429, 503} and "retry-after" not in response.headers:
            self._record.broken(9, f"{response.status_code} without Retry-After", where)
        if response.status_code >= 429 and crisis and not body.get("resources"):
            self._record.broken(9, "a crisis message refused without lines of help", where)


def new_client(token: str) -> httpx.AsyncClient:
    """Return an HTTP client of a user; what is said in it is searched for in the logs."""
    return httpx.AsyncClient(
        timeout=None,  # every request has a deadline of its own
        headers={"Authorization": f"Bearer {token}"},
        trust_env=False,
        verify=NO_AUTHORITIES,
        limits=httpx.Limits(keepalive_expiry=1.0),
        event_hooks={"request": [noted]},
    )
