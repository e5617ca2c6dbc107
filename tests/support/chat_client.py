"""A small client of the chat API: signs in, opens conversations, talks in JSON or over SSE."""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

import httpx
import jwt

from tests.support.overheard import SAID, noted
from tests.support.process import LOOPBACK

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
    """One server-sent event, and when its last line was read, on the stopwatch."""

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
    id: str
    greeting: str
    snapshot: dict[str, Any]


Events: TypeAlias = AbstractAsyncContextManager[AsyncIterator[Event]]


@dataclass
class Person:
    """A user signed in at a server; `http` sends the token."""

    http: httpx.AsyncClient
    uid: str

    async def open(self, **changes: Any) -> Conversation:
        response = await self.http.post("/api/conversations", json={**OPENING, **changes})
        assert response.status_code == 201, response.text
        body = response.json()
        return Conversation(body["conversation_id"], body["greeting"]["text"], body["state_snapshot"])

    async def send(self, conversation_id: str, text: str, message_id: str | None = None) -> httpx.Response:
        return await self.http.post(_chat(conversation_id), json=message(text, message_id))

    async def say(self, conversation_id: str, text: str, message_id: str | None = None) -> dict[str, Any]:
        """Send a message and return the reply, which there must be."""
        response = await self.send(conversation_id, text, message_id)
        assert response.status_code == 200, response.text
        reply: dict[str, Any] = response.json()
        SAID.add(reply["reply"])
        return reply

    async def hear(self, conversation_id: str, text: str, message_id: str | None = None) -> list[Event]:
        async with self.stream(conversation_id, text, message_id) as events:
            return [event async for event in events]

    def stream(self, conversation_id: str, text: str, message_id: str | None = None) -> Events:
        """Send a message and read the events as they come; leaving the block hangs up."""
        return self._listen("POST", _chat(conversation_id), {}, json=message(text, message_id))

    def attach(self, conversation_id: str, message_id: str, last_event_id: str | None = None) -> Events:
        """Listen to a turn that was begun before."""
        since = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        return self._listen("GET", _turn(conversation_id, message_id), since)

    @asynccontextmanager
    async def _listen(self, method: str, path: str, headers: dict[str, str], **sent: Any) -> AsyncGenerator[Any, None]:
        headers = {"Accept": "text/event-stream", **headers}
        async with self.http.stream(method, path, headers=headers, **sent) as response:
            if response.status_code != 200:
                await response.aread()
                raise AssertionError(f"{response.status_code}: {response.text}")
            yield events_of(response)

    async def turn(self, conversation_id: str, message_id: str) -> httpx.Response:
        return await self.http.get(_turn(conversation_id, message_id))

    async def messages(self, conversation_id: str) -> list[dict[str, Any]]:
        response = await self.http.get(f"/api/conversations/{conversation_id}/messages", params={"limit": 100})
        assert response.status_code == 200, response.text
        page = response.json()
        assert page["next"] is None
        return page["messages"]

    async def snapshot(self, conversation_id: str) -> dict[str, Any]:
        response = await self.http.get(f"/api/conversations/{conversation_id}")
        assert response.status_code == 200, response.text
        return response.json()["state_snapshot"]


@asynccontextmanager
async def signed_in(address: str, uid: str | None = None, *, api: str | None = None) -> AsyncGenerator[Person, None]:
    """Sign in at the local server with these pages, as a new user by default; `api` is of another chat function."""
    async with _client(address) as http:
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
    async with _client(api, transport=transport, headers={"Authorization": f"Bearer {token}"}) as http:
        yield Person(http, uid)


def _client(address: str, **more: Any) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        base_url=address,
        timeout=ANSWER_WITHIN_S,
        **LOOPBACK,
        limits=httpx.Limits(max_connections=200, keepalive_expiry=IDLE_CONNECTION_S),
        event_hooks={"request": [noted]},
        **more,
    )


def message(text: str, message_id: str | None = None) -> dict[str, str]:
    return {"message_id": message_id or str(uuid4()), "text": text}


def spoken(events: list[Event]) -> str:
    """Return what a page shows after these events: tokens are appended, a `replace` replaces them all."""
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


def _chat(conversation_id: str) -> str:
    return f"/api/conversations/{conversation_id}/chat"


def _turn(conversation_id: str, message_id: str) -> str:
    return f"/api/conversations/{conversation_id}/turns/{message_id}"
