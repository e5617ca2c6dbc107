"""The choice of the next task: the model's answer among the waiting tasks, and its prompt."""

import pytest

from functions.chat.flows.counseling.prompting import limit_field
from functions.chat.flows.counseling.selectors.module_selector import ModulePick
from functions.chat.flows.counseling.selectors.task_selector import TaskChoice
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.records import FeedbackSource
from shared.domain.errors import ModelUnavailable
from shared.locale import Locale
from tests.builders.answers import module_pick, task_choice, user_state_reading
from tests.builders.sessions import slot, task
from tests.builders.talk import Talk
from tests.support.tags import element

SELECTOR, DETECTOR = "task_selector", "user_state_detector"
PLAIN, MOTHER = "오늘은 그냥 집에 있었어요", "이제 어머니 이야기를 하고 싶어요"
NOTHING = task_choice(task_id="none", feedback_to_task_planner="직장 이야기를 다룰 과제가 없습니다")
ELSEWHERE = user_state_reading(topic_changed=True)


@pytest.fixture
def turned(waiting):
    """Part 2 with three tasks that wait, and a user who changes the topic."""
    waiting.model.scripts[DETECTOR] = ELSEWHERE
    return waiting


def offered(talk):
    return talk.model.asked(SELECTOR)[0].response_schema.model_json_schema()["properties"]["task_id"]["enum"]


class TestTheTask:
    async def test_is_the_models_choice_among_the_waiting_tasks_with_its_execution_guide(self, turned):
        turned.model.scripts[SELECTOR] = task_choice(task_id="low", execution_guide="천천히")
        said = await turned.say(PLAIN)
        assert turned.state.task_in_progress.id == "low"
        assert (said.directive["task_id"], said.directive["execution_guide"]) == ("low", "천천히")
        assert said.run(SELECTOR).decided_by.value == "model"
        assert offered(turned) == ["high", "medium", "low", "none"]

    async def test_that_does_not_exist_is_asked_for_again_once_and_then_the_highest_rank_is_taken(self, turned):
        turned.model.scripts[SELECTOR] = task_choice(task_id="invented")
        said = await turned.say(PLAIN)
        first, second = turned.model.asked(SELECTOR)
        assert "task_id must be one of ['high', 'low', 'medium', 'none']" in second.messages[-1].text
        assert len(first.messages) == 1
        assert turned.state.task_in_progress.id == "high"
        assert (said.run(SELECTOR).decided_by.value, said.run(SELECTOR).attempts) == ("safe_default", 2)

    async def test_is_taken_from_a_valid_second_answer(self, turned):
        turned.model.scripts[SELECTOR] = [task_choice(task_id="invented"), task_choice(task_id="medium")]
        await turned.say(PLAIN)
        assert turned.state.task_in_progress.id == "medium"

    @pytest.mark.parametrize(("text", "decided_by"), [(PLAIN, "safe_default"), ("네", "rule")])
    async def test_is_the_highest_rank_when_the_model_fails_or_after_a_backchannel(self, turned, text, decided_by):
        turned.model.scripts[SELECTOR] = ModelUnavailable("503")
        said = await turned.say(text)
        assert (turned.state.task_in_progress.id, said.run(SELECTOR).decided_by.value) == ("high", decided_by)
        assert bool(turned.model.asked(SELECTOR)) is (text == PLAIN)

    async def test_in_progress_goes_on_without_asking_the_model(self, planned):
        said = await planned.say(PLAIN)
        assert planned.model.asked(SELECTOR) == []
        assert (said.run(SELECTOR).output, said.run(SELECTOR).reason) == ("medium", "the task goes on")

    @pytest.mark.parametrize("part", [1, 2])
    async def test_is_the_next_in_the_plans_order_while_the_dialogue_goes_on_as_planned(self, waiting, part):
        talk = Talk() if part == 1 else waiting
        talk.model.scripts[SELECTOR] = ModelUnavailable("not to be asked")
        said = await talk.say(PLAIN)
        assert (talk.model.asked(SELECTOR), said.run(SELECTOR).reason) == ([], "the plan's order")
        assert talk.state.task_in_progress.id == ("task_info_1" if part == 1 else "high")

    async def test_that_is_the_only_one_left_needs_no_model(self, talk):
        talk.plan(task("only", 2))
        said = await talk.say(PLAIN)
        assert talk.state.task_in_progress.id == "only"
        assert (talk.model.asked(SELECTOR), said.run(SELECTOR).reason) == ([], "only one candidate")

    async def test_is_none_when_no_task_waits(self, talk):
        talk.plan(task("done", 2, status="completed"))
        said = await talk.say(PLAIN)
        assert (said.run(SELECTOR).reason, said.directive["stance"]) == ("no task waits", "accompany")

    async def test_that_a_turn_covers_is_followed_by_the_next_in_the_same_turn(self, talk):
        talk.plan(task("a", 2, required_slots=(slot("x"),)), task("b", 2))
        talk.work_on("a")
        talk.set(user_info={"x": ""})
        assert (await talk.say(PLAIN)).directive["task_id"] == "b"


class TestTheAnswerNone:
    async def test_records_feedback_for_the_planner_and_starts_the_highest_rank(self, turned):
        turned.model.scripts[SELECTOR] = NOTHING
        (record,) = (await turned.say(PLAIN)).records("planner_feedback")
        assert (record.source, record.status, record.seq) == (FeedbackSource.TASK_SELECTOR, "pending", 1)
        assert (record.reason, record.record_id) == (NOTHING.feedback_to_task_planner, "1-task_selector")
        assert (turned.state.replans, turned.state.task_in_progress.id) == (1, "high")

    async def test_records_feedback_and_continues_the_task_in_progress(self, planned):
        planned.model.scripts |= {DETECTOR: ELSEWHERE, SELECTOR: NOTHING}
        said = await planned.say(PLAIN)
        assert planned.state.task_in_progress.id == "medium"
        assert said.records("planner_feedback")

    @pytest.mark.parametrize(
        "counted", [{"replans": PART2_MAX_REPLANS}, {"part2_task_update_count": PART2_MAX_REPLANS}]
    )
    async def test_records_no_feedback_beyond_the_bound_of_replans(self, turned, counted):
        turned.set(**counted)
        turned.model.scripts[SELECTOR] = NOTHING
        said = await turned.say(PLAIN)
        assert (said.records("planner_feedback"), turned.state.replans) == ([], counted.get("replans", 0))


@pytest.mark.parametrize("locale", Locale)
class TestThePrompt:
    async def asked(self, locale, *before, **found):
        """Change the topic in a task, so that one is chosen again, and return the talk and the selector's prompt."""
        talk = Talk(locale=locale.value)
        talk.plan(task("low", 2, priority="low"), task("high", 2, priority="high"), task("medium", 2), goal="잠을 자기")
        talk.work_on("medium", covered=["low"])
        for text in before:
            await talk.say(text)
        talk.model.scripts[DETECTOR] = user_state_reading(topic_changed=True, **found)
        await talk.say(MOTHER)
        return talk, talk.model.asked(SELECTOR)[0]

    async def test_holds_the_users_state_and_says_that_the_task_must_suit_it(self, locale):
        for found, state in (
            ({}, "topic_change"),
            ({"resistance": "strong"}, "resistance, topic_change"),
            ({"intensity": 8, "emotion": "anger"}, "strong_emotion, topic_change"),
            ({"intensity": 4, "emotion": "sadness"}, "topic_change, clear_emotion"),
        ):
            _, prompt = await self.asked(locale, **found)
            assert element(prompt.messages[0].text, "state") == state
        suits = {Locale.KO: "지금 상태가 감당할 수 있는 것", Locale.EN: "what the client's state can bear"}
        assert suits[locale] in prompt.system

    async def test_lists_the_candidates_by_rank_and_the_goal(self, locale):
        text = (await self.asked(locale))[1].messages[0].text
        marks = {"high": 'covered="false"', "medium": 'covered="false" current="true"', "low": 'covered="true"'}
        assert [line for line in text.splitlines() if line.startswith("<candidate ")] == [
            f'<candidate id="{one}" priority="{one}" {mark}>title of {one} — target of {one}</candidate>'
            for one, mark in marks.items()
        ]
        assert element(text, "goal") == "잠을 자기"


def test_a_limited_schema_lists_the_choices_and_keeps_the_rest_of_the_original():
    own, narrowed = TaskChoice.model_json_schema(), limit_field(TaskChoice, "task_id", ("b", "a")).model_json_schema()
    assert (narrowed["properties"]["task_id"]["enum"], narrowed["required"]) == (["b", "a"], own["required"])
    assert narrowed["properties"]["task_id"]["description"] == own["properties"]["task_id"]["description"]
    assert (narrowed["title"], narrowed["description"]) == (own["title"], own["description"])
    assert list(narrowed["properties"]) == list(own["properties"]) == list(TaskChoice.model_fields)
    assert "enum" not in own["properties"]["task_id"]
    picks = limit_field(ModulePick, "module_id", ("a",))
    assert isinstance(picks.model_validate_json('{"reason": "", "module_id": "a"}'), ModulePick)
    assert picks is limit_field(ModulePick, "module_id", ("a",))
    assert module_pick().module_id == ""
