"""Erasing an earlier session removes its data from those that the present session carries."""

from shared.domain.counseling.carried import Carried
from shared.domain.counseling.origin_events import OriginErased
from tests.builders.sessions import NOW, session, task


def carried(goals=("덜 떨기", "잘 자기"), goals_from=("c1", "c0"), **more):
    fields = {"summary": "발표가 무서웠다.", "next_plan": "숨 고르기", "name": "민지", "ended_at": NOW}
    return Carried(conversation_id="c1", goals=goals, goals_from=goals_from, **fields, **more)


def test_erasing_the_last_session_keeps_only_the_name_and_the_goals_of_other_sessions():
    left = carried(in_danger=True).without("c1")
    assert (left.goals, left.goals_from, left.conversation_id) == (("잘 자기",), ("c0",), "c0")
    assert (left.summary, left.next_plan, left.ended_at, left.name) == ("", "", None, "민지")
    assert not left.in_danger


def test_erasing_an_older_session_removes_only_its_goals():
    assert carried(in_danger=True).without("c0") == carried(("덜 떨기",), ("c1",), in_danger=True)


def test_nothing_is_carried_if_all_goals_came_from_the_erased_session_or_are_of_unknown_origin():
    assert carried(("덜 떨기",), ("c1",)).without("c1") is None
    assert carried(goals_from=()).without("c1") is None


def test_erasing_an_unrelated_session_changes_nothing():
    kept = carried()
    assert kept.without("c9") is kept
    for state in (session(task(), carried=kept), session(task())):
        assert OriginErased(conversation_id="c9", greeting="?").apply(state, NOW) is state
