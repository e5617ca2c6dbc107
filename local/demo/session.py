"""Plays a story through the chat API, waiting for background work after each turn."""

import asyncio
import time
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx

from cases.story import Story
from local.demo.stage import Stage
from local.demo.stored import Evidence, Stored
from shared.contracts.chat import ChatReply, ConversationCreated, ServiceName
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
    """A played story.

    Attributes:
        problem: Why it did not reach its end, or None.
    """

    story: Story
    greeting: str
    opened: Session
    steps: tuple[Step, ...]
    session: Session
    evidence: Evidence
    problem: str | None


async def play(story: Story, stage: Stage) -> Played:
    """Say the client's lines until the story or the session is at its end.

    Raises:
        DemoFailed: No conversation could be opened.
    """
    talk = _Talk(story, stage)
    await talk.sign_in()
    created = await talk.open()
    conversation_id = ConversationId(created.conversation_id)
    opened, steps, problem = await stage.store.session(conversation_id), list[Step](), None
    try:
        problem = await _lead(story, talk, conversation_id, steps, opened)
    except DemoFailed as error:
        problem = str(error)
    evidence = await stage.store.evidence(conversation_id)
    session = steps[-1].after if steps else opened
    if problem is None and session.ended and evidence.closing is None:
        problem = "ended without its closing work"
    return Played(story, created.greeting.text, opened, tuple(steps), session, evidence, problem)


async def _lead(
    story: Story, talk: "_Talk", conversation_id: ConversationId, steps: list[Step], opened: Session
) -> str | None:
    """Say the lines, adding every turn to `steps`; return why the end was not reached, or None."""
    session = opened
    for number, line in enumerate(story.lines, start=1):
        if session.ended:
            return f"ended before line {number}"
        reply = await talk.say(conversation_id, line.client)
        before, session = session, await talk.at_rest(conversation_id)
        steps.append(Step(reply.seq, line.client, reply.reply, before, session))
    ends = story.held(len(story.lines)).ended
    return "no end after its last line" if ends and not session.ended else None


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

    def __init__(self, story: Story, stage: Stage) -> None:
        self._story = story
        self._stage = stage
        self._headers: dict[str, str] = {}

    async def sign_in(self) -> None:
        """Sign in as the client."""
        signed_in = await self._call("POST", self._stage.sign_in, {"uid": f"demo-{self._story.id}"})
        self._headers = {"Authorization": f"Bearer {signed_in.json()['id_token']}"}

    async def open(self) -> ConversationCreated:
        wanted: dict[str, Any] = {
            "locale": self._story.locale.value,
            "session_type": self._story.opens.session_type.value,
            "age_band": "adult",
            "consents": _CONSENTS,
        }
        return ConversationCreated.model_validate_json((await self._call("POST", "/api/conversations", wanted)).content)

    async def say(self, conversation_id: ConversationId, text: str) -> ChatReply:
        """Send a message and return the reply."""
        path, message = f"/api/conversations/{conversation_id}/chat", {"message_id": str(uuid4()), "text": text}
        return ChatReply.model_validate_json((await self._call("POST", path, message)).content)

    async def at_rest(self, conversation_id: ConversationId) -> Session:
        """Wait for the background work, which a user's typing time allows for in reality."""
        return await at_rest(self._stage.store, conversation_id, self._stage.pause_s, AT_REST_WITHIN_S)

    async def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        try:
            response = await self._stage.http.request(method, path, json=body, headers=self._headers)
        except httpx.TransportError as error:
            raise DemoFailed(f"{method} {path}: {type(error).__name__}") from None
        if response.is_error:
            raise DemoFailed(f"{method} {path}: {response.status_code} {response.text[:200]}")
        return response
