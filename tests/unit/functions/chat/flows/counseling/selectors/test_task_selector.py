import pytest

from functions.chat.flows.counseling.selectors.task_selector import TaskChoice
from shared.domain.counseling.lifecycle import PART2_MAX_REPLANS
from shared.domain.counseling.records import FeedbackSource
from shared.domain.counseling.task import TaskStatus
from shared.domain.errors import ModelUnavailable
from shared.locale import Locale
from tests.fakes.answers import task_choice, user_state_reading
from tests.fakes.counselling import slot, task
from tests.fakes.talk import REPLY, Talk
from tests.support.tags import element, elements

SELECTOR = "task_selector"
DETECTOR = "user_state_detector"
PLAIN = "오늘은 그냥 집에 있었어요"


@pytest.fixture
def planned(talk):
    """Part 2 with three tasks, none chosen yet."""
    talk.plan(task("low", 2, priority="low"), task("high", 2, priority="high"), task("medium", 2))
    return talk


class TestTheTask:
    async def test_is_the_models_choice_among_those_that_wait_with_its_guide(self, planned):
        planned.model.scripts[SELECTOR] = task_choice(task_id="low", execution_guide="천천히")
        said = await planned.say(PLAIN)
        assert planned.state.task_in_progress.id == "low"
        assert (said.directive["task_id"], said.directive["execution_guide"]) == ("low", "천천히")
        assert said.run(SELECTOR).decided_by.value == "model"

    async def test_is_asked_for_by_a_schema_that_lists_what_may_be_chosen(self, planned):
        planned.model.scripts[SELECTOR] = task_choice(task_id="low")
        await planned.say(PLAIN)
        schema = planned.model.asked(SELECTOR)[0].response_schema.model_json_schema()
        assert schema["properties"]["task_id"]["enum"] == ["high", "medium", "low", "none"]
        assert schema["title"] == "TaskChoice"
        assert list(schema["properties"]) == list(TaskChoice.model_fields)

    async def test_of_part_1_is_asked_for_by_a_schema_in_which_none_is_no_choice(self, talk):
        await talk.say(PLAIN)
        schema = talk.model.asked(SELECTOR)[0].response_schema.model_json_schema()
        assert "task_info_1" in schema["properties"]["task_id"]["enum"]
        assert "none" not in schema["properties"]["task_id"]["enum"]

    async def test_that_does_not_exist_is_asked_about_once_more_and_then_the_highest_rank_holds(self, planned):
        planned.model.scripts[SELECTOR] = task_choice(task_id="invented")
        said = await planned.say(PLAIN)
        first, second = planned.model.asked(SELECTOR)
        assert "task_id must be one of ['high', 'low', 'medium', 'none']" in second.messages[-1].text
        assert len(first.messages) == 1
        assert planned.state.task_in_progress.id == "high"
        assert (said.run(SELECTOR).decided_by.value, said.run(SELECTOR).attempts) == ("safe_default", 2)

    async def test_may_be_corrected_in_the_re_ask(self, planned):
        planned.model.scripts[SELECTOR] = [task_choice(task_id="invented"), task_choice(task_id="medium")]
        await planned.say(PLAIN)
        assert planned.state.task_in_progress.id == "medium"

    async def test_is_the_highest_rank_when_the_model_fails(self, planned):
        planned.model.scripts[SELECTOR] = ModelUnavailable("503")
        await planned.say(PLAIN)
        assert planned.state.task_in_progress.id == "high"

    async def test_goes_on_without_asking_while_it_is_in_progress(self, planned):
        planned.work_on("medium")
        said = await planned.say(PLAIN)
        assert planned.model.asked(SELECTOR) == []
        assert (said.run(SELECTOR).output, said.run(SELECTOR).reason) == ("medium", "the task goes on")

    async def test_is_chosen_anew_when_the_topic_changed(self, planned):
        planned.work_on("medium")
        planned.model.scripts[DETECTOR] = user_state_reading(topic_changed=True)
        planned.model.scripts[SELECTOR] = task_choice(task_id="low")
        await planned.say(PLAIN)
        assert planned.state.task_in_progress.id == "low"
        assert planned.state.task("medium").status is TaskStatus.PENDING

    async def test_of_part_1_goes_on_whatever_the_topic(self, talk):
        talk.work_on("task_info_1", covered=["task_welcome_1"])
        talk.model.scripts[DETECTOR] = user_state_reading(topic_changed=True)
        await talk.say(PLAIN)
        assert talk.state.current_task == "task_info_1"
        assert talk.model.asked(SELECTOR) == []

    async def test_that_alone_is_left_needs_no_model(self, talk):
        talk.plan(task("only", 2))
        said = await talk.say(PLAIN)
        assert talk.state.task_in_progress.id == "only"
        assert (talk.model.asked(SELECTOR), said.run(SELECTOR).reason) == ([], "only one candidate")

    async def test_is_the_highest_rank_when_nothing_was_said_that_one_could_fit(self, planned):
        said = await planned.say("네")
        assert (planned.model.asked(SELECTOR), said.run(SELECTOR).decided_by.value) == ([], "rule")
        assert planned.state.task_in_progress.id == "high"

    async def test_there_is_none_when_nothing_is_left(self, talk):
        talk.plan(task("done", 2, status="completed"))
        said = await talk.say(PLAIN)
        assert (said.run(SELECTOR).reason, said.directive["stance"]) == ("no task waits", "accompany")

    async def test_covered_in_this_turn_makes_way_for_the_next_in_this_turn(self, talk):
        talk.plan(task("a", 2, required_slots=(slot("x"),)), task("b", 2))
        talk.work_on("a")
        talk.set(user_info={"x": ""})
        said = await talk.say(PLAIN)
        assert said.directive["task_id"] == "b"

    async def test_goes_on_when_none_fits_and_one_is_in_progress(self, planned):
        planned.work_on("medium")
        planned.model.scripts[DETECTOR] = user_state_reading(topic_changed=True)
        planned.model.scripts[SELECTOR] = task_choice(task_id="none", feedback_to_task_planner="다른 이야기")
        said = await planned.say(PLAIN)
        assert planned.state.task_in_progress.id == "medium"
        assert said.records("planner_feedback")

    async def test_needs_no_model_where_nothing_was_said_that_it_could_fit(self, planned):
        said = await planned.say("네")
        assert planned.model.asked(SELECTOR) == []
        assert planned.state.task_in_progress.id == "high"
        assert said.run(SELECTOR).decided_by.value == "rule"


class TestNoneFits:
    nothing = task_choice(task_id="none", feedback_to_task_planner="직장 이야기를 다룰 과제가 없습니다")

    async def test_tells_the_planner_and_goes_on_with_the_highest_rank(self, planned):
        planned.model.scripts[SELECTOR] = self.nothing
        said = await planned.say(PLAIN)
        (record,) = said.records("planner_feedback")
        assert (record.source, record.status, record.seq) == (FeedbackSource.TASK_SELECTOR, "pending", 1)
        assert (record.reason, record.record_id) == ("직장 이야기를 다룰 과제가 없습니다", "1-task_selector")
        assert (planned.state.replans, planned.state.task_in_progress.id) == (1, "high")

    async def test_is_no_answer_in_part_1(self, talk):
        talk.model.scripts[SELECTOR] = self.nothing
        said = await talk.say(PLAIN)
        assert len(talk.model.asked(SELECTOR)) == 2
        assert "none" not in talk.model.asked(SELECTOR)[1].messages[-1].text
        assert said.records("planner_feedback") == []
        assert talk.state.task_in_progress.id == "task_info_1"

    @pytest.mark.parametrize(
        "counted", [{"replans": PART2_MAX_REPLANS}, {"part2_task_update_count": PART2_MAX_REPLANS}]
    )
    async def test_is_not_told_beyond_the_bound(self, planned, counted):
        planned.set(**counted)
        planned.model.scripts[SELECTOR] = self.nothing
        said = await planned.say(PLAIN)
        assert said.records("planner_feedback") == []
        assert planned.state.replans == counted.get("replans", 0)


class TestWhatItIsAsked:
    @pytest.fixture(params=Locale, ids=lambda locale: locale.value)
    def planned(self, request):
        """Part 2 with a task in progress, one covered and one that waits."""
        talk = Talk(locale=request.param.value)
        talk.plan(task("low", 2, priority="low"), task("high", 2, priority="high"), task("medium", 2), goal="잠을 자기")
        talk.work_on("medium", covered=["low"])
        return talk

    async def asked(self, planned, text, **found):
        """Change the topic, so that a task is to be chosen, and return what the selector was asked."""
        planned.model.scripts[DETECTOR] = user_state_reading(topic_changed=True, **found)
        await planned.say(text)
        return planned.model.asked(SELECTOR)[0]

    @pytest.mark.parametrize(
        ("found", "state"),
        [
            ({}, "topic_change"),
            ({"resistance": "strong"}, "resistance, topic_change"),
            ({"intensity": 8, "emotion": "anger"}, "strong_emotion, topic_change"),
            ({"intensity": 4, "emotion": "sadness"}, "topic_change, clear_emotion"),
        ],
    )
    async def test_the_users_state_and_that_the_task_must_suit_it(self, planned, found, state):
        prompt = await self.asked(planned, "이제 어머니 이야기를 하고 싶어요", **found)
        assert element(prompt.messages[0].text, "state") == state
        suits = {Locale.KO: "지금 상태가 감당할 수 있는 것", Locale.EN: "what the client's state can bear"}
        assert suits[planned.state.locale] in prompt.system

    @pytest.mark.parametrize("locale", Locale)
    async def test_that_the_user_is_calm(self, locale):
        talk = Talk(locale=locale.value)
        talk.plan(task("a", 2), task("b", 2))
        await talk.say(PLAIN)
        assert element(talk.model.asked(SELECTOR)[0].messages[0].text, "state") == "calm"

    async def test_what_the_user_wants_now_and_what_was_said_before(self, planned):
        await planned.say("회사 이야기는 이제 됐어요")
        prompt = await self.asked(planned, "이제 어머니 이야기를 하고 싶어요")
        text = prompt.messages[0].text
        assert element(text, "newest_message") == "이제 어머니 이야기를 하고 싶어요"
        said = [line.partition(": ")[2] for line in element(text, "dialogue").splitlines()]
        assert said == [planned.greeting.text, "회사 이야기는 이제 됐어요", REPLY]
        follows = {
            Locale.KO: "방금 한 말과 가장 자연스럽게 이어지고",
            Locale.EN: "most naturally from what was just said",
        }
        assert follows[planned.state.locale] in prompt.system

    async def test_the_candidates_by_rank_and_the_goal(self, planned):
        text = (await self.asked(planned, PLAIN)).messages[0].text
        shown = [line for line in text.splitlines() if line.startswith("<candidate ")]
        assert shown == [
            f'<candidate id="{one}" priority="{one}" {marks}>title of {one} — target of {one}</candidate>'
            for one, marks in (
                ("high", 'covered="false"'),
                ("medium", 'covered="false" current="true"'),
                ("low", 'covered="true"'),
            )
        ]
        assert element(text, "goal") == "잠을 자기"

    @pytest.mark.parametrize("locale", Locale)
    async def test_no_goal_in_part_1(self, locale):
        talk = Talk(locale=locale.value)
        await talk.say(PLAIN)
        assert elements(talk.model.asked(SELECTOR)[0].messages[0].text, "goal") == []
