"""Supervision, delivered as queues deliver it: the judged replies, the limits and the flags for reviewers."""

from collections.abc import Mapping

import pytest

from functions.supervisor.judgement import Judgement
from functions.supervisor.supervise import supervise
from shared.adapters.documents import paths, writes
from shared.contracts.tasks import JobKind
from shared.domain.counseling.directive import Directive, Stance
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.session import PlanStatus
from shared.domain.counseling.task import Part, SufficientReason
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.ids import TaskId
from shared.engine.jobs import JobResult
from shared.locale import Locale
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.builders import answers
from tests.builders.job_room import ID, Room, payload
from tests.builders.sessions import NOW, session, task
from tests.builders.turn_records import turn_record
from tests.support.tags import element

SAID = ("요즘 회사 가기가 무서워요", "팀장님이 다들 보는 데서 혼내요", "잠도 잘 못 자요")
MORE_SAID = (*SAID, "네", "맞아요", "그래요")
PART2: Mapping[str, object] = {
    "current_part": Part.EXPLORATION,
    "plan_status": PlanStatus.READY,
    "part2_goal": "목표",
    "tasks": (task(part=Part.EXPLORATION),),
}
STRATEGY = {"strategy_change": True, "strategy": "감정을 먼저 다루는 과제로"}
CRISIS = Risk(level=RiskLevel.CRISIS, since_seq=2, last_seq=2)
JOB = payload(JobKind.SUPERVISE, 3)


def judgement(score: int = 8, **more: object) -> Judgement:
    said = {"improvements": ("까닭을 되비춰 주세요.",), "strengths": ("천천히 물었습니다.",)}
    return answers.judgement(score, **{**said, **more})


async def opened(answer: object = None, said: tuple[str, ...] = SAID, **fields: object) -> Room:
    room = Room({"supervisor": answer or judgement()})
    await room.open(session(**{"tasks": (task(),), **fields}), said)
    return room


async def test_a_judgement_of_the_newest_turns_is_stored_in_session_and_record() -> None:
    room = await opened(judgement(6))
    assert await supervise(room.context, JOB) is JobResult.DONE
    state = await room.session()
    assert state.watermarks.supervised == 3
    gist = state.supervision_log[-1]
    assert (gist.seq, gist.data["total"], gist.data["needs_improvement"]) == (3, 6.0, True)
    assert gist.data["improvements"] == ["까닭을 되비춰 주세요."]
    record = await room.record("supervision", "3")
    assert record["total"] == 6.0
    assert gist.data["scores"] == record["scores"], "the Task Completion Checker goes by the task's own score"
    assert record["strengths"] == ["천천히 물었습니다."]
    assert state.budget.background_calls == 1


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_rubric_dialogue_and_register(locale: Locale) -> None:
    room = await opened(said=("<b>무서워요</b>", *SAID[1:]), locale=locale)
    await supervise(room.context, JOB)
    (request,) = room.model.asked("supervisor")
    assert "advice against" in request.system or "instruction against the task's restriction" in request.system
    assert "no-suicide contract" in request.system
    asked = request.messages[0].text
    assert "‹b›무서워요‹/b›" in asked
    assert "존댓말" in asked
    assert "안녕하세요." not in asked


@pytest.mark.parametrize("order", [(3, 6), (6, 3)])
async def test_jobs_in_any_order_and_repeated_lead_to_the_same_state(order: tuple[int, int]) -> None:
    covered = TaskCovered(task_id=TaskId("task_a"), reason=SufficientReason.REPLY, evidence="네", seq=2)
    room = Room({"supervisor": judgement()})
    await room.open(covered.apply(session(task()), NOW), MORE_SAID)
    results = [await supervise(room.context, payload(JobKind.SUPERVISE, seq)) for seq in order for _ in range(3)]
    assert results.count(JobResult.DONE) == 2
    assert (await room.records("supervision"), await room.records("completions")) == ({"3", "6"}, {"2-task_a"})
    state = await room.session()
    assert [entry.seq for entry in state.supervision_log] == [3, 6]
    assert (state.watermarks.supervised, state.watermarks.completions) == (6, 2)


async def test_the_record_names_the_correction_and_holds_the_corrected_score() -> None:
    room = await opened(judgement(8).model_dump_json(by_alias=True).replace('"empathy":8', '"empathy":11'))
    assert await supervise(room.context, JOB) is JobResult.DONE
    record = await room.record("supervision", "3")
    assert (record["corrected"], record["scores"]["empathy"]) == (["score_off_the_scale"], 10)
    assert len(room.model.asked("supervisor")) == 1


@pytest.mark.parametrize(
    ("fields", "asked"),
    [(PART2, 1), ({}, 0), ({**PART2, "part2_task_update_count": PART2_MAX_REPLANS}, 0), ({**PART2, "risk": CRISIS}, 0)],
)
async def test_a_strategy_change_asks_the_planner_only_in_part_2_below_the_limit_and_without_risk(
    fields: Mapping[str, object], asked: int
) -> None:
    room = await opened(judgement(**STRATEGY), **fields)
    assert await supervise(room.context, JOB) is JobResult.DONE
    assert (await room.session()).replans == asked
    assert len(await room.records("planner_feedback")) == asked


async def test_an_overtaken_judgement_sends_no_planner_feedback() -> None:
    room = await opened(judgement(**STRATEGY), MORE_SAID, **PART2)
    await supervise(room.context, payload(JobKind.SUPERVISE, 6))
    asked = await room.records("planner_feedback")
    assert len(asked) == 1
    await supervise(room.context, JOB)
    assert await room.records("planner_feedback") == asked


async def test_a_job_that_is_not_due_or_of_a_missing_session_is_moot() -> None:
    room = await opened()
    for seq in (0, 2, 7):
        assert await supervise(room.context, payload(JobKind.SUPERVISE, seq)) is JobResult.MOOT
    assert not room.model.requests
    assert await supervise(Room().context, JOB) is JobResult.MOOT


async def test_a_turn_during_the_model_call_is_not_overwritten() -> None:
    room = await opened()
    room.model.meanwhile = lambda: room.change(user_info={"name": "민지"})
    assert await supervise(room.context, JOB) is JobResult.DONE
    state = await room.session()
    assert (state.user_info, state.watermarks.supervised) == ({"name": "민지"}, 3)


@pytest.mark.parametrize(
    ("score", "red", "violated", "reasons"),
    [
        (8, False, False, []),
        (5, False, False, []),
        (4, False, False, ["low_supervision"]),
        (9, False, True, []),
        (8, True, False, ["red_item"]),
        (3, True, True, ["red_item"]),
    ],
)
async def test_a_red_item_or_a_low_total_is_flagged_for_reviewers_but_a_register_slip_is_not(
    *, score: int, red: bool, violated: bool, reasons: list[str]
) -> None:
    room = await opened(judgement(score, red_item=red, register_or_restriction_violated=violated))
    for _ in range(2):
        await supervise(room.context, JOB)
    mark = (await room.session()).staff_review
    flags = [(flag.reason.value, flag.seqs, flag.count) for flag in mark.flags] if mark else []
    assert flags == [(reason, (3,), 1) for reason in reasons]


class TestFixedReplies:
    """They are shown as context and are not judged."""

    async def supervised(self, *stances: Stance | None, flags: tuple[str, ...] = (), locale: str = "ko") -> Room:
        """Supervise turns with these stances; a turn without a stance has a fixed reply."""
        room = await opened(locale=locale)
        about = {"part": Part.OPENING, "module_id": "m", "module_name": "관계", "module_summary": ("천천히",)}
        for seq, stance in enumerate(stances, start=1):
            directive = (
                Directive.model_validate({"stance": stance, **about}).model_dump(mode="json") if stance else None
            )
            record = turn_record(ID, seq, text=SAID[seq - 1], directive=directive)
            record = record.model_copy(update={"result": record.result.model_copy(update={"flags": flags})})
            await room.database.commit([writes.create(paths.turn(ID, record.message_id), record)])
        assert await supervise(room.context, JOB) is JobResult.DONE
        return room

    @pytest.mark.parametrize(
        ("locale", "fixed"), [("ko", "상담사: (정해진 문구) "), ("en", "Counsellor: (fixed text) ")]
    )
    async def test_are_shown_as_fixed_text_and_left_out_of_the_judgement(self, locale: str, fixed: str) -> None:
        room = await self.supervised(Stance.WORK, None, Stance.CARE, locale=locale)
        asked = room.model.asked("supervisor")[0].messages[0].text
        shown = element(asked, "dialogue").splitlines()
        assert [line.startswith(fixed) for line in shown if "(2)" in line] == [True]
        assert sum(line.startswith(fixed) for line in shown) == 1
        assert element(asked, "stance") == "care"
        assert (await room.record("supervision", "3"))["left_out"] == [2]

    async def test_do_not_hide_the_directive_of_the_newest_judged_reply(self) -> None:
        room = await self.supervised(Stance.WORK, Stance.BRIDGE, None)
        assert element(room.model.asked("supervisor")[0].messages[0].text, "stance") == "bridge"

    async def test_include_replies_of_a_degraded_turn(self) -> None:
        room = await self.supervised(Stance.WORK, flags=("degraded",))
        assert (await room.record("supervision", "3"))["left_out"] == [1]

    async def test_alone_cause_no_model_call_and_count_as_supervised(self) -> None:
        room = await self.supervised(None, None, None)
        assert not room.model.requests
        assert not await room.records("supervision")
        state = await room.session()
        assert (state.watermarks.supervised, state.supervision_log[-1].data) == (3, {"left_out": [1, 2, 3]})
        before = await room.documents()
        assert await supervise(room.context, JOB) is JobResult.MOOT
        assert await room.documents() == before
