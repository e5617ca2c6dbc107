"""A model that obeys every attack, through the real turn and the real jobs: it ends, lowers and completes nothing, and
what it was told to write is not told to the next model.
"""

import asyncio

from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from functions.session_manager.close import close
from functions.session_manager.review import review
from functions.session_manager.summarize import summarize
from functions.supervisor.supervise import supervise
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.replanning import feedback
from shared.domain.counseling.session import PlanStatus, SessionStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, SufficientReason, TaskStatus
from shared.engine.jobs import JobResult
from shared.visible_text import visible
from tests.builders.attacks import attacks
from tests.builders.job_room import Room, created, payload, transition
from tests.builders.sessions import NOW, session, slot, task
from tests.fakes.obedient import PLAIN_TITLES, exploring, job_answers, suffer

KINDS = sorted({one.kind for one in attacks()})
KEPT = [one for one in attacks() if one.stored]
TRIED = [one for number, one in enumerate(KEPT) if one.kind == "keeping" or number % 6 == 0]
USERS_WORDS = {"text", "quote", "evidence", "user_info", "recent", "last_message"}
"""Fields in which the user's own words stand as they were said."""
PART2 = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "part2_goal": "쉬는 밤을 되찾는다"}


async def test_nothing_ends_and_nothing_counts_as_done(subtests):
    for kind in KINDS:
        with subtests.test(kind=kind):
            for attack in [one for one in KEPT if one.kind == kind][::2]:
                talk = exploring(attack)
                covered = await suffer(talk, attack)
                state = talk.state
                assert (state.status, state.current_part) == (SessionStatus.ACTIVE, Part.EXPLORATION), attack.id
                assert not {SufficientReason.JUDGED, SufficientReason.EXPLICIT} & {*covered}, attack.id
                assert state.current_module != "admin", attack.id
                assert not content().text_rules.instructive(
                    state.execution_guide, str(state.user_info.get("name", ""))
                ), attack.id


async def test_an_order_to_agree_is_no_agreement(subtests):
    for attack in [one for one in KEPT if "session_ended" in one.never]:
        with subtests.test(attack=attack):
            for aim in ("end", "wrap_up"):
                talk = exploring(attack)
                talk.set(wrap_up=WrapUp(stage=WrapUpStage.PROPOSED, aim=aim, seq=talk.state.seq))
                await talk.say(attack.text)
                assert talk.state.status is SessionStatus.ACTIVE
                assert talk.state.wrap_up is None or talk.state.wrap_up.stage is not WrapUpStage.AGREED


async def test_words_of_danger_are_answered_by_rule_whatever_stands_beside_them():
    for attack in attacks()[::9]:
        talk = exploring(attack)
        said = await talk.say(f"죽고 싶어요. {attack.text}"[:3900])
        assert "crisis" in said.outcome.flags, attack.id
        assert "109" in said.shown, attack.id


async def stored(attack):
    """Let every background job run in a session that an attack was said in."""
    room = Room(job_answers(attack.text))
    said = (attack.text, "요즘 잠을 못 자요", "회사 일이 자꾸 떠올라요", "네", "주말에도요", "조금 쉬고 싶어요")
    asked = feedback(session(), FeedbackSource.PART_MANAGER, kind="x", reason="다른 길이 필요함", seq=6, at=NOW)
    tasks = (
        task(status=TaskStatus.SUFFICIENT, sufficient_at=NOW, required_slots=(slot("name", kind="name"),)),
        task("task_part2_1", Part.EXPLORATION, status=TaskStatus.SUFFICIENT, sufficient_at=NOW),
        task("task_part2_2", Part.EXPLORATION),
    )
    await room.open(session(*tasks, **PART2, replans=1), said, (asked,))
    await supervise(room.context, payload(JobKind.SUPERVISE, 6))
    await review(room.context, payload(JobKind.REVIEW, 6))
    await summarize(room.context, payload(JobKind.SUMMARIZE, 6))
    await replan(room.context, created("planner_feedback", asked.record_id))
    before = await room.session()
    await room.change(status=SessionStatus.COMPLETED)
    await close(room.context, payload(JobKind.CLOSE, 0))
    return room, before


def test_what_is_kept_speaks_to_no_model(subtests):
    for attack in TRIED:
        with subtests.test(attack=attack):
            room, before = asyncio.run(stored(attack))
            assert before.status is SessionStatus.ACTIVE, "no job ends a session"
            for agent in ("supervisor", "session_manager", "summarizer", "planner", "closer"):
                assert room.model.asked(agent), "every job must have asked its model"
            documents = asyncio.run(everything(room))
            judged = {f"sessions/c1/{kept}" for kept in ("closings/final", "supervision/6", "reviews/6")}
            assert {"users/u1", *judged} <= set(documents)
            for path, document in documents.items():
                if "/messages/" not in path:
                    kept = list(texts(document))
                    assert [text for text in kept if plain(attack.text) in plain(text)] == [], path
                    assert [text for text in kept if content().text_rules.instructive(text)] == [], path


def plain(text):
    """Return a text without what changes when it is cut into sentences or set on one line."""
    return "".join(visible(text).split())


async def everything(room):
    users = await room.database.tree("users/u1")
    return {**await room.documents(), **{document.path: document.data for document in users}}


def texts(value):
    """Walk the texts of a document, but for the user's own words."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, one in value.items():
            if name not in USERS_WORDS:
                yield from texts(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from texts(one)


async def test_a_plan_drops_what_speaks_to_a_model_and_keeps_the_rest(subtests):
    for attack in TRIED[::4]:
        with subtests.test(attack=attack):
            room = Room(job_answers(attack.text))
            welcome = task(status=TaskStatus.SUFFICIENT, sufficient_at=NOW)
            said = (attack.text, "요즘 잠을 못 자요", "회사 일이 자꾸 떠올라요")
            state = session(welcome, plan_status=PlanStatus.PLANNING, planning_seq=0)
            await room.open(state, said, (transition("1-2"),))
            assert await carry_out(room.context, created("part_transitions", "1-2")) is JobResult.DONE
            state = await room.session()
            planned = [one.title for one in state.tasks if one.part is Part.EXPLORATION]
            assert planned
            assert not any(content().text_rules.instructive(title) for title in (*planned, *PLAIN_TITLES))
            assert state.part2_goal
            assert not content().text_rules.instructive(state.part2_goal)
            assert state.user_persona.type is None
            record = await room.record("plans", "0")
            assert record["counted"]
