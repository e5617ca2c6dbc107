"""Sessions in the reviewers' queue, and what a reviewer does with them, over the routes' world."""

from shared.adapters.documents import paths, writes
from shared.domain.conversation import Message, Role
from shared.domain.counseling.staff_review_events import FlaggedForReview
from shared.domain.event import apply_all
from shared.domain.ids import ConversationId
from shared.engine import unit_of_work
from shared.engine.extra_writes import ExtraWrites
from shared.engine.unit_of_work import Decision

QUEUE = "/api/review"
SECRET = "아무한테도 말 못 한 이야기예요"


async def flag(world, conversation, *reasons, seq=None):
    await change(world, conversation, *(FlaggedForReview(reason=reason, seq=seq or 1) for reason in reasons))


async def change(world, conversation, *events, records=()):
    policy = world.api.service.policy
    decision = Decision(None, events, lambda _: ExtraWrites(records=records))
    await unit_of_work.change(world.store, policy, world.clock, ConversationId(conversation), lambda _: decision)


async def talked(world, conversation, turns=9):
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


async def looked(staff, conversation):
    answered = await staff.get(f"{QUEUE}/{conversation}")
    assert answered.status_code == 200, answered.text
    return answered.json()


async def seen(staff, conversation, note="봤어요", **more):
    look = (await looked(staff, conversation))["look"]
    return await staff.post(f"{QUEUE}/{conversation}/seen", json={"note": note, "look": look, **more})
