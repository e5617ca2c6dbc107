"""Sessions in the reviewers' queue, and what a reviewer does with them, over the routes' world."""

from collections.abc import Sequence
from typing import Any

import httpx

from shared.adapters.documents import paths, writes
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.event import Event, apply_all
from shared.domain.ids import ConversationId
from shared.domain.records import Record
from shared.engine import unit_of_work
from shared.engine.extra_writes import ExtraWrites
from shared.engine.unit_of_work import Decision

QUEUE = "/api/review"
SECRET = "아무한테도 말 못 한 이야기예요"


async def flag(world: Any, conversation: str, *reasons: FlagReason, seq: int | None = None) -> None:
    """Flag a turn of a session, the first where none is named."""
    await change(world, conversation, *(FlaggedForReview(reason=reason, seq=seq or 1) for reason in reasons))


async def change(world: Any, conversation: str, *events: Event[Session], records: Sequence[Record] = ()) -> None:
    """Let something happen to a session."""
    policy = world.api.service.policy
    decision = Decision(None, events, lambda _: ExtraWrites(records=records))
    await unit_of_work.change(world.store, policy, world.clock, ConversationId(conversation), lambda _: decision)


async def talked(world: Any, conversation: str, turns: int = 9) -> None:
    """Say something in so many turns."""
    session_id = ConversationId(conversation)
    snapshot = await world.store.load(session_id)
    state = snapshot.session.state
    said = [
        Message(seq=seq, role=role, text=f"{SECRET} {seq}", created_at=world.clock.now(), message_id=f"m{seq}")
        for seq in range(1, turns + 1)
        for role in (Role.USER, Role.COUNSELOR)
    ]
    state = apply_all(state.model_copy(update={"seq": turns}), (), world.clock.now())
    await world.database.commit(
        [
            writes.replace(paths.session(session_id), state, snapshot.session.version),
            *(writes.message(session_id, message, state.expire_at) for message in said),
        ]
    )


async def looked(staff: httpx.AsyncClient, conversation: str) -> dict[str, Any]:
    """Look at a session; returns what was shown."""
    answered = await staff.get(f"{QUEUE}/{conversation}")
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()
    return found


async def seen(staff: httpx.AsyncClient, conversation: str, note: str = "봤어요", **more: Any) -> httpx.Response:
    """Look, and mark what was shown as seen."""
    look = (await looked(staff, conversation))["look"]
    return await staff.post(f"{QUEUE}/{conversation}/seen", json={"note": note, "look": look, **more})
