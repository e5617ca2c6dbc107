"""The stories played through today's product, and what its rules say of a line."""

import pytest

from cases.case import Case, session_before
from cases.story import Gold, Story, load_stories
from functions.chat.flows.counseling.detectors.message_analysis import MessageAnalysis
from functions.chat.reading import DangerKind
from shared.content.catalogue import content
from shared.domain.counseling.user_state import EmotionLabel, Resistance
from tests.builders.answers import joint
from tests.evaluation.baseline import as_text, changes, entries, play
from tests.evaluation.gold_answers import completion, state_reading
from tests.evaluation.review_page import review_page
from tests.evaluation.today import danger, signs

TASK = {"kind": "exploration", "title": "그날 저녁", "target": "그날을 알기", "criteria": "그날을 말했을 때 완료"}
STORY = Story.model_validate({
    "id": "small",
    "locale": "ko",
    "title": "작은 이야기",
    "about": "짧게 다녀간다.",
    "plan": {"goal": "그날을 함께 보기", "tasks": [{"id": "task_p2_1", **TASK}]},
    "lines": [
        {
            "client": "안녕하세요 지은이라고 해요",
            "reading": {"values": {"name": ["지은", "지은이라고 해요"]}, "module": "rapport_building"},
            "reply": "지은 님, 어서 오세요. 저는 CBot이라는 AI 상담사예요. 오늘은 무엇이 마음에 걸리셨어요?",
            "asks": "reason",
            "holds": {"part": 1, "task": "task_info_1", "stance": "work"},
        },
        {
            "client": "오늘은 여기까지 할게요",
            "reading": {"signs": {"wants_to_stop": "여기까지 할게요"}},
            "reply": "네, 그럴까요?",
        },
    ],
})  # fmt: skip


def said(number):
    """Return a line as a case."""
    line = STORY.lines[number - 1]
    return Case(f"small/{number}", session_before(STORY, number, content()), line.client, line.reading)


def test_a_gold_reading_is_what_todays_analyst_answers():
    gold = Gold.model_validate({
        "danger": [["own_life", "crisis", "사라지고 싶어요"], ["violence", "past", "맞았어요"]],
        "signs": {"strong_resistance": "됐어요", "complete": "그날 맞았어요", "new_topic": "근데"},
        "values": {"process_agreed": [True, "네"]},
        "corrects": {"name": ["지운", "지운이에요"]},
        "feeling": ["sadness", 8, "슬퍼요"],
    })  # fmt: skip
    whole = MessageAnalysis.model_validate(joint(completion(gold), state_reading(gold)))
    done, state = whole.completion(), whole.reading()
    assert done.complete
    assert done.evidence == "그날 맞았어요"
    assert [(one.name, one.value, one.quote, one.corrects) for one in done.slots] == [
        ("process_agreed", "true", "네", False),
        ("name", "지운", "지운이에요", True),
    ]
    assert (state.risk, state.violence, state.evidence) == ("crisis", "past", "사라지고 싶어요")
    assert (state.resistance, state.topic_changed, state.circular) == (Resistance.STRONG, True, False)
    assert (state.emotion, state.intensity) == (EmotionLabel.SADNESS, 8)


def test_danger_to_somebody_else_is_none_of_the_users_own():
    gold = Gold.model_validate({"danger": ["other_life", "imminent", "동생이 옥상에 있대요"]})
    assert state_reading(gold).risk == "none"


def test_a_story_is_played_to_the_same_file_twice_and_another_file_is_told_by_line_and_field():
    one, other = (as_text({STORY.id: entries(STORY, play(STORY))}) for _ in range(2))
    assert one == other
    assert "  small/1: part: 3 → ·\n" in changes(as_text({STORY.id: [[1, {"part": 3}]]}), one)
    many = as_text({STORY.id: [[number, {"part": 3}] for number in range(30)]})
    assert changes(many, "").count("\n") == 21


def test_a_played_line_holds_what_the_client_told_and_was_shown():
    first, second = play(STORY)
    assert first.slots == {"name": "지은"}
    assert first.shown == STORY.lines[0].reply
    assert second.stance == "confirm_end"
    assert STORY.lines[1].client in review_page(STORY, [first, second])


def test_the_rules_are_heard_without_a_model():
    first, second = (signs(said(number), content()) for number in (1, 2))
    assert first["told:name"]
    assert not first["told:reason"]
    assert second["wants_to_stop"]
    assert not first["wants_to_stop"]


def test_the_crisis_rules_name_the_danger():
    case = said(1)
    assert danger(case) == set()
    assert danger(Case("small/x", case.session, "죽고 싶어요", Gold())) == {DangerKind.OWN_CRISIS}


@pytest.mark.parametrize("story", ["asks_for_more", "follow_up_job_seeker", "correcting_advice"])
def test_a_turn_on_the_reading_takes_a_story_to_the_end_that_the_client_chose(story):
    (whole,) = (one for one in load_stories() if one.id == story)
    played = play(whole, on_reading=True)
    assert [line.ended for line in played] == [*[False] * (len(played) - 1), True]
    assert whole.lines[-1].reading.signs.keys() & {"agrees", "wants_to_stop"}
