"""Supervision, delivered as queues deliver it: of which replies, within which bounds, and what reviewers see of it."""

import re
from collections.abc import Mapping

import pytest

from functions.supervisor.judgement import Judgement
from functions.supervisor.supervise import supervise
from shared.adapters.documents import paths, writes
from shared.contracts.tasks import JobKind
from shared.domain.counseling.directive import Directive, Stance
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.session import PlanStatus, SessionStatus
from shared.domain.counseling.supervision import Criterion
from shared.domain.counseling.task import Part
from shared.engine.jobs import JobResult
from shared.locale import Locale
from shared.safety.follow_through import Risk
from shared.safety.levels import RiskLevel
from tests.builders import answers
from tests.builders.job_room import ID, Room, payload
from tests.builders.sessions import session, task
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


async def test_the_newest_turns_are_judged_and_written_at_once() -> None:
    room = await opened(judgement(6))
    assert await supervise(room.context, JOB) is JobResult.DONE
    state = await room.session()
    assert state.watermarks.supervised == 3
    gist = state.supervision_log[-1]
    assert (gist.seq, gist.data["total"], gist.data["needs_improvement"]) == (3, 6.8, True), "six by the model, two 9"
    assert gist.data["improvements"] == ["까닭을 되비춰 주세요."]
    record = await room.record("supervision", "3")
    assert record["total"] == 6.8
    assert gist.data["scores"] == record["scores"], "the Task Completion Checker goes by the task's own score"
    assert record["strengths"] == ["천천히 물었습니다."]
    assert state.budget.background_calls == 1


RUBRIC = {
    Locale.KO: ("감정과 그 이유를 내담자가 쓴 말로", "죽지 않겠다는 약속을 받아 냄"),
    Locale.EN: ("feeling plus reason", "no-suicide contract"),
}
SOURCES = re.compile("MITI|CTRS|EPITOME|ESC-Eval|VERA|CounselBench")


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_holds_dialogue_and_rubric_in_its_language_without_sources_and_what_code_counts(
    locale: Locale,
) -> None:
    room = await opened(said=("<b>무서워요</b>", *SAID[1:]), locale=locale)
    await supervise(room.context, JOB)
    (request,) = room.model.asked("supervisor")
    assert [words for words in RUBRIC[locale] if words not in request.system] == []
    named = set(re.findall(r'<criterion name="(\w+)">', request.system))
    assert named == set(Criterion) - {Criterion.REGISTER, Criterion.LENGTH}
    assert not SOURCES.search(request.system)
    rubric = element(request.system, "rubric")
    assert bool(re.search("[가-힣]", rubric)) == (locale is Locale.KO)
    asked = request.messages[0].text
    assert "‹b›무서워요‹/b›" in asked
    assert "안녕하세요." not in asked


async def test_what_is_counted_goes_into_the_record_and_asks_for_improvement() -> None:
    room = Room({"supervisor": judgement(9)})
    room.reply = f"{'그 밤이 참 길게 느껴지셨겠어요. ' * 12}언제부터예요? 왜요?"
    await room.open(session(tasks=(task(),)), SAID)
    await supervise(room.context, JOB)
    record = await room.record("supervision", "3")
    assert (record["scores"]["length"], record["scores"]["appropriate_questions"]) == (2, 4)
    assert record["improvements"][0] == "한 답에는 하나만 물으세요."
    assert "두세 문장" in record["improvements"][1]
    assert (record["needs_improvement"], record["corrected"]) == (True, ["questions_counted"])


async def test_what_was_corrected_stands_in_the_record_and_the_next_turn_gets_the_result() -> None:
    room = await opened(judgement(8).model_dump_json(by_alias=True).replace('"empathy":8', '"empathy":11'))
    assert await supervise(room.context, JOB) is JobResult.DONE
    record = await room.record("supervision", "3")
    assert (record["corrected"], record["scores"]["empathy"]) == (["score_off_the_scale"], 10)
    assert len(room.model.asked("supervisor")) == 1


@pytest.mark.parametrize(
    ("fields", "asked"),
    [(PART2, 1), ({}, 0), ({**PART2, "part2_task_update_count": PART2_MAX_REPLANS}, 0), ({**PART2, "risk": CRISIS}, 0)],
)
async def test_another_strategy_asks_the_planner_within_bounds(fields: Mapping[str, object], asked: int) -> None:
    room = await opened(judgement(**STRATEGY), **fields)
    assert await supervise(room.context, JOB) is JobResult.DONE
    assert (await room.session()).replans == asked
    assert len(await room.records("planner_feedback")) == asked


async def test_an_overtaken_judgement_asks_for_no_other_plan() -> None:
    room = await opened(judgement(**STRATEGY), MORE_SAID, **PART2)
    await supervise(room.context, payload(JobKind.SUPERVISE, 6))
    asked = await room.records("planner_feedback")
    assert len(asked) == 1
    await supervise(room.context, JOB)
    assert await room.records("planner_feedback") == asked


async def test_each_turn_is_judged_once() -> None:
    room = await opened(judgement(6), MORE_SAID)
    for seq in (6, 3, 6):
        await supervise(room.context, payload(JobKind.SUPERVISE, seq))
    assert await room.records("supervision") == {"6"}
    assert len(room.model.asked("supervisor")) == 1


@pytest.mark.parametrize(
    ("locale", "order", "given"),
    [
        ("ko", "[지시]", "조언이나 방법을 구했다. 이 답에서는 조언을 금하지 않음. 묻지 않기."),
        ("en", "[order]", "No restriction on advice holds. Ask nothing."),
    ],
)
async def test_the_prompt_names_what_a_reply_was_ordered_to_do_before_it(locale: str, order: str, given: str) -> None:
    about = {"part": Part.OPENING, "module_id": "m", "module_name": "관계", "module_summary": ("천천히",)}
    plain = Directive.model_validate({"stance": Stance.WORK, "restrictions": "조언하지 않는다", **about})
    lifted = plain.model_copy(update={"restrictions": None, "notices": ("give_step", "fill_slot"), "quiet": True})
    room = await opened(locale=locale)
    for seq, directive in enumerate((plain, lifted, plain), start=1):
        await room.turn(seq, directive)
    await supervise(room.context, JOB)
    (request,) = room.model.asked("supervisor")
    shown = element(request.messages[0].text, "dialogue").strip().splitlines()
    ordered = [(number, given in line) for number, line in enumerate(shown) if line.startswith(order)]
    assert ordered == [(3, True)]
    assert element(request.messages[0].text, "restrictions") == "조언하지 않는다"
    assert f'"{order}"' in request.system


async def test_what_is_not_due_ended_or_never_was_is_moot() -> None:
    room = await opened()
    for seq in (0, 2, 7):
        assert await supervise(room.context, payload(JobKind.SUPERVISE, seq)) is JobResult.MOOT
    await room.change(status=SessionStatus.COMPLETED)
    assert await supervise(room.context, JOB) is JobResult.MOOT
    assert not room.model.requests
    assert await supervise(Room().context, JOB) is JobResult.MOOT


@pytest.mark.parametrize("erased", [False, True])
async def test_a_session_that_ends_or_is_erased_meanwhile_gets_nothing(*, erased: bool) -> None:
    room = await opened()
    room.model.meanwhile = lambda: room.store.erase(ID) if erased else room.change(status=SessionStatus.COMPLETED)
    assert await supervise(room.context, JOB) is JobResult.MOOT
    assert not await room.records("supervision")
    if erased:
        assert not await room.documents()
    else:
        assert (await room.session()).budget.background_calls == 1


async def test_a_turn_that_comes_between_is_not_overwritten() -> None:
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
        (3, False, False, ["low_supervision"]),
        (9, False, True, []),
        (8, True, False, ["red_item"]),
        (3, True, True, ["red_item"]),
    ],
)
async def test_reviewers_are_to_look_at_a_red_item_and_a_low_total_and_not_at_a_slip_of_register(
    *, score: int, red: bool, violated: bool, reasons: list[str]
) -> None:
    room = await opened(judgement(score, red_item=red, restriction_violated=violated))
    for _ in range(2):
        await supervise(room.context, JOB)
    mark = (await room.session()).staff_review
    flags = [(flag.reason.value, flag.seqs, flag.count) for flag in mark.flags] if mark else []
    assert flags == [(reason, (3,), 1) for reason in reasons]


class TestRepliesThatNoModelMade:
    """They are context: nobody is judged for them."""

    async def answered(self, room: Room, *stances: Stance | None, flags: tuple[str, ...] = ()) -> None:
        """Store the records of turns; without a stance no model was directed."""
        about = {"part": Part.OPENING, "module_id": "m", "module_name": "관계", "module_summary": ("천천히",)}
        for seq, stance in enumerate(stances, start=1):
            directive = (
                Directive.model_validate({"stance": stance, **about}).model_dump(mode="json") if stance else None
            )
            record = turn_record(ID, seq, text=SAID[seq - 1], directive=directive)
            record = record.model_copy(update={"result": record.result.model_copy(update={"flags": flags})})
            await room.database.commit([writes.create(paths.turn(ID, record.message_id), record)])

    @pytest.mark.parametrize(("locale", "fixed"), [("ko", "[안내] "), ("en", "[notice] ")])
    async def test_are_shown_as_fixed_text_and_left_out(self, locale: str, fixed: str) -> None:
        room = await opened(locale=locale)
        await self.answered(room, Stance.WORK, None, Stance.CARE)
        assert await supervise(room.context, JOB) is JobResult.DONE
        asked = room.model.asked("supervisor")[0].messages[0].text
        shown = element(asked, "dialogue").splitlines()
        assert [line.startswith(fixed) for line in shown if "(2)" in line] == [True]
        assert sum(line.startswith(fixed) for line in shown) == 1
        assert element(asked, "stance") == "care"
        record = await room.record("supervision", "3")
        assert record["left_out"] == [2]

    async def test_hide_no_directive_of_the_newest_judged_one(self) -> None:
        room = await opened()
        await self.answered(room, Stance.WORK, Stance.BRIDGE, None)
        await supervise(room.context, JOB)
        assert element(room.model.asked("supervisor")[0].messages[0].text, "stance") == "bridge"

    async def test_are_those_of_an_honest_failure_as_well(self) -> None:
        room = await opened()
        await self.answered(room, Stance.WORK, flags=("degraded",))
        await supervise(room.context, JOB)
        record = await room.record("supervision", "3")
        assert record["left_out"] == [1]

    async def test_alone_are_judged_by_nobody_and_the_work_is_done(self) -> None:
        room = await opened()
        await self.answered(room, None, None, None)
        assert await supervise(room.context, JOB) is JobResult.DONE
        assert not room.model.requests
        assert not await room.records("supervision")
        state = await room.session()
        assert (state.watermarks.supervised, state.supervision_log[-1].data) == (3, {"left_out": [1, 2, 3]})
        before = await room.documents()
        assert await supervise(room.context, JOB) is JobResult.MOOT
        assert await room.documents() == before


class TestPartsThatCodeWorded:
    """They stand in the prompt apart from the Counselor's words, and nobody is judged for them."""

    NOTICE, QUESTION = "저는 AI 상담사예요.", "오늘은 여기서 마칠까요?"

    @pytest.mark.parametrize(("locale", "mark"), [("ko", "[안내]"), ("en", "[notice]")])
    async def test_are_lines_of_their_own_that_the_prompt_explains(self, locale: str, mark: str) -> None:
        room = await opened(locale=locale)
        own = "많이 무서우셨겠어요."
        await room.replied(1, f"{self.NOTICE}\n\n{own} {self.QUESTION}", self.NOTICE, self.QUESTION)
        await supervise(room.context, JOB)
        (request,) = room.model.asked("supervisor")
        shown = element(request.messages[0].text, "dialogue").strip().splitlines()
        assert shown[1] == f"{mark} {self.NOTICE}"
        assert shown[2].endswith(f": {own}")
        assert shown[3] == f"{mark} {self.QUESTION}"
        assert f'"{mark}"' in request.system

    async def test_count_neither_as_questions_nor_as_length(self) -> None:
        room = await opened(judgement(9))
        lines = "도움 받을 곳: 109, 119. " * 30
        own = "그 밤이 참 길게 느껴지셨겠어요. 무엇이 가장 무서우세요?"
        for seq in (1, 2, 3):
            await room.replied(seq, f"{own}\n\n{lines}\n\n{self.QUESTION}", lines, self.QUESTION)
        await supervise(room.context, JOB)
        record = await room.record("supervision", "3")
        assert (record["scores"]["length"], record["scores"]["appropriate_questions"]) == (9, 9)
        assert record["corrected"] == []

    async def test_leave_a_reply_out_that_has_no_other_words(self) -> None:
        room = await opened()
        await room.replied(1, "안녕히 가세요.", "안녕히 가세요.")
        await supervise(room.context, JOB)
        record = await room.record("supervision", "3")
        assert record["left_out"] == [1]

    async def test_alone_ask_no_model(self) -> None:
        room = await opened()
        for seq in (1, 2, 3):
            await room.replied(seq, self.QUESTION, self.QUESTION)
        assert await supervise(room.context, JOB) is JobResult.DONE
        assert not room.model.requests
