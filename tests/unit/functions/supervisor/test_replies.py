"""Replies that no model made are context: nobody is judged for them."""

import pytest

from functions.supervisor.supervise import supervise
from shared.adapters.documents import paths, writes
from shared.contracts.tasks import JobKind
from shared.domain.counseling.directive import Directive, Stance
from shared.domain.counseling.task import Part
from shared.domain.ids import MessageId
from shared.domain.turn import TurnRecord, TurnResult
from shared.engine.jobs import JobResult
from shared.locale import Locale
from tests.fakes.answers import judgement
from tests.fakes.background_room import ID, Room, payload
from tests.fakes.counselling import NOW, session, task
from tests.support.tags import element

SAID = ("요즘 회사 가기가 무서워요", "죽고 싶어요", "지금은 괜찮아요")
JOB = payload(JobKind.SUPERVISE, 3)
SIXES = judgement(6)
FIXED = {Locale.KO: "상담사: (정해진 문구) ", Locale.EN: "Counsellor: (fixed text) "}


def directive(stance: Stance) -> Directive:
    return Directive(
        stance=stance, part=Part.OPENING, module_id="rapport_building", module_name="관계", module_summary=("천천히",)
    )


async def answered(room: Room, seq: int, stance: Stance | None, *flags: str) -> None:
    """Store the record of a turn; without a stance no model was directed."""
    message_id = MessageId(f"m{seq}")
    record = TurnRecord(
        conversation_id=ID,
        message_id=message_id,
        text=SAID[seq - 1],
        text_digest="d" * 64,
        received_at=NOW,
        expire_at=NOW,
        seq=seq,
        flow="counseling",
        snapshot_version=0,
        directive=directive(stance).model_dump(mode="json") if stance else None,
        committed_at=NOW,
        result=TurnResult(message_id=message_id, seq=seq, reply="…", state_snapshot={}, flags=flags),
    )
    await room.database.commit([writes.create(paths.turn(ID, message_id), record)])


@pytest.fixture
async def room() -> Room:
    room = Room({"supervisor": SIXES})
    await room.open(session(task()), SAID)
    return room


async def test_the_crisis_protocols_reply_is_shown_as_fixed_text_and_left_out(subtests: pytest.Subtests) -> None:
    for locale in Locale:
        with subtests.test(locale=locale):
            room = Room({"supervisor": SIXES})
            await room.open(session(task(), locale=locale), SAID)
            for seq, stance in ((1, Stance.WORK), (2, None), (3, Stance.CARE)):
                await answered(room, seq, stance)
            assert await supervise(room.context, JOB) is JobResult.DONE
            (asked,) = room.model.asked("supervisor")
            shown = element(asked.messages[0].text, "dialogue").splitlines()
            assert [line.startswith(FIXED[locale]) for line in shown if "(2)" in line] == [True]
            assert sum(line.startswith(FIXED[locale]) for line in shown) == 1
            assert element(asked.messages[0].text, "stance") == "care"
            record = await room.record("supervision", "3")
            assert record["left_out"] == [2]


async def test_the_newest_judged_reply_tells_what_was_directed(room: Room) -> None:
    for seq, stance in ((1, Stance.WORK), (2, Stance.BRIDGE), (3, None)):
        await answered(room, seq, stance)
    await supervise(room.context, JOB)
    assert element(room.model.asked("supervisor")[0].messages[0].text, "stance") == "bridge"


async def test_an_honest_failure_is_not_judged(room: Room) -> None:
    await answered(room, 2, Stance.WORK, "degraded")
    await supervise(room.context, JOB)
    record = await room.record("supervision", "3")
    assert record["left_out"] == [2]


async def test_where_no_reply_was_a_models_nobody_is_asked_or_judged_and_the_work_is_done(room: Room) -> None:
    for seq in (1, 2, 3):
        await answered(room, seq, None)
    assert await supervise(room.context, JOB) is JobResult.DONE
    assert not room.model.requests
    assert not await room.records("supervision")
    state = await room.session()
    assert (state.watermarks.supervised, state.supervision_log[-1].data) == (3, {"left_out": [1, 2, 3]})
    before = await room.documents()
    assert await supervise(room.context, JOB) is JobResult.MOOT
    assert await room.documents() == before
