"""What a session carries over loses what an erased session told, and keeps the rest."""

from shared.domain.counseling.carried import Carried
from shared.domain.counseling.session_events import OriginErased
from tests.fakes.counselling import NOW, session, task


def carried(**more):
    fields = {
        "summary": "발표가 무서웠다.",
        "goals": ("덜 떨기", "잘 자기"),
        "goals_from": ("c1", "c0"),
        "next_plan": "숨 고르기",
        "name": "민지",
        "conversation_id": "c1",
        "ended_at": NOW,
    }
    return Carried(**{**fields, **more})


def test_of_the_last_session_only_the_name_stays_and_the_goals_of_others():
    left = carried().without("c1")
    assert (left.goals, left.goals_from, left.conversation_id) == (("잘 자기",), ("c0",), "c0")
    assert (left.summary, left.next_plan, left.ended_at, left.name) == ("", "", None, "민지")


def test_that_the_erased_session_ended_in_danger_is_no_longer_known():
    assert not carried(in_danger=True).without("c1").in_danger
    assert carried(in_danger=True).without("c0").in_danger


def test_of_an_older_session_only_its_goals_go():
    assert carried().without("c0") == carried(goals=("덜 떨기",), goals_from=("c1",))


def test_where_everything_came_from_there_nothing_is_carried():
    assert carried(goals=("덜 떨기",), goals_from=("c1",)).without("c1") is None


def test_goals_of_unknown_origin_go_with_the_session_that_told_of_them():
    assert carried(goals_from=()).without("c1") is None


def test_what_is_of_another_changes_nothing():
    kept = carried()
    assert kept.without("c9") is kept
    state = session(task(), carried=kept)
    assert OriginErased(conversation_id="c9", greeting="?").apply(state, NOW) is state
    bare = session(task())
    assert OriginErased(conversation_id="c1").apply(bare, NOW) is bare
