"""What must hold once a run is over and no work is due: the promises of docs/reliability.md, one function for each."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.domain.mailbox import Mailbox
from shared.services.counseling.policy import CounselingPolicy
from tests.chaos.clients import Talk
from tests.chaos.findings import Record
from tests.properties.invariants import RULES
from tests.support.chat_client import message
from tests.support.listing import every_document, holding

LOOK_EVERY_S = 0.5
OF_ONE_STATE = tuple(rule for rule in RULES if next(iter(inspect.signature(rule).parameters)).startswith("_"))
"""Rules that do not use the state before."""


@dataclass
class RunState:
    """What the checks read; `database` is address and project.

    Attributes:
        listed: Every document as last listed; a listing asks once for each document, so a round of looks shares one.
    """

    store: DocumentConversationStore[Session]
    database: tuple[str, str]
    record: Record
    listed: dict[str, str] | None = None

    async def load(self, talk: Talk) -> tuple[Session, Mailbox] | None:
        snapshot = await self.store.load(ConversationId(talk.conversation_id))
        return None if snapshot is None else (snapshot.session.state, snapshot.mailbox.box)

    async def documents(self, talk: Talk, *, audit: bool) -> list[str]:
        """Return the paths of the documents about a conversation: those of the audit trail, or all others."""
        if self.listed is None:
            self.listed = await asyncio.to_thread(every_document, *self.database)
        return [path for path in holding(self.listed, talk.conversation_id) if path.startswith("audit/") == audit]


async def until_quiet(run: RunState, talks: Sequence[Talk], within_s: float) -> None:
    """Wait until no message waits and no work is due; what is left after so long without progress is a finding."""
    waiting, moved = list(talks), time.monotonic()
    while True:
        run.listed = None
        left = [(talk, found) for talk in waiting if (found := await _left(run, talk))]
        if len(left) < len(waiting):
            moved = time.monotonic()
        if not left or time.monotonic() - moved > within_s:
            break
        waiting = [talk for talk, _ in left]
        await asyncio.sleep(LOOK_EVERY_S)
    for talk, (promise, what) in left:
        run.record.broken(promise, f"{what}, and nothing moved for {within_s:g} s", talk.conversation_id)


async def _left(run: RunState, talk: Talk) -> tuple[int, str] | None:
    """Return the promise that waits for a conversation, and what for."""
    loaded = await run.load(talk)
    if talk.perhaps_erased:
        # An erasure that was begun comes to its end; one that was never begun leaves the conversation as it was.
        gone = (await talk.api.until_answered("GET", talk.path)).status == 404 or loaded is None
        begun = gone and await run.documents(talk, audit=False)
        return (13, "an erasure was begun and not finished") if begun else None
    if loaded is None:
        return None
    session, box = loaded
    if box.inbox and not session.ended:
        return 4, "a message waits without an answer"
    overdue = CounselingPolicy(content()).overdue(session)
    if overdue:
        return 5, f"due and not done: {overdue[0].kind}"
    closing = (await talk.api.until_answered("GET", talk.path)).body.get("closing") if talk.ended else None
    return (
        (12, "a closing was given up though the model answers again") if closing and closing["made_by_rule"] else None
    )


async def check(run: RunState, talks: Sequence[Talk]) -> None:
    run.listed = None
    for talk in talks:
        gone = not talk.erased and await run.load(talk) is None
        if talk.perhaps_erased and gone:
            talk.erased = True
        elif gone:
            run.record.broken(4, "a conversation is gone that its user did not delete", talk.conversation_id)
        elif not talk.erased:
            for promise in PROMISES:
                await promise(run, talk)
        if talk.erased:
            await _an_erased_conversation_is_neither_stored_nor_shown(run, talk)


async def _every_message_has_one_reply_and_every_copy_the_same(run: RunState, talk: Talk) -> None:
    for sent in talk.sent:
        if sent.refused:
            run.record.broken(4, f"a message was refused: {sent.refused}", sent.message_id)
            continue
        again = await talk.api.until_answered("POST", f"{talk.path}/chat", message(sent.line.text, sent.message_id))
        if again.status == 200:
            sent.replies.append(again.body)
        elif not (talk.ended and sent.replies):
            run.record.broken(1, f"a repeated message got no reply: {again.status} {again.code}", sent.message_id)
        if len({repr(sorted(reply.items())) for reply in sent.replies}) > 1:
            run.record.broken(1, "copies of one message got different replies", sent.message_id)


async def _the_history_holds_every_message_once_in_order(run: RunState, talk: Talk) -> None:
    page = await talk.api.until_answered("GET", f"{talk.path}/messages?limit=100")
    if page.status != 200:
        run.record.broken(4, f"no history: {page.status} {page.code}", talk.conversation_id)
        return
    users = [entry for entry in page.body["messages"] if entry["role"] == "user"]
    replies = [entry for entry in page.body["messages"] if entry["role"] == "counselor" and entry["seq"] > 0]
    for sent in talk.sent:
        said, answered = ([e for e in found if e["message_id"] == sent.message_id] for found in (users, replies))
        if [entry["text"] for entry in said] != [sent.line.text]:
            run.record.broken(4, f"a message is {len(said)} times in the history", sent.message_id)
        if len(answered) != 1:
            run.record.broken(1, f"a message has {len(answered)} replies in the history", sent.message_id)
        elif sent.replies and answered[0]["text"] != sent.replies[0]["reply"]:
            run.record.broken(1, "the history holds another reply than the client got", sent.message_id)
    for role, found in (("messages", users), ("replies", replies)):
        if [entry["seq"] for entry in found] != list(range(1, len(found) + 1)):
            run.record.broken(2, f"seq of {role} has gaps or is out of order", talk.conversation_id)
    if len(users) != len(talk.sent):
        run.record.broken(4, f"{len(users)} of {len(talk.sent)} messages in the history", talk.conversation_id)


async def _parts_go_forward_and_an_ended_conversation_stays_ended(run: RunState, talk: Talk) -> None:
    replies = {reply["seq"]: reply["state_snapshot"] for sent in talk.sent for reply in sent.replies[:1]}
    parts = [replies[seq]["part"] for seq in sorted(replies)]
    if parts != sorted(parts):
        run.record.broken(6, "a Part went back", talk.conversation_id)
    if talk.ended:
        view = await talk.api.until_answered("GET", talk.path)
        later = await talk.api.until_answered("POST", f"{talk.path}/chat", message("한 가지 더 말해도 될까요?"))
        if view.body.get("status") != "completed" or later.code != "session_ended":
            run.record.broken(6, f"an ended conversation goes on: {later.status} {later.code}", talk.conversation_id)


async def _the_session_keeps_its_rules(run: RunState, talk: Talk) -> None:
    loaded = await run.load(talk)
    if loaded is None:
        return
    session, box = loaded
    for rule in OF_ONE_STATE:
        try:
            rule(session, session)
        except AssertionError as error:
            run.record.broken(6, f"{rule.__name__}: {str(error).splitlines()[0]}", talk.conversation_id)
    if session.watermarks.summarized and not session.summary_text:
        run.record.broken(12, "turns count as summarised, and there is no summary", talk.conversation_id)
    if talk.ended and not session.closing_made:
        run.record.broken(12, "an ended conversation has no closing", talk.conversation_id)
    if box.inbox and not session.ended:
        run.record.broken(4, "a message waits in the mailbox", talk.conversation_id)


async def _a_crisis_is_answered_as_one(run: RunState, talk: Talk) -> None:
    for sent in talk.sent:
        if sent.line.crisis and sent.replies and "crisis" not in sent.replies[0]["flags"]:
            run.record.broken(8, "a crisis message got an ordinary reply", sent.message_id)


PROMISES: Sequence[Callable[[RunState, Talk], Awaitable[None]]] = (
    _every_message_has_one_reply_and_every_copy_the_same,
    _the_history_holds_every_message_once_in_order,
    _parts_go_forward_and_an_ended_conversation_stays_ended,
    _the_session_keeps_its_rules,
    _a_crisis_is_answered_as_one,
)


async def _an_erased_conversation_is_neither_stored_nor_shown(run: RunState, talk: Talk) -> None:
    if f"audit/{talk.conversation_id}-erasure-completed" not in await run.documents(talk, audit=True):
        run.record.broken(13, "an erasure has no audit line of its end", talk.conversation_id)
    left = await run.documents(talk, audit=False)
    if left:
        run.record.broken(13, "documents of an erased conversation are left", f"{len(left)}, e.g. {left[0]}")
    shown = await talk.api.until_answered("GET", talk.path)
    if shown.status != 404:
        run.record.broken(13, f"an erased conversation is shown: {shown.status}", talk.conversation_id)
