"""Cases stand in a session that offers what their labels name."""

import pytest
from pydantic import ValidationError

from cases.case import WrittenCase, session_before, written
from cases.story import STORIES, load_story
from functions.chat.reading import reader_input
from shared.content.catalogue import content

SHIPPED = content()


def offered(session):
    given = reader_input(session, "네", SHIPPED.modules(session.locale))
    return [(one.id, one.current, one.covered) for one in given.tasks]


def test_tasks_that_a_new_plan_parks_do_not_wait_once_it_holds():
    story = load_story(STORIES / "circular_divorce.yaml")
    begun = [("task_p2_1", True, False), ("task_p2_2", False, False), ("task_p2_3", False, False)]
    assert offered(session_before(story, 9, SHIPPED)) == begun
    parked = [("task_p2_1", True, False), ("task_p2_4", False, False), ("task_p2_2", False, True)]
    assert offered(session_before(story, 10, SHIPPED))[:3] == parked


def test_a_written_case_without_conditions_says_what_else_it_labels_and_stands_in_its_plan():
    cases = {one.id: one for one in written(SHIPPED)}
    one = cases["written/task/ko_task_18"]
    assert (one.labelled, one.judged, one.whole) == ({"next_task"}, frozenset(), False)
    assert offered(one.session)[:2] == [("task_days", True, False), ("task_people", False, False)]
    assert ("task_memory", False, True) in offered(one.session)
    assert cases["written/feeling/ko_feeling_19"].gold.feeling is None, "a neutral message shows no feeling"
    with pytest.raises(ValidationError, match="nothing is labelled"):
        WrittenCase(id="empty", locale="ko", client="네")
