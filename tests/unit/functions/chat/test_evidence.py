"""What is evidence for a task: signs of several turns, and no words about a danger or that go round in circles."""

import pytest

from shared.domain.counseling.task import TaskKind, TaskStatus, signs_needed
from shared.domain.counseling.task_events import TaskStarted
from tests.builders.answers import reads
from tests.builders.sessions import slot, task
from tests.builders.talk import Talk

PLAIN, WORSE = "어제는 바다에 다녀왔어요", "잠도 못 자고 회사에서 눈물이 나요"
DARK, SAFE, SAFE_TOO = "죽고 싶어요", "지금은 안전해요. 죽을 생각은 없어요", "네, 저 안전해요. 이제 죽고 싶지 않아요"


@pytest.fixture
def judged(talk):
    """Part 2 with one judged task in progress and one that waits."""
    talk.plan(task("first", 2, min_turns=2), task("second", 2))
    talk.work_on("first")
    return talk


async def read(talk, *signs, text=PLAIN, **more):
    talk.model.scripts["reader"] = reads(*signs, **{"next_task": "first"} | more)
    return await talk.say(text)


def first(talk):
    one = talk.state.task("first")
    return one.status, one.signs


NOTHING = (TaskStatus.IN_PROGRESS, ())


class TestSafetyGoesFirst:
    @pytest.mark.parametrize(
        "said", [[DARK, SAFE, SAFE_TOO], ["사는 게 의미가 없는 것 같아요", "아니요, 그런 뜻은 아니에요"]]
    )
    async def test_words_about_a_danger_cover_no_task_and_count_no_turn(self, judged, said):
        for text in said:
            await read(judged, "complete", text=text)
        assert (first(judged), judged.state.task("first").turns_spent) == (NOTHING, 0)

    @pytest.mark.parametrize(
        ("told", "safe"),
        [
            ("남편이 저를 때려요", ["네, 지금은 안전해요", "네, 언니한테 알렸어요", "네, 언니 집에 와 있어요"]),
            ("친구가 죽고 싶대요", ["네, 안전하대요", "아니요, 저는 그런 생각 없어요", "네, 부모님이랑 있대요"]),
        ],
    )
    async def test_answers_to_a_question_about_safety_are_no_evidence_then_or_later(self, judged, told, safe):
        judged.model.scripts["counselor"] = "말씀해 주셔서 고마워요. 지금은 안전하세요?"
        await read(judged, text=told)
        for text in safe:
            await read(judged, "complete", text=text)
        assert first(judged) == NOTHING
        await read(judged, "complete", quote=safe[0])
        assert first(judged) == NOTHING, "a sign needs words of the newest message"

    @pytest.mark.parametrize("danger", ["own_concern", "own_crisis"])
    async def test_a_danger_that_the_model_finds_covers_nothing_in_its_turn(self, judged, danger):
        await read(judged, "complete", danger=danger)
        assert first(judged) == NOTHING


class TestAJudgedTask:
    async def test_is_covered_by_signs_of_two_turns_with_the_newest_words_as_evidence(self, judged):
        await read(judged, "complete")
        assert first(judged) == (TaskStatus.IN_PROGRESS, (1,))
        await read(judged, "complete", text=WORSE)
        assert first(judged)[0] is TaskStatus.SUFFICIENT
        assert judged.state.completion_log[-1].data["evidence"] == WORSE

    async def test_takes_no_sign_from_a_correction_or_a_message_in_circles(self, judged):
        await read(judged)
        for sign in ("misread", "circular"):
            await read(judged, "complete", sign)
        assert first(judged) == NOTHING

    async def test_stays_open_in_the_turn_of_a_new_feeling_at_its_bound_but_not_for_ever(self, talk):
        talk.plan(task("first", 2, max_turns=2), task("second", 2))
        talk.work_on("first")
        seen = []
        for feeling in ("sadness", "anger", "shame", "fear", "anxiety"):
            await read(talk, feeling=(feeling, 6))
            seen.append(first(talk)[0])
        assert (seen[1], TaskStatus.SUFFICIENT in seen) == (TaskStatus.IN_PROGRESS, True)

    async def test_needs_new_signs_after_it_is_taken_up_again(self, judged):
        for _ in range(2):
            await read(judged, "complete")
        judged.happen(TaskStarted(task_id="first"))
        assert first(judged) == NOTHING

    def test_of_a_pattern_or_a_way_of_coping_needs_three(self):
        kinds = {kind: signs_needed(kind) for kind in (TaskKind.EXPLORATION, TaskKind.PATTERN, TaskKind.COPING)}
        assert list(kinds.values()) == [2, 3, 3]


@pytest.mark.parametrize(
    ("task_of", "more"),
    [({"completion_rule": "reply"}, {}), ({"required_slots": (slot("point"),)}, {"told": {"point": "잠"}})],
)
async def test_a_task_that_a_reply_or_values_complete_is_not_covered_by_words_in_circles(talk, task_of, more):
    await talk.say("어제는 집에 있었어요")
    talk.plan(task("first", 2, **task_of), task("second", 2))
    talk.work_on("first")
    covered = []
    for signs in (("circular",), ()):
        await read(talk, *signs, **more)
        covered.append(talk.state.task("first").covered)
    assert covered == [False, True]


async def test_a_correction_is_counted_and_repaired_without_a_question_for_a_slot():
    talk = Talk()
    said = await read(talk, "misread", text="그 뜻이 아니었어요. 화난 게 아니라 지친 거예요")
    assert (talk.state.misreads, said.directive["notices"], said.ask) == (1, ["apologise"], None)
