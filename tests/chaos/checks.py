"""What must hold once a run is over and all is quiet: the promises of docs/reliability.md, one function for each."""

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.domain.mailbox import Mailbox
from shared.services.counseling.policy import CounselingPolicy
from tests.chaos.clients import Sent, Talk
from tests.chaos.doors import Doors
from tests.chaos.findings import Record
from tests.properties.invariants import RULES
from tests.support.chat_client import message
from tests.support.listing import every_document, holding

LOOK_EVERY_S = 0.5
OF_ONE_STATE = tuple(rule for rule in RULES if next(iter(inspect.signature(rule).parameters)).startswith("_"))
"""Rules that ask nothing of the state before."""


@dataclass(frozen=True)
class Quiet:
    """What the checks look at.

    Attributes:
        doors: Of a user, made from their token.
        database: Address and project.
    """

    store: DocumentConversationStore[Session]
    doors: Callable[[str], Doors]
    database: tuple[str, str]
    record: Record


async def until_quiet(quiet: Quiet, talks: Sequence[Talk], within_s: float) -> None:
    """Wait until no message waits and no work is due; what is left then is a finding."""
    deadline = time.monotonic() + within_s
    waiting = list(talks)
    while True:
        left = {talk.conversation_id: found for talk in waiting if (found := await _left(quiet, talk))}
        if not left or time.monotonic() > deadline:
            break
        waiting = [talk for talk in waiting if talk.conversation_id in left]
        await asyncio.sleep(LOOK_EVERY_S)
    for conversation_id, (promise, what) in left.items():
        quiet.record.broken(promise, f"{what}, {within_s:g} s after the last fault", conversation_id)


async def _left(quiet: Quiet, talk: Talk) -> tuple[int, str] | None:
    if talk.perhaps_erased:
        return await _half_erased(quiet, talk)
    loaded = await _load(quiet, talk)
    if loaded is None:
        return None
    session, box = loaded
    if box.inbox and not session.ended:
        return 4, "a message waits without an answer"
    overdue = CounselingPolicy(content().crisis_replies).overdue(session)
    if overdue:
        return 5, f"due and not done: {overdue[0].kind}"
    if talk.ended and await _closing_by_rule(quiet, talk):
        return 12, "a closing was given up though the model answers again"
    return None


async def _half_erased(quiet: Quiet, talk: Talk) -> tuple[int, str] | None:
    """An erasure that was begun comes to its end; one that was never begun leaves the conversation as it was."""
    shown = await quiet.doors(talk.token).surely("GET", talk.path)
    gone = shown.status == 404 or await _load(quiet, talk) is None
    return (13, "an erasure was begun and not finished") if gone and await _documents_of(quiet, talk) else None


async def _documents_of(quiet: Quiet, talk: Talk) -> list[str]:
    return [path for path in await _everything_of(quiet, talk) if not path.startswith("audit/")]


async def _everything_of(quiet: Quiet, talk: Talk) -> list[str]:
    documents = await asyncio.to_thread(every_document, *quiet.database)
    return list(holding(documents, talk.conversation_id))


async def _closing_by_rule(quiet: Quiet, talk: Talk) -> bool:
    """Whether the client sees a closing that no model made, though something was said to make it from."""
    view = await quiet.doors(talk.token).surely("GET", talk.path)
    closing = (view.body or {}).get("closing")
    return bool(closing and closing["made_by_rule"])


async def check(quiet: Quiet, talks: Sequence[Talk]) -> None:
    """Check every conversation against every promise."""
    for talk in talks:
        if talk.erased:
            continue
        gone = await _load(quiet, talk) is None
        if talk.perhaps_erased and gone:
            talk.erased = True
        elif gone:
            quiet.record.broken(4, "a conversation is gone that nobody deleted", talk.conversation_id)
        else:
            for promise in PROMISES:
                await promise(quiet, talk)
    await _erased_is_gone(quiet, [talk for talk in talks if talk.erased])


async def _every_message_has_one_reply_and_every_copy_the_same(quiet: Quiet, talk: Talk) -> None:
    doors = quiet.doors(talk.token)
    for sent in talk.sent:
        if sent.refused:
            quiet.record.broken(4, f"a message was refused: {sent.refused}", sent.message_id)
            continue
        body = message(sent.line.text, sent.message_id)
        again = await doors.surely("POST", f"{talk.path}/chat", body)
        if again.status == 200 and again.body is not None:
            sent.replies.append(again.body)
        elif not (talk.ended and sent.replies):
            quiet.record.broken(1, f"no reply to be had again: {again.status} {again.code}", sent.message_id)
        if len({_canonical(reply) for reply in sent.replies}) > 1:
            quiet.record.broken(1, "copies of one message got different replies", sent.message_id)


async def _the_history_holds_every_message_once_in_order(quiet: Quiet, talk: Talk) -> None:
    page = await quiet.doors(talk.token).surely("GET", f"{talk.path}/messages?limit=100")
    if page.status != 200 or page.body is None:
        quiet.record.broken(4, f"no history: {page.status} {page.code}", talk.conversation_id)
        return
    entries: list[dict[str, Any]] = page.body["messages"]
    users = [entry for entry in entries if entry["role"] == "user"]
    replies = [entry for entry in entries if entry["role"] == "counselor" and entry["seq"] > 0]
    for sent in talk.sent:
        _held_once(quiet, sent, users, replies)
    for role, found in (("messages", users), ("replies", replies)):
        if [entry["seq"] for entry in found] != list(range(1, len(found) + 1)):
            quiet.record.broken(2, f"seq of {role} has gaps or is out of order", talk.conversation_id)
    if len(users) != len(talk.sent):
        quiet.record.broken(4, f"{len(users)} of {len(talk.sent)} messages in the history", talk.conversation_id)


def _held_once(quiet: Quiet, sent: Sent, users: list[dict[str, Any]], replies: list[dict[str, Any]]) -> None:
    said = [entry for entry in users if entry["message_id"] == sent.message_id]
    answered = [entry for entry in replies if entry["message_id"] == sent.message_id]
    if len(said) != 1 or said[0]["text"] != sent.line.text:
        quiet.record.broken(4, f"a message is {len(said)} times in the history", sent.message_id)
    if len(answered) != 1:
        quiet.record.broken(1, f"a message has {len(answered)} replies in the history", sent.message_id)
    elif sent.replies and answered[0]["text"] != sent.replies[0]["reply"]:
        quiet.record.broken(1, "the history holds another reply than the client got", sent.message_id)


async def _parts_go_forward_and_what_ended_stays_ended(quiet: Quiet, talk: Talk) -> None:
    replies = {reply["seq"]: reply["state_snapshot"] for sent in talk.sent for reply in sent.replies[:1]}
    parts = [replies[seq]["part"] for seq in sorted(replies)]
    if parts != sorted(parts):
        quiet.record.broken(6, "a Part went back", talk.conversation_id)
    if talk.ended:
        doors = quiet.doors(talk.token)
        view = await doors.surely("GET", talk.path)
        later = await doors.surely("POST", f"{talk.path}/chat", message("한 가지 더 말해도 될까요?"))
        if (view.body or {}).get("status") != "completed" or later.code != "session_ended":
            quiet.record.broken(6, f"an ended conversation goes on: {later.status} {later.code}", talk.conversation_id)


async def _the_session_keeps_its_rules(quiet: Quiet, talk: Talk) -> None:
    loaded = await _load(quiet, talk)
    if loaded is None:
        return
    session, box = loaded
    for rule in OF_ONE_STATE:
        try:
            rule(session, session)
        except AssertionError as error:
            quiet.record.broken(6, f"{rule.__name__}: {str(error).splitlines()[0]}", talk.conversation_id)
    if session.watermarks.summarized and not session.summary_text:
        quiet.record.broken(12, "turns count as summarised, and there is no summary", talk.conversation_id)
    if talk.ended and not session.closing_made:
        quiet.record.broken(12, "an ended conversation has no closing", talk.conversation_id)
    if box.inbox and not session.ended:
        quiet.record.broken(4, "a message waits in the mailbox", talk.conversation_id)


async def _a_crisis_is_answered_as_one(quiet: Quiet, talk: Talk) -> None:
    for sent in talk.sent:
        if sent.line.crisis and sent.replies and "crisis" not in sent.replies[0]["flags"]:
            quiet.record.broken(8, "a crisis message got an ordinary reply", sent.message_id)


PROMISES: Sequence[Callable[[Quiet, Talk], Awaitable[None]]] = (
    _every_message_has_one_reply_and_every_copy_the_same,
    _the_history_holds_every_message_once_in_order,
    _parts_go_forward_and_what_ended_stays_ended,
    _the_session_keeps_its_rules,
    _a_crisis_is_answered_as_one,
)


async def _erased_is_gone(quiet: Quiet, erased: Sequence[Talk]) -> None:
    """Erased conversations are in no document but the audit's, and nobody is shown them."""
    for talk in erased:
        found = await _everything_of(quiet, talk)
        if f"audit/{talk.conversation_id}-erasure-completed" not in found:
            quiet.record.broken(13, "an erasure has no line of its end", talk.conversation_id)
        left = [path for path in found if not path.startswith("audit/")]
        if left:
            quiet.record.broken(13, "documents of an erased conversation are left", f"{len(left)}, e.g. {left[0]}")
        shown = await quiet.doors(talk.token).surely("GET", talk.path)
        if shown.status != 404:
            quiet.record.broken(13, f"an erased conversation is shown: {shown.status}", talk.conversation_id)


async def _load(quiet: Quiet, talk: Talk) -> tuple[Session, Mailbox] | None:
    snapshot = await quiet.store.load(ConversationId(talk.conversation_id))
    return None if snapshot is None else (snapshot.session.state, snapshot.mailbox.box)


def _canonical(reply: dict[str, Any]) -> str:
    return repr(sorted(reply.items()))
