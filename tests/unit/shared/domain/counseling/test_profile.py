"""A closing is taken into the profile once, and only the newest ended session decides."""

from datetime import timedelta
from itertools import permutations

import pytest

from shared.domain.consents import given, taken_back
from shared.domain.conversation import RETENTION
from shared.domain.counseling.closing import Closing
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.profile import (
    MOST_GOALS,
    NEWEST_MERGED,
    Profile,
    agreed,
    carried_from,
    forget,
    kept_until,
    merge,
)
from shared.safety.follow_through import Finding, Risk, escalate
from shared.safety.levels import CrisisOutcome
from tests.fakes.counselling import NOW, session, task


def ended(number=1, *, minutes=None, **more):
    at = NOW + timedelta(minutes=number if minutes is None else minutes)
    return session(task(), **{"conversation_id": f"c{number}", "status": "completed", "ended_at": at, **more})


def closing(number=1, *, goals=(), level=2, **more):
    fields = {"summary": f"요약 {number}", "next_session": f"다음 {number}", **more}
    return Closing(
        record_id="final",
        created_at=NOW,
        expire_at=NOW + RETENTION,
        goals=tuple(goals),
        suggested_level=level,
        **fields,
    )


def taken(*numbers, profile=None):
    for number in numbers:
        done = closing(number, goals=(f"바람 {number}",), level=number % 5 + 1)
        given = ended(number, user_info={"name": f"이름 {number}"})
        profile = merge(profile, given, done, NOW + timedelta(hours=1))
    return profile


def goals_of(profile):
    return [kept.goal for kept in profile.goals]


def test_the_first_closing_makes_the_profile():
    persona = UserPersona(type="Type_A", type_specific_keywords=("완벽주의",), common_keywords=("자기 이해",))
    given = ended(user_info={"name": "민지"}, user_persona=persona)
    profile = merge(None, given, closing(goals=("덜 떨기",)), NOW)
    assert (profile.user_id, profile.name, profile.summary, profile.next_plan) == ("u1", "민지", "요약 1", "다음 1")
    assert profile.persona.model_dump() == {**persona.model_dump(), "counseling_level": 2, "updated_at": NOW}
    assert profile.last_session.model_dump() == {
        "conversation_id": "c1",
        "session_type": "first_session",
        "ended_at": given.ended_at,
        "in_danger": False,
    }
    assert (profile.sessions, goals_of(profile)) == (1, ["덜 떨기"])
    assert (profile.updated_at, profile.expire_at) == (NOW, NOW + RETENTION)


def test_in_whatever_order_closings_come_the_newest_session_decides(subtests):
    for order in list(permutations((1, 2, 3))):
        with subtests.test(order=order):
            profile = taken(*order)
            assert (profile.summary, profile.next_plan, profile.name) == ("요약 3", "다음 3", "이름 3")
            assert (profile.last_session.conversation_id, profile.persona.counseling_level) == ("c3", 4)
            assert profile.sessions == 3
            assert goals_of(profile)[0] == "바람 3"
            assert set(goals_of(profile)) == {"바람 1", "바람 2", "바람 3"}


@pytest.mark.parametrize("again", [1, 2])
def test_a_closing_that_comes_again_changes_nothing(again):
    profile = taken(1, 2)
    assert taken(again, profile=profile) is profile


def test_a_late_closing_fills_in_a_name_that_nobody_told_since():
    newer = merge(None, ended(2), closing(2), NOW)
    assert merge(newer, ended(1, user_info={"name": "민지"}), closing(1), NOW).name == "민지"


def test_a_name_and_a_type_stay_known_when_a_session_tells_none():
    persona = UserPersona(type="Type_A", type_specific_keywords=("완벽주의",))
    first = merge(None, ended(1, user_info={"name": "민지"}, user_persona=persona), closing(1), NOW)
    second = merge(first, ended(2), closing(2, level=3), NOW)
    assert second.name == "민지"
    assert (second.persona.type, second.persona.type_specific_keywords) == ("Type_A", ("완벽주의",))
    assert second.persona.counseling_level == 3
    other = merge(second, ended(3, user_persona=UserPersona(type="Type_B")), closing(3), NOW)
    assert other.persona.type == "Type_B"


def test_goals_are_kept_once_and_bounded_the_newest_first():
    profile = merge(None, ended(1), closing(1, goals=("덜 떨기", "잘 자기")), NOW)
    profile = merge(profile, ended(2), closing(2, goals=("잘  자기",)), NOW)
    assert goals_of(profile) == ["잘  자기", "덜 떨기"]
    assert profile.goals[0].conversation_id == "c2", "voiced again: it is that session's now"
    assert len(taken(*range(1, 20)).goals) == MOST_GOALS


def test_the_memory_of_merged_sessions_is_bounded_and_their_count_is_not():
    profile = taken(*range(1, 31))
    assert (profile.sessions, len(profile.merged)) == (30, NEWEST_MERGED)


def test_retention_follows_the_session_whenever_its_closing_is_made_and_time_does_not_run_back():
    later = taken(1)
    profile = merge(later, ended(2), closing(2), NOW)
    assert (profile.updated_at, profile.expire_at) == (later.updated_at, later.expire_at)
    late = merge(later, ended(2), closing(2), NOW + timedelta(days=30))
    assert late.expire_at == later.expire_at
    talked_on = ended(2, expire_at=NOW + timedelta(days=30) + RETENTION)
    assert merge(later, talked_on, closing(2), NOW).expire_at == talked_on.expire_at


VERSIONS = {"terms": "2026-11-22"}


class TestConsents:
    def given(self, minutes):
        return given(VERSIONS, VERSIONS, NOW + timedelta(minutes=minutes))

    def withdrawn(self, minutes):
        return taken_back(self.given(0), VERSIONS, VERSIONS, NOW + timedelta(minutes=minutes))

    def test_a_withdrawal_is_not_overwritten_by_a_request_that_was_sent_before_it(self):
        profile = agreed(agreed(None, "u1", self.given(0), NOW), "u1", self.withdrawn(5), NOW)
        assert agreed(profile, "u1", self.given(1), NOW).consents == self.withdrawn(5)
        assert agreed(profile, "u1", self.given(6), NOW).consents == self.given(6)

    def test_neither_giving_nor_withdrawing_keeps_anything_for_longer(self):
        profile = agreed(None, "u1", self.given(0), NOW)
        later = NOW + timedelta(days=9)
        assert agreed(profile, "u1", self.withdrawn(5), later).expire_at == NOW + RETENTION
        assert kept_until(profile, later + RETENTION).expire_at == later + RETENTION
        assert kept_until(profile, NOW).expire_at == NOW + RETENTION


def test_a_session_that_ended_while_a_life_was_in_danger_is_remembered_as_such(subtests):
    cases = [
        ((), False),
        ((CrisisOutcome.CRISIS,), True),
        ((CrisisOutcome.HARM_TO_OTHERS, CrisisOutcome.IMMINENT), True),
        ((CrisisOutcome.HARM_TO_OTHERS,), False),
        ((CrisisOutcome.CONCERN,), False),
    ]
    for found, in_danger in cases:
        with subtests.test(found=found):
            risk = Risk()
            for outcome in found:
                risk = escalate(risk, Finding(outcome=outcome), 3)
            profile = merge(None, ended(risk=risk), closing(), NOW)
            assert profile.last_session.in_danger is in_danger
            assert carried_from(profile, NOW).in_danger is in_danger
            assert not merge(profile, ended(2), closing(2), NOW).last_session.in_danger


class TestForgetting:
    def test_what_the_last_session_told_goes_and_the_person_stays(self):
        profile = forget(taken(1, 2), "c2", NOW)
        assert (profile.summary, profile.next_plan, profile.last_session) == ("", "", None)
        assert goals_of(profile) == ["바람 1"]
        assert (profile.name, profile.persona.counseling_level, profile.sessions) == ("이름 2", 3, 2)
        assert carried_from(profile, NOW).goals == ("바람 1",)

    def test_of_an_earlier_session_its_goals_go(self):
        profile = forget(taken(1, 2), "c1", NOW)
        assert (profile.summary, goals_of(profile)) == ("요약 2", ["바람 2"])

    def test_of_an_unknown_one_nothing_goes(self):
        profile = taken(1)
        assert forget(profile, "c9", NOW) is profile

    @pytest.mark.parametrize("erased", ["c1", "c2"])
    def test_nothing_names_the_deleted_one_any_more_as_audit_lines_do(self, erased):
        left = forget(taken(1, 2), erased, NOW)
        assert erased not in left.model_dump_json()
        assert forget(left, erased, NOW) is left


def test_a_session_takes_along_the_gist():
    carried = carried_from(taken(1, 2), NOW)
    assert (carried.summary, carried.goals, carried.next_plan) == ("요약 2", ("바람 2", "바람 1"), "다음 2")
    assert (carried.name, carried.conversation_id) == ("이름 2", "c2")
    left = carried_from(forget(taken(1, 2), "c2", NOW), NOW)
    assert (left.summary, left.goals, left.conversation_id, left.ended_at) == ("", ("바람 1",), "c1", None)
    assert carried_from(None, NOW) is None
    assert carried_from(Profile(user_id="u1", updated_at=NOW, expire_at=NOW), NOW) is None
