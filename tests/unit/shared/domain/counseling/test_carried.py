"""What a session carries over loses what an erased session told, and keeps the rest."""

from shared.domain.counseling.carried import Carried
from shared.domain.counseling.session_events import OriginErased
from tests.builders.sessions import NOW, session, task


def carried(goals=("덜 떨기", "잘 자기"), goals_from=("c1", "c0"), **more):
    told = {"summary": "발표가 무서웠다.", "next_plan": "숨 고르기", "name": "민지", "ended_at": NOW}
    return Carried(conversation_id="c1", goals=goals, goals_from=goals_from, **told, **more)


def test_of_the_last_session_only_the_name_stays_and_the_goals_of_others():
    left = carried(in_danger=True).without("c1")
    assert (left.goals, left.goals_from, left.conversation_id) == (("잘 자기",), ("c0",), "c0")
    assert (left.summary, left.next_plan, left.ended_at, left.name) == ("", "", None, "민지")
    assert not left.in_danger


def test_of_an_older_session_only_its_goals_go():
    assert carried(in_danger=True).without("c0") == carried(("덜 떨기",), ("c1",), in_danger=True)


def test_nothing_is_carried_where_all_came_from_there_and_goals_of_unknown_origin_go_along():
    assert carried(("덜 떨기",), ("c1",)).without("c1") is None
    assert carried(goals_from=()).without("c1") is None


def test_what_is_of_another_changes_nothing():
    kept = carried()
    assert kept.without("c9") is kept
    for state in (session(task(), carried=kept), session(task())):
        assert OriginErased(conversation_id="c9", greeting="?").apply(state, NOW) is state
