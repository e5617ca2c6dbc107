"""A closing is merged into the profile once, and the newest ended session decides."""

from datetime import timedelta
from itertools import permutations

import pytest

from shared.content.catalogue import content
from shared.domain.consents import given, taken_back
from shared.domain.conversation import RETENTION
from shared.domain.counseling import profile as profiles
from shared.domain.counseling.closing import Closing
from shared.domain.counseling.measures import MeasureResult
from shared.domain.counseling.persona import UserPersona, persona_of
from shared.domain.counseling.sources import Source, SourcedText
from shared.safety.follow_through import Finding, Risk, escalate
from shared.safety.levels import CrisisOutcome
from tests.builders.sessions import NOW, session, task

VERSIONS = {"terms": "2026-11-22"}


def merged(profile, number, *, goals=(), level=2, at=NOW, sources=None, **more):
    """Merge the closing of session `number`, which ended so many minutes after `NOW`."""
    ended = {"conversation_id": f"c{number}", "status": "completed", "ended_at": NOW + timedelta(minutes=number)}
    fields = {"summary": f"요약 {number}", "next_session": f"다음 {number}", "goals": goals, "suggested_level": level}
    closing = Closing(record_id="final", created_at=NOW, expire_at=NOW + RETENTION, **fields, **(sources or {}))
    return profiles.merge(profile, session(task(), **ended | more), closing, at)


def taken(*numbers, profile=None):
    for number in numbers:
        fields = {"goals": (f"바람 {number}",), "level": number % 5 + 1, "user_info": {"name": f"이름 {number}"}}
        profile = merged(profile, number, at=NOW + timedelta(hours=1), **fields)
    return profile


def goals_of(profile):
    return [kept.goal for kept in profile.goals]


def test_the_first_closing_makes_the_profile():
    persona = UserPersona(type="Type_A", type_specific_keywords=("완벽주의",), common_keywords=("자기 이해",))
    profile = merged(None, 1, goals=("덜 떨기",), user_info={"name": "민지"}, user_persona=persona)
    assert (profile.user_id, profile.name, profile.summary, profile.next_plan) == ("u1", "민지", "요약 1", "다음 1")
    assert profile.persona.model_dump() == {**persona.model_dump(), "counseling_level": 2, "updated_at": NOW}
    last = {"conversation_id": "c1", "session_type": "first_session", "ended_at": NOW + timedelta(minutes=1)}
    assert profile.last_session.model_dump() == {**last, "in_danger": False}
    assert (profile.sessions, goals_of(profile)) == (1, ["덜 떨기"])
    assert (profile.updated_at, profile.expire_at) == (NOW, NOW + RETENTION)


def test_the_newest_session_decides_in_any_order_of_closings():
    for order in permutations((1, 2, 3)):
        profile = taken(*order)
        assert (profile.summary, profile.next_plan, profile.name) == ("요약 3", "다음 3", "이름 3"), order
        assert (profile.last_session.conversation_id, profile.persona.counseling_level) == ("c3", 4), order
        assert (profile.sessions, goals_of(profile)[0]) == (3, "바람 3"), order
        assert set(goals_of(profile)) == {"바람 1", "바람 2", "바람 3"}, order


@pytest.mark.parametrize("again", [1, 2])
def test_a_closing_delivered_again_changes_nothing(again):
    profile = taken(1, 2)
    assert taken(again, profile=profile) is profile


def test_a_name_and_a_persona_type_are_kept_when_a_later_session_has_none():
    persona = UserPersona(type="Type_A", type_specific_keywords=("완벽주의",))
    second = merged(merged(None, 1, user_info={"name": "민지"}, user_persona=persona), 2, level=3)
    assert (second.name, second.persona.type, second.persona.counseling_level) == ("민지", "Type_A", 3)
    assert second.persona.type_specific_keywords == ("완벽주의",)
    assert merged(second, 3, user_persona=UserPersona(type="Type_B")).persona.type == "Type_B"
    assert merged(merged(None, 2), 1, user_info={"name": "민지"}).name == "민지", "a late closing fills in a name"


def test_retention_follows_the_session_and_not_the_time_of_its_closing():
    later = taken(1)
    profile = merged(later, 2)
    assert (profile.updated_at, profile.expire_at) == (later.updated_at, later.expire_at)
    assert merged(later, 2, at=NOW + timedelta(days=30)).expire_at == later.expire_at
    talked_on = NOW + timedelta(days=30) + RETENTION
    assert merged(later, 2, expire_at=talked_on).expire_at == talked_on


class TestConsents:
    def given(self, minutes):
        return given(VERSIONS, VERSIONS, NOW + timedelta(minutes=minutes))

    def withdrawn(self, minutes):
        return taken_back(self.given(0), VERSIONS, VERSIONS, NOW + timedelta(minutes=minutes))

    def test_a_withdrawal_is_not_overwritten_by_an_earlier_consent(self):
        profile = profiles.agreed(profiles.agreed(None, "u1", self.given(0), NOW), "u1", self.withdrawn(5), NOW)
        assert profiles.agreed(profile, "u1", self.given(1), NOW).consents == self.withdrawn(5)
        assert profiles.agreed(profile, "u1", self.given(6), NOW).consents == self.given(6)

    def test_neither_giving_nor_withdrawing_extends_the_retention(self):
        profile = profiles.agreed(None, "u1", self.given(0), NOW)
        later = NOW + timedelta(days=9)
        assert profiles.agreed(profile, "u1", self.withdrawn(5), later).expire_at == NOW + RETENTION
        assert profiles.kept_until(profile, later + RETENTION).expire_at == later + RETENTION
        assert profiles.kept_until(profile, NOW).expire_at == NOW + RETENTION


@pytest.mark.parametrize(
    ("found", "in_danger"),
    [("", False), ("crisis", True), ("harm_to_others imminent", True), ("harm_to_others", False), ("concern", False)],
)
def test_the_profile_remembers_whether_the_last_session_ended_with_a_life_in_danger(found, in_danger):
    risk = Risk()
    for outcome in found.split():
        risk = escalate(risk, Finding(outcome=CrisisOutcome(outcome)), 3)
    profile = merged(None, 1, risk=risk)
    assert profile.last_session.in_danger is in_danger
    assert profiles.carried_from(profile, NOW).in_danger is in_danger
    assert not merged(profile, 2).last_session.in_danger


def test_a_session_whose_last_measure_told_of_self_harm_is_remembered_whether_before_or_after_its_closing():
    told = {"total": 1, "highest": 27, "band": "least", "highest_self_harm": 1, "measure": "phq9", "seq": 4, "at": NOW}
    at_the_end, at_the_start = [MeasureResult(**told, moment=moment) for moment in ("end", "start")]
    assert merged(None, 1, measures=(at_the_end,)).last_session.in_danger
    before = merged(None, 1, measures=(at_the_start,))
    assert not before.last_session.in_danger
    assert profiles.endangered(before, "c1", NOW).last_session.in_danger
    assert profiles.endangered(before, "c2", NOW) is before


class TestForgetting:
    def test_of_the_last_session_drops_its_summary_and_goals_and_keeps_the_person(self):
        profile = profiles.forget(taken(1, 2), "c2", NOW)
        assert (profile.summary, profile.next_plan, profile.last_session) == ("", "", None)
        assert (profile.name, profile.persona.counseling_level, profile.sessions) == ("이름 2", 3, 2)
        assert goals_of(profile) == ["바람 1"]

    def test_of_an_earlier_session_drops_its_goals_and_of_an_unknown_one_nothing(self):
        both = taken(1, 2)
        profile = profiles.forget(both, "c1", NOW)
        assert (profile.summary, goals_of(profile)) == ("요약 2", ["바람 2"])
        assert profiles.forget(both, "c9", NOW) is both

    @pytest.mark.parametrize("erased", ["c1", "c2"])
    def test_leaves_no_mention_of_the_deleted_session_and_is_idempotent(self, erased):
        left = profiles.forget(taken(1, 2), erased, NOW)
        assert erased not in left.model_dump_json()
        assert profiles.forget(left, erased, NOW) is left


class TestSources:
    def told(self, number=1, **more):
        source = Source(seq=number, quote="민지예요")
        goals = (SourcedText(text="덜 떨기", seq=3, quote="덜 떨고 싶어요"),)
        sentences = (SourcedText(text="요약 1", seq=2, quote="무서워요"),)
        given = {"user_info": {"name": "민지"}, "info_sources": {"name": source}}
        sources = {"goal_sources": goals, "summary_sources": sentences}
        return merged(None, number, goals=("덜 떨기", "승진"), sources=sources, **given, **more)

    def test_of_name_goals_and_summary_are_kept(self):
        profile = self.told()
        assert profile.name_source == Source(seq=1, quote="민지예요", conversation_id="c1")
        assert [kept.source for kept in profile.goals] == [Source(seq=3, quote="덜 떨고 싶어요"), None]
        assert [(one.seq, one.quote) for one in profile.summary_sources] == [(2, "무서워요")]

    def test_of_a_name_from_an_earlier_session_still_name_that_session(self):
        earlier = {"name": Source(seq=4, quote="민지예요", conversation_id="c0")}
        profile = merged(None, 1, user_info={"name": "민지"}, info_sources=earlier)
        assert profile.name_source.conversation_id == "c0"

    def test_of_an_erased_session_go_and_the_name_stays(self):
        left = profiles.forget(self.told(), "c1", NOW)
        assert (left.name, left.name_source, left.summary_sources, left.goals) == ("민지", None, (), ())

    def test_of_a_name_go_with_the_session_in_which_it_was_said(self):
        profile = merged(self.told(), 2)
        assert profile.name_source.conversation_id == "c1"
        assert profiles.forget(profile, "c1", NOW).name_source is None
        assert profiles.forget(profile, "c2", NOW).name_source is not None


def test_the_next_session_carries_summary_goals_plan_and_name():
    carried = profiles.carried_from(taken(1, 2), NOW)
    assert (carried.summary, carried.goals, carried.next_plan) == ("요약 2", ("바람 2", "바람 1"), "다음 2")
    assert (carried.name, carried.conversation_id) == ("이름 2", "c2")
    left = profiles.carried_from(profiles.forget(taken(1, 2), "c2", NOW), NOW)
    assert (left.summary, left.goals, left.conversation_id, left.ended_at) == ("", ("바람 1",), "c1", None)
    assert profiles.carried_from(None, NOW) is None
    assert profiles.carried_from(profiles.Profile(user_id="u1", updated_at=NOW, expire_at=NOW), NOW) is None


def test_a_known_persona_type_has_its_own_keywords_before_the_common_ones():
    catalogue = content().personas
    persona = persona_of(catalogue, "Type_B", level=3)
    assert (persona.type, persona.counseling_level) == ("Type_B", 3)
    assert persona.keywords == catalogue.find("Type_B").type_specific_keywords + catalogue.common_keywords
    assert len(persona.keywords) == 8
    for type_id in (None, "", "Type_Z"):
        assert persona_of(catalogue, type_id).keywords == catalogue.common_keywords
