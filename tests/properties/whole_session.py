"""What holds of a whole session in which nothing is under way; each rule is a function that names itself."""

import json
from collections.abc import Mapping, Sequence
from typing import cast

from functions.chat.legacy.asked_before import opening_of
from shared.adapters.documents.mapping import to_json
from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.domain.conversation import Role
from shared.ports.document_writes import Document
from shared.safety.levels import CrisisOutcome
from shared.safety.output_guard.categories import Category
from tests.builders.service_world import ServiceWorld

LARGEST_SESSION = 300_000
"""Bytes of a session's document. The window's sixteen messages, eight of them of 4,000 Korean letters, are 130 kB;
Firestore takes 1 MiB."""
FEEDBACK_STATUSES = {"pending", "applied", "superseded"}

Stored = Mapping[str, Sequence[Document]]


def the_session_stays_small(_world: ServiceWorld, stored: Stored) -> None:
    for document in stored["session"]:
        size = len(json.dumps(to_json(dict(document.data)), ensure_ascii=False).encode())
        assert size <= LARGEST_SESSION, size


def every_message_is_stored_once_with_one_reply(world: ServiceWorld, stored: Stored) -> None:
    entries = [document.data for document in stored["messages"]]
    turns = [(entry["seq"], entry["role"]) for entry in entries]
    expected = [(seq, role.value) for seq in range(1, world.session.seq + 1) for role in (Role.USER, Role.COUNSELOR)]
    assert turns == [(0, Role.COUNSELOR.value), *expected]
    assert all(str(entry["text"]).strip() for entry in entries), "an empty reply"
    heard = [(entry["message_id"], entry["text"]) for entry in entries if entry["role"] == Role.USER.value]
    assert sorted(heard) == sorted(world.sent.items())
    said = {entry["message_id"]: entry["text"] for entry in entries[1:] if entry["role"] == Role.COUNSELOR.value}
    assert said == {message_id: reply.reply for message_id, reply in world.replies.items()}


def every_turn_has_its_record(world: ServiceWorld, stored: Stored) -> None:
    seqs = sorted(cast("int", record.data["seq"]) for record in stored["turns"])
    assert seqs == list(range(1, world.session.seq + 1))


def a_crisis_is_answered_by_the_protocol(world: ServiceWorld, _stored: Stored) -> None:
    state = world.session
    for message_id, text in world.sent.items():
        outcome = content().screening.screen(text).outcome
        if not outcome.needs_protocol:
            continue
        reply = world.replies[message_id]
        voice = Voice(locale=state.locale, register_=state.register_)
        graver = [one for one in CrisisOutcome if one.needs_protocol and one.severity >= outcome.severity]
        replies = content().crisis_replies
        fixed = [replies.reply(one, voice, nth(n)).splitlines()[0] for one in graver for n in range(6)]
        fixed.append(replies.just_acted(voice, ()).splitlines()[0])
        assert any(first in reply.reply for first in fixed), (text, reply.reply)
        assert "crisis" in reply.flags, text


def no_fixed_reply_comes_again_while_another_wording_of_it_is_unheard(world: ServiceWorld, _stored: Stored) -> None:
    """Of the protocol, to a user under 14, and where the guard ended a reply: by their first sentences."""
    state, replies = world.session, [reply.reply for reply in world.replies.values()]
    voice = Voice(locale=state.locale, register_=state.register_)
    written, endings = content().crisis_replies.written, content().safe_endings
    of_the_protocol = [dict(wordings)[voice.key] for wordings in dict(written.replies).values()]
    of_the_guard = [tuple(endings.ending(one, state.locale, state.register_, n) for n in (0, 1)) for one in Category]
    under_14 = content().under_14_replies.every_wording(voice)[1:]
    for wordings in (*of_the_protocol, *of_the_guard, under_14):
        openings = [opening_of(text) for text in dict.fromkeys(wordings)]
        heard = [one for reply in replies for one in openings if one in reply]
        for place, one in enumerate(heard):
            before = [at for at in range(place) if heard[at] == one]
            assert not before or {*heard[before[-1] + 1 : place]} >= {*openings} - {one}, (one, heard)


def feedback_has_a_legal_status(_world: ServiceWorld, stored: Stored) -> None:
    found = {str(document.data["status"]) for document in stored["planner_feedback"]}
    assert found <= FEEDBACK_STATUSES, found


def nobody_is_asked_twice_running_to_say_it_again_nor_beside_another_question(
    _world: ServiceWorld, stored: Stored
) -> None:
    told = {cast("int", record.data["seq"]): record.data["directive"] for record in stored["turns"]}
    unread = {seq: one for seq, one in told.items() if isinstance(one, Mapping) and one.get("parse_error")}
    assert not [seq for seq in unread if seq - 1 in unread], sorted(unread)
    for seq, one in unread.items():
        assert one["stance"] in ("work", "gather", "accompany"), (seq, one["stance"])
        assert (one["concern"], one["heed"], one["proposes"]) == (False, None, None), seq


def an_ended_session_gets_one_closing_at_most(world: ServiceWorld, stored: Stored) -> None:
    closings = stored["closings"]
    assert len(closings) <= 1
    assert bool(closings) == world.session.closing_made
    assert not closings or world.session.ended


def nothing_broke(world: ServiceWorld, _stored: Stored) -> None:
    assert not world.broke, "\n".join(world.broke)


OF_THE_WHOLE = (
    the_session_stays_small, every_message_is_stored_once_with_one_reply, every_turn_has_its_record,
    a_crisis_is_answered_by_the_protocol, no_fixed_reply_comes_again_while_another_wording_of_it_is_unheard,
    feedback_has_a_legal_status,
    nobody_is_asked_twice_running_to_say_it_again_nor_beside_another_question,
    an_ended_session_gets_one_closing_at_most, nothing_broke,
)  # fmt: skip


async def hold_for_the_whole(world: ServiceWorld) -> None:
    """Check what is stored of a session in which nothing is under way."""
    stored = await world.documents()
    for rule in OF_THE_WHOLE:
        rule(world, stored)
