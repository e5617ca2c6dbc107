"""The stories played through the product."""

import pytest

from cases.story import Story, load_stories
from tests.evaluation.baseline import as_text, changes, entries, play
from tests.evaluation.review_page import review_page

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


@pytest.mark.parametrize("story", ["asks_for_more", "follow_up_job_seeker", "correcting_advice"])
def test_a_story_comes_to_the_end_that_the_client_chose(story):
    (whole,) = (one for one in load_stories() if one.id == story)
    played = play(whole)
    assert [line.ended for line in played] == [*[False] * (len(played) - 1), True]
    assert whole.lines[-1].reading.signs.keys() & {"agrees", "wants_to_stop"}
