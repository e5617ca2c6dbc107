"""A small client of the chat API: signs in, opens conversations, talks in JSON or over SSE."""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import jwt

from local.loopback import NO_AUTHORITIES
from tests.support.overheard import SAID, noted

CONSENTS = {"terms": True, "sensitive_data": True, "overseas_transfer": True}
OPENING: Mapping[str, Any] = {
    "locale": "ko",
    "session_type": "first_session",
    "age_band": "adult",
    "consents": CONSENTS,
}
ANSWER_WITHIN_S = 120
IDLE_CONNECTION_S = 1.0
"""The server closes idle connections after 5 s: one that a slow test comes back to must not be closing just then."""


@dataclass(frozen=True)
class Event:
    """One server-sent event.

    Attributes:
        at: When its last line was read, on the stopwatch.
    """

    id: str
    name: str
    data: Any
    at: float

    @property
    def number(self) -> int:
        """`n` of the id `{seq}.{n}`."""
        return int(self.id.partition(".")[2])


@dataclass(frozen=True)
class Conversation:
    """A conversation that a person opened."""

    id: str
    greeting: str
    snapshot: dict[str, Any]


class Person:
    """Somebody signed in at a server.

    Attributes:
        http: Sends the person's token.
    """

    def __init__(self, http: httpx.AsyncClient, uid: str) -> None:
        self.http = http
        self.uid = uid

    async def open(self, **changes: Any) -> Conversation:
        """Open a conversation."""
        response = await self.http.post("/api/conversations", json={**OPENING, **changes})
        assert response.status_code == 201, response.text
        body = response.json()
        return Conversation(body["conversation_id"], body["greeting"]["text"], body["state_snapshot"])

    async def send(self, conversation_id: str, text: str, message_id: str | None = None) -> httpx.Response:
        """Send a message and return whatever comes."""
        return await self.http.post(_chat(conversation_id), json=message(text, message_id))

    async def say(self, conversation_id: str, text: str, message_id: str | None = None) -> dict[str, Any]:
        """Send a message and return the reply, which there must be."""
        response = await self.send(conversation_id, text, message_id)
        assert response.status_code == 200, response.text
        reply: dict[str, Any] = response.json()
        SAID.add(reply["reply"])
        return reply

    async def hear(self, conversation_id: str, text: str, message_id: str | None = None) -> list[Event]:
        """Send a message and return all events of the reply."""
        async with self.stream(conversation_id, text, message_id) as events:
            return [event async for event in events]

    @asynccontextmanager
    async def stream(
        self, conversation_id: str, text: str, message_id: str | None = None
    ) -> AsyncGenerator[AsyncIterator[Event], None]:
        """Send a message and read the events as they come; leaving the block hangs up."""
        sent = message(text, message_id)
        async with self.http.stream("POST", _chat(conversation_id), json=sent, headers=_SSE) as response:
            await _require_stream(response)
            yield events_of(response)

    @asynccontextmanager
    async def attach(
        self, conversation_id: str, message_id: str, last_event_id: str | None = None
    ) -> AsyncGenerator[AsyncIterator[Event], None]:
        """Listen to a turn that was begun before."""
        headers = _SSE if last_event_id is None else {**_SSE, "Last-Event-ID": last_event_id}
        async with self.http.stream("GET", _turn(conversation_id, message_id), headers=headers) as response:
            await _require_stream(response)
            yield events_of(response)

    async def turn(self, conversation_id: str, message_id: str) -> httpx.Response:
        """Ask for a turn's result."""
        return await self.http.get(_turn(conversation_id, message_id))

    async def messages(self, conversation_id: str) -> list[dict[str, Any]]:
        """Return the whole history."""
        response = await self.http.get(f"/api/conversations/{conversation_id}/messages", params={"limit": 100})
        assert response.status_code == 200, response.text
        page = response.json()
        assert page["next"] is None
        history: list[dict[str, Any]] = page["messages"]
        return history

    async def snapshot(self, conversation_id: str) -> dict[str, Any]:
        """Return the client's view of the state."""
        response = await self.http.get(f"/api/conversations/{conversation_id}")
        assert response.status_code == 200, response.text
        state: dict[str, Any] = response.json()["state_snapshot"]
        return state


_SSE = {"Accept": "text/event-stream"}


@asynccontextmanager
async def signed_in(address: str, uid: str | None = None, *, api: str | None = None) -> AsyncGenerator[Person, None]:
    """Sign in at a local server; the connections are closed at the end.

    Args:
        address: Of the pages.
        uid: Who it is; somebody new by default.
        api: Of the chat function, when it is another.
    """
    limits = httpx.Limits(max_connections=200, keepalive_expiry=IDLE_CONNECTION_S)
    async with httpx.AsyncClient(
        base_url=address,
        timeout=ANSWER_WITHIN_S,
        trust_env=False,
        verify=NO_AUTHORITIES,
        limits=limits,
        event_hooks={"request": [noted]},
    ) as http:
        response = await http.post("/local/sign-in", json={"uid": uid or f"person-{uuid4().hex[:12]}"})
        assert response.status_code == 200, response.text
        body = response.json()
        http.headers["Authorization"] = f"Bearer {body['id_token']}"
        http.base_url = httpx.URL(api or address)
        yield Person(http, body["uid"])


@asynccontextmanager
async def signed_as(
    uid: str, project: str, api: str, transport: httpx.AsyncBaseTransport | None = None
) -> AsyncGenerator[Person, None]:
    """Be a user of a chat function that believes unsigned tokens, without a page that gives them."""
    now = int(time.time())
    claims = {"iss": f"https://securetoken.google.com/{project}", "aud": project, "sub": uid}
    times = {"iat": now, "auth_time": now, "exp": now + 3600}
    token = jwt.encode({**claims, **times}, key="", algorithm="none")
    async with httpx.AsyncClient(
        base_url=api,
        timeout=ANSWER_WITHIN_S,
        trust_env=False,
        verify=NO_AUTHORITIES,
        headers={"Authorization": f"Bearer {token}"},
        transport=transport,
        event_hooks={"request": [noted]},
    ) as http:
        yield Person(http, uid)


def message(text: str, message_id: str | None = None) -> dict[str, str]:
    """Return the body of a message, with a new id unless one is given."""
    return {"message_id": message_id or str(uuid4()), "text": text}


def spoken(events: list[Event]) -> str:
    """Return what a page shows after these events: tokens are appended, a `replace` begins anew."""
    shown = ""
    for event in events:
        if event.name == "token":
            shown += event.data["text"]
        elif event.name == "replace":
            shown = event.data["text"]
    return shown


async def events_of(response: httpx.Response) -> AsyncIterator[Event]:
    """Read server-sent events as they arrive; comments are left out."""
    fields: dict[str, str] = {}
    async for line in response.aiter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(":")
            fields[name] = fields[name] + "\n" + value.lstrip(" ") if name in fields else value.lstrip(" ")
        elif fields:
            event = Event(fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"]), time.monotonic())
            if event.name == "done":
                SAID.add(event.data["reply"])
            yield event
            fields = {}


async def _require_stream(response: httpx.Response) -> None:
    if response.status_code != 200:
        await response.aread()
        raise AssertionError(f"{response.status_code}: {response.text}")


def _chat(conversation_id: str) -> str:
    return f"/api/conversations/{conversation_id}/chat"


def _turn(conversation_id: str, message_id: str) -> str:
    return f"/api/conversations/{conversation_id}/turns/{message_id}"
