"""Plays a client's sessions through the chat API, waiting for background work after each turn."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx

from local.demo.answering import Answers, Situation
from local.demo.client import Client, Visit
from local.demo.stage import Stage
from local.demo.stored import Evidence, Stored
from shared.contracts.chat import ChatReply, ConversationCreated, ConversationView, ServiceName
from shared.domain.counseling.session import Session
from shared.domain.errors import CBotError
from shared.domain.ids import ConversationId

AT_REST_WITHIN_S = 60.0
"""Timeout for the background work of one turn, long enough for the platform's first retries."""
COUNSELING: ServiceName = "counseling"
_CONSENTS = {"terms": True, "sensitive_data": True, "overseas_transfer": True}


class DemoFailed(CBotError):
    """A session could not be continued."""

    code = "demo_failed"


@dataclass(frozen=True)
class Step:
    """One turn, with the session before it and after its background work."""

    seq: int
    text: str
    reply: str
    before: Session
    after: Session


@dataclass(frozen=True)
class Played:
    """A played session.

    Attributes:
        problem: Why it did not reach its end, or None.
    """

    visit: Visit
    greeting: str
    opened: Session
    steps: tuple[Step, ...]
    session: Session
    evidence: Evidence
    problem: str | None


async def play(client: Client, stage: Stage) -> tuple[Played, ...]:
    """Play until each session is completed, the client has no line left, or the turns are used up.

    A session that did not end is the client's last one. One opened in another service than counselling ends with
    the client's last line.

    Raises:
        DemoFailed: No conversation could be opened.
    """
    talk = _Talk(client, stage)
    await talk.sign_in()
    played: list[Played] = []
    for visit in client.visits:
        played.append(await _visit(visit, talk, stage.store))
        if played[-1].problem:
            break
    return tuple(played)


async def _visit(visit: Visit, talk: "_Talk", store: Stored) -> Played:
    created = await talk.open(visit)
    conversation_id = ConversationId(created.conversation_id)
    opened, steps, problem = await store.session(conversation_id), list[Step](), None
    try:
        problem = await _lead(visit, talk, created, steps, opened)
    except DemoFailed as error:
        problem = str(error)
    evidence = await store.evidence(conversation_id)
    if problem is None and visit.service == COUNSELING and evidence.closing is None:
        problem = "ended without its closing work"
    session = steps[-1].after if steps else opened
    return Played(visit, created.greeting.text, opened, tuple(steps), session, evidence, problem)


async def _lead(
    visit: Visit, talk: "_Talk", created: ConversationCreated, steps: list[Step], opened: Session
) -> str | None:
    """Play to the end, adding every turn to `steps`; return why the end was not reached, or None."""
    answers, session = Answers(visit), opened
    situation = Situation(created.greeting.text, created.state_snapshot, turn=1)
    while situation.state.status != "completed":
        text = answers.next(situation)
        if text is None and visit.service != COUNSELING:
            return None
        if text is None or situation.turn > visit.most_turns:
            lack = "nothing left to say" if text is None else f"no end after {visit.most_turns} turns"
            return f"{lack}: {situation}"
        reply = await talk.say(session.conversation_id, text)
        before, session = session, await talk.at_rest(session.conversation_id)
        steps.append(Step(reply.seq, text, reply.reply, before, session))
        view = await talk.view(session.conversation_id)
        situation = Situation(reply.reply, view.state_snapshot, situation.turn + 1)
    return None


async def at_rest(store: Stored, conversation_id: ConversationId, pause_s: float, within_s: float) -> Session:
    """Wait until the background work of a session is done, and return the session.

    Raises:
        DemoFailed: It was not done in time.
    """
    deadline = time.monotonic() + within_s
    while not await store.at_rest(conversation_id):
        if time.monotonic() >= deadline:
            raise DemoFailed(f"the background work was not done within {within_s:g} s")
        await asyncio.sleep(pause_s)
    return await store.session(conversation_id)


class _Talk:
    """The client's calls of the API."""

    def __init__(self, client: Client, stage: Stage) -> None:
        self._client = client
        self._stage = stage
        self._headers: dict[str, str] = {}

    async def sign_in(self) -> None:
        """Sign in as the client."""
        signed_in = await self._call("POST", self._stage.sign_in, {"uid": f"demo-{self._client.name}"})
        self._headers = {"Authorization": f"Bearer {signed_in.json()['id_token']}"}

    async def open(self, visit: Visit) -> ConversationCreated:
        wanted: dict[str, Any] = {
            "locale": "ko",
            "service": visit.service,
            "session_type": visit.session_type,
            "register": self._client.register_,
            "age_band": self._client.age_band,
            "consents": _CONSENTS,
        }
        if self._client.persona:
            wanted["persona"] = self._client.persona
        if self._client.counseling_level is not None:
            wanted["counseling_level"] = self._client.counseling_level
        return ConversationCreated.model_validate_json((await self._call("POST", "/api/conversations", wanted)).content)

    async def say(self, conversation_id: ConversationId, text: str) -> ChatReply:
        """Send a message and return the reply."""
        path, message = f"/api/conversations/{conversation_id}/chat", {"message_id": str(uuid4()), "text": text}
        return ChatReply.model_validate_json((await self._call("POST", path, message)).content)

    async def at_rest(self, conversation_id: ConversationId) -> Session:
        """Wait for the background work, which a user's typing time allows for in reality."""
        return await at_rest(self._stage.store, conversation_id, self._stage.pause_s, AT_REST_WITHIN_S)

    async def view(self, conversation_id: ConversationId) -> ConversationView:
        """Fetch the conversation, like a page that shows it."""
        return ConversationView.model_validate_json(
            (await self._call("GET", f"/api/conversations/{conversation_id}")).content
        )

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        try:
            response = await self._stage.http.request(method, path, json=body, headers=self._headers)
        except httpx.TransportError as error:
            raise DemoFailed(f"{method} {path}: {type(error).__name__}") from None
        if response.is_error:
            raise DemoFailed(f"{method} {path}: {response.status_code} {response.text[:200]}")
        return response
