"""Scripted clients: each user makes their visits, one after the other, and tries again as a client should."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.chaos.doors import Answer, OutOfPatience, RetryingClient
from tests.chaos.findings import Record
from tests.chaos.schedule import How, Leave, Line, Visit
from tests.support.chat_client import OPENING, Event, message
from tests.support.overheard import SAID

COPIES = 3
FEW_EVENTS = 4
"""After so many a client that loses its connection hangs up."""


@dataclass
class Sent:
    message_id: str
    line: Line
    replies: list[dict[str, Any]] = field(default_factory=list)  # every reply that came to a copy of it
    refused: str = ""  # the code of a refusal that is final


@dataclass
class Talk:
    """One conversation as its client knows it."""

    api: RetryingClient
    conversation_id: str
    sent: list[Sent] = field(default_factory=list)
    ended: bool = False  # the end was confirmed
    erased: bool = False  # the deletion was confirmed
    perhaps_erased: bool = False  # a deletion was asked for, and nothing was heard of it

    @property
    def path(self) -> str:
        return f"/api/conversations/{self.conversation_id}"


@dataclass(frozen=True)
class Client:
    """One user; conversations are added to `talks` once they are known, `kill` kills an instance."""

    api: RetryingClient
    record: Record
    talks: list[Talk]
    kill: Callable[[str], Awaitable[None]]

    async def visit_until(self, visits: tuple[Visit, ...], end: float) -> None:
        """Begin no visit after `end`, on the monotonic clock."""
        for visit in visits:
            if time.monotonic() >= end:
                return
            try:
                await self._visit(visit, end)
            except OutOfPatience:
                self.record.broken(8, "no answer until the end of the run")
                return

    async def _visit(self, visit: Visit, end: float) -> None:
        opened = await self.api.until_answered("POST", "/api/conversations", OPENING)
        if opened.status != 201:
            self.record.broken(9, f"no conversation: {opened.status} {opened.code}")
            return
        talk = Talk(self.api, opened.body["conversation_id"])
        self.talks.append(talk)
        self.record.did("conversations opened")
        lines = iter(visit.lines)
        for line in lines:
            together = [line]
            if line.how is How.PAIR and (following := next(lines, None)) is not None:
                together.append(following)
            await asyncio.gather(*(self._say(talk, one) for one in together))
            if time.monotonic() >= end:
                break
        self.record.did(f"conversations left: {visit.leave}")
        await self._leave(talk, visit)

    async def _say(self, talk: Talk, line: Line) -> None:
        """Send one message in its way, and go on until it has a reply or a final refusal."""
        sent = Sent(str(uuid4()), line)
        talk.sent.append(sent)
        SAID.add(line.text)
        self.record.did(f"messages sent: {line.how}{', crisis' if line.crisis else ''}")
        chat, body = f"{talk.path}/chat", message(line.text, sent.message_id)

        async def until_replied() -> None:
            _take(sent, await self.api.until_answered("POST", chat, body, crisis=line.crisis))

        match line.how:
            case How.COPIES:
                await asyncio.gather(*(until_replied() for _ in range(COPIES)))
            case How.SSE | How.PAIR:
                _take(sent, await self.api.events("POST", chat, body, {}, None))
            case How.LOST:
                first = await self.api.events("POST", chat, body, {}, FEW_EVENTS)
                _take(sent, first)
                _take(sent, await self._attach(talk, sent, first))
            case How.JSON:
                pass
        if not sent.replies and not sent.refused:
            await until_replied()

    async def _attach(self, talk: Talk, sent: Sent, before: list[Event] | Answer | None) -> list[Event] | Answer | None:
        self.record.did("connections lost and resumed")
        last = {"Last-Event-ID": before[-1].id} if isinstance(before, list) and before else {}
        found = await self.api.events("GET", f"{talk.path}/turns/{sent.message_id}", None, last, None)
        # If the first request never arrived there is no turn to resume: the message is sent again.
        return None if isinstance(found, Answer) and found.status != 200 else found

    async def _leave(self, talk: Talk, visit: Visit) -> None:
        match visit.leave:
            case Leave.OPEN:
                return
            case Leave.ERASE:
                talk.perhaps_erased = True
                talk.erased = (await self.api.until_answered("DELETE", talk.path)).status in {202, 204, 404}
            case Leave.ERASE_KILLED:
                talk.perhaps_erased = True
                erasing = asyncio.create_task(self.api.once("DELETE", talk.path))
                await asyncio.sleep(visit.kill_after_s)
                await self.kill(self.api.asked)
                once = await erasing
                talk.erased = once is not None and once.status in {202, 204}
            case Leave.EXPORT | Leave.END:
                if visit.leave is Leave.EXPORT:
                    exported = await self.api.until_answered("GET", f"{talk.path}/export")
                    if exported.status != 200:
                        self.record.broken(7, f"no export: {exported.status} {exported.code}", talk.conversation_id)
                talk.ended = (await self.api.until_answered("POST", f"{talk.path}/end")).status == 200


def _take(sent: Sent, came: list[Event] | Answer | None) -> None:
    """Note a reply or a final refusal; anything else asks for another try."""
    if isinstance(came, list):
        sent.replies += [event.data for event in came if event.name == "done"]
    elif came is not None and came.status == 200:
        sent.replies.append(came.body)
    elif came is not None and not came.retryable:
        sent.refused = came.code or str(came.status)
