"""Scripted clients: each user makes their visits, one after the other, and tries again as a client should."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.chaos.doors import Answer, Doors, OutOfPatience
from tests.chaos.findings import Record
from tests.chaos.schedule import How, Leave, Line, Visit
from tests.support.chat_client import OPENING, Event, message
from tests.support.overheard import SAID

Kill = Callable[[str], Awaitable[None]]
SSE = {"Accept": "text/event-stream"}
COPIES = 3
FEW_EVENTS = 4
"""After so many a client hangs up that loses its connection."""


@dataclass
class Sent:
    """One message.

    Attributes:
        replies: Every reply that came to a copy of it.
        refused: The code of a refusal that is final.
    """

    message_id: str
    line: Line
    replies: list[dict[str, Any]] = field(default_factory=list)
    refused: str = ""


@dataclass
class Talk:
    """One conversation as its client knows it.

    Attributes:
        ended: The end was confirmed.
        erased: The deletion was confirmed.
        perhaps_erased: A deletion was asked for, and nothing was heard of it.
    """

    uid: str
    token: str
    conversation_id: str
    sent: list[Sent] = field(default_factory=list)
    ended: bool = False
    erased: bool = False
    perhaps_erased: bool = False

    @property
    def path(self) -> str:
        """Of the conversation's endpoints."""
        return f"/api/conversations/{self.conversation_id}"


@dataclass(frozen=True)
class Who:
    """A signed-in user."""

    uid: str
    token: str


class Client:
    """One user."""

    def __init__(self, who: Who, doors: Doors, record: Record, talks: list[Talk], kill: Kill) -> None:
        """Take where to talk, and how an instance is killed; conversations are added to `talks` once they are known."""
        self._uid = who.uid
        self._token = who.token
        self._kill = kill
        self._doors = doors
        self._record = record
        self._talks = talks

    async def visit_until(self, visits: tuple[Visit, ...], end: float) -> None:
        """Begin no visit after `end`, on the monotonic clock."""
        for visit in visits:
            if time.monotonic() >= end:
                return
            try:
                await self._visit(visit, end)
            except OutOfPatience:
                self._record.broken(8, "no answer until the end of the run", self._uid)
                return

    async def _visit(self, visit: Visit, end: float) -> None:
        opened = await self._doors.surely("POST", "/api/conversations", dict(OPENING))
        if opened.status != 201 or opened.body is None:
            self._record.broken(9, f"no conversation: {opened.status} {opened.code}", self._uid)
            return
        talk = Talk(self._uid, self._token, opened.body["conversation_id"])
        self._talks.append(talk)
        self._record.did("conversations opened")
        lines = iter(visit.lines)
        for line in lines:
            together = [line]
            if line.how is How.PAIR and (following := next(lines, None)) is not None:
                together.append(following)
            await asyncio.gather(*(self._say(talk, one) for one in together))
            if time.monotonic() >= end:
                break
        await self._leave(talk, visit)

    async def _say(self, talk: Talk, line: Line) -> None:
        """Send one message in its way, and go on until it has a reply or a final refusal."""
        sent = Sent(str(uuid4()), line)
        talk.sent.append(sent)
        SAID.add(line.text)
        self._record.did(f"messages sent: {line.how}{', crisis' if line.crisis else ''}")
        match line.how:
            case How.COPIES:
                await asyncio.gather(*(self._until_replied(talk, sent) for _ in range(COPIES)))
            case How.SSE | How.PAIR:
                self._take(sent, await self._stream(talk, sent, None))
            case How.LOST:
                first = await self._stream(talk, sent, FEW_EVENTS)
                self._take(sent, first)
                self._take(sent, await self._attach(talk, sent, first))
            case How.JSON:
                pass
        if not sent.replies and not sent.refused:
            await self._until_replied(talk, sent)

    async def _until_replied(self, talk: Talk, sent: Sent) -> None:
        body = message(sent.line.text, sent.message_id)
        answer = await self._doors.surely("POST", f"{talk.path}/chat", body, crisis=sent.line.crisis)
        self._take(sent, answer)

    async def _stream(self, talk: Talk, sent: Sent, most: int | None) -> list[Event] | Answer | None:
        body = message(sent.line.text, sent.message_id)
        return await self._doors.events("POST", f"{talk.path}/chat", body, SSE, most)

    async def _attach(self, talk: Talk, sent: Sent, before: list[Event] | Answer | None) -> list[Event] | Answer | None:
        self._record.did("connections lost and taken up again")
        last = {"Last-Event-ID": before[-1].id} if isinstance(before, list) and before else {}
        found = await self._doors.events("GET", f"{talk.path}/turns/{sent.message_id}", None, {**SSE, **last}, None)
        # Where the first request never arrived there is nothing to take up: the message is sent again then.
        return None if isinstance(found, Answer) and found.status != 200 else found

    def _take(self, sent: Sent, came: list[Event] | Answer | None) -> None:
        """Note a reply or a final refusal; anything else asks for another try."""
        if isinstance(came, list):
            sent.replies += [event.data for event in came if event.name == "done"]
        elif came is not None and came.status == 200 and came.body is not None:
            sent.replies.append(came.body)
        elif came is not None and came.status < 500 and came.status != 429:
            sent.refused = came.code or str(came.status)

    async def _leave(self, talk: Talk, visit: Visit) -> None:
        self._record.did(f"conversations left: {visit.leave}")
        match visit.leave:
            case Leave.OPEN:
                return
            case Leave.ERASE:
                talk.perhaps_erased = True
                answer = await self._doors.surely("DELETE", talk.path)
                talk.erased = answer.status in {202, 204, 404}
            case Leave.ERASE_KILLED:
                talk.perhaps_erased = True
                erasing = asyncio.create_task(self._doors.once("DELETE", talk.path))
                await asyncio.sleep(visit.kill_after_s)
                await self._kill(self._doors.asked)
                once = await erasing
                talk.erased = once is not None and once.status in {202, 204}
            case Leave.EXPORT | Leave.END:
                if visit.leave is Leave.EXPORT:
                    exported = await self._doors.surely("GET", f"{talk.path}/export")
                    if exported.status != 200:
                        self._record.broken(7, f"no export: {exported.status} {exported.code}", talk.conversation_id)
                answer = await self._doors.surely("POST", f"{talk.path}/end")
                talk.ended = answer.status == 200
