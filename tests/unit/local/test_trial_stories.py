"""A start without a key offers the stories, and the line that comes next."""

import pytest

from cases.story import load_stories
from local.trial_stories import client_lines, next_line, offers
from shared.locale import Locale

LINES = client_lines("asks_for_more")


def test_stories_that_end_and_need_no_earlier_session_are_offered_with_one_sentence_in_each_language():
    listed, stories = {one.id: one for one in offers()}, {story.id: story for story in load_stories()}
    assert {one.locale for one in listed.values()} == set(Locale)
    assert listed["asks_for_more"].sentence.startswith("아내를 먼저 보내고")
    assert listed["asks_for_more"].sentence.count(".") == 1
    for story in (stories[name] for name in listed):
        assert story.held(len(story.lines)).ended
        assert story.opens.carried is None
        assert story.closing is not None
    assert all(one.title and len(one.sentence) < 250 for one in listed.values())


def test_the_next_line_is_the_first_that_was_not_said_whatever_was_typed_between():
    assert next_line(LINES, []) == LINES[0]
    assert next_line(LINES, [LINES[0], "창밖에 눈이 오네요"]) == LINES[1]
    assert next_line(LINES, [LINES[0], "창밖에 눈이 오네요", f"  {LINES[1]} !!"]) == LINES[2]
    assert next_line(LINES, LINES) is None


def test_a_line_that_comes_twice_is_said_twice():
    assert next_line(["네", "네", "끝"], ["네"]) == "네"
    assert next_line(["네", "네", "끝"], ["네", "네."]) == "끝"


def test_an_unknown_story_has_no_lines():
    with pytest.raises(KeyError):
        client_lines("nobody")
