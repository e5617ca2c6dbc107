"""Leads one client's session to its end through the chat API, letting the background come to rest after each turn."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx

from local.demo.answering import Answers, Situation
from local.demo.client import Client
from local.demo.stored import Evidence, Stored
from shared.contracts.chat import ChatReply, ConversationCreated, ConversationView
from shared.domain.counseling.session import Session
from shared.domain.errors import CBotError
from shared.domain.ids import ConversationId

AT_REST_WITHIN_S = 60.0
"""For the background work of one turn; the machine's own retries are over by then."""
_PAUSE_S = 0.005
_CONSENTS = {"terms": True, "sensitive_data": True, "overseas_transfer": True}


class DemoFailed(CBotError):
    """A session could not be led on."""

    code = "demo_failed"


@dataclass(frozen=True)
class Step:
    """One turn, with the session before it and after all that it set going."""

    seq: int
    text: str
    reply: str
    before: Session
    after: Session


@dataclass(frozen=True)
class Played:
    """A session that was led as far as it went.

    Attributes:
        problem: Why it did not reach its end, or None.
    """

    client: Client
    greeting: str
    steps: tuple[Step, ...]
    session: Session
    evidence: Evidence
    problem: str | None


async def play(client: Client, http: httpx.AsyncClient, store: Stored) -> Played:
    """Talk until the session is completed, the client has nothing left to say, or the turns are used up.

    Args:
        client: Who talks.
        http: Reaches the machine, as somebody who is not signed in.
        store: Is looked into, never written.

    Raises:
        DemoFailed: The machine refused something, or its background work did not come to rest.
    """
    talk = _Talk(client, http)
    created = await talk.open()
    conversation_id = ConversationId(created.conversation_id)
    session, steps = await store.session(conversation_id), list[Step]()
    situation = Situation(created.greeting.text, created.state_snapshot, turn=1)
    problem = None
    while problem is None and situation.state.status != "completed":
        text = talk.answers.next(situation)
        if text is None or situation.turn > client.most_turns:
            lack = "nothing left to say" if text is None else f"no end after {client.most_turns} turns"
            problem = f"{lack}: {situation}"
            continue
        reply = await talk.say(conversation_id, text)
        await at_rest(store)
        before, session = session, await store.session(conversation_id)
        steps.append(Step(reply.seq, text, reply.reply, before, session))
        situation = Situation(reply.reply, (await talk.view(conversation_id)).state_snapshot, situation.turn + 1)
    evidence = await store.evidence(conversation_id)
    if problem is None and evidence.closing is None:
        problem = "ended without its closing work"
    return Played(client, created.greeting.text, tuple(steps), session, evidence, problem)


async def at_rest(store: Stored, within_s: float = AT_REST_WITHIN_S) -> None:
    """Wait until the background work is done.

    Raises:
        DemoFailed: It was not, in time.
    """
    deadline = time.monotonic() + within_s
    while not await store.at_rest():
        if time.monotonic() >= deadline:
            raise DemoFailed(f"the background work was not done within {within_s:g} s")
        await asyncio.sleep(_PAUSE_S)


class _Talk:
    """The API as the client uses it."""

    def __init__(self, client: Client, http: httpx.AsyncClient) -> None:
        self.answers = Answers(client)
        self._client = client
        self._http = http
        self._headers: dict[str, str] = {}

    async def open(self) -> ConversationCreated:
        """Sign in and open a conversation."""
        signed_in = await self._call("POST", "/local/sign-in", {"uid": f"demo-{self._client.name}"})
        self._headers = {"Authorization": f"Bearer {signed_in.json()['id_token']}"}
        wanted = {
            "locale": "ko",
            "session_type": "first_session",
            "register": self._client.register_,
            "age_band": self._client.age_band,
            "consents": _CONSENTS,
        }
        return ConversationCreated.model_validate_json((await self._call("POST", "/api/conversations", wanted)).content)

    async def say(self, conversation_id: ConversationId, text: str) -> ChatReply:
        """Send a message and take the reply."""
        path, message = f"/api/conversations/{conversation_id}/chat", {"message_id": str(uuid4()), "text": text}
        return ChatReply.model_validate_json((await self._call("POST", path, message)).content)

    async def view(self, conversation_id: ConversationId) -> ConversationView:
        """Look at the conversation, as a page does that shows it."""
        return ConversationView.model_validate_json(
            (await self._call("GET", f"/api/conversations/{conversation_id}")).content
        )

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        response = await self._http.request(method, path, json=body, headers=self._headers)
        if response.is_error:
            raise DemoFailed(f"{method} {path}: {response.status_code} {response.text[:200]}")
        return response
