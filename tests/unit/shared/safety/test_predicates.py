"""Behaviour of what takes a finding down."""

from shared.safety.levels import CrisisOutcome as Outcome
from shared.safety.patterns import Vocabulary
from shared.safety.predicates import Makes, Predicate, Surroundings, lowered, may_lower
from shared.safety.reading import Reading


def _holds(text, before="", behind="", words=""):
    begin = text.index("죽고 싶")
    predicate = Predicate("one", Makes.CONCERN, (Surroundings(before, behind, words, Vocabulary()),))
    return predicate.holds(Reading(text), (begin, begin + len("죽고 싶")))


def test_it_looks_right_before_and_right_behind_the_words_found_and_at_them():
    assert _holds("주인공이 죽고 싶다는 대사", before="주인공이")
    assert _holds("죽고 싶다는 대사", behind="다는 대사")
    assert not _holds("주인공이 멋져 죽고 싶다", before="주인공이")
    assert not _holds("죽고 싶어. 슬픈 대사", behind="다는 대사")
    assert _holds("친구가 죽고 싶대", before="친구가", behind="대")
    assert not _holds("친구가 죽고 싶게 해", before="친구가", behind="대")
    assert _holds("친구가 죽고 싶대", before="친구가", words="(?!내가)")
    assert not _holds("친구가 죽고 싶대", before="친구가", words="(?!죽고)")


def test_what_stands_in_another_clause_does_not_count():
    texts = ("주인공이 멋졌는데 죽고 싶어", "주인공이 멋졌다. 죽고 싶어", "주인공이 나와서, 죽고 싶어")
    assert [text for text in texts if _holds(text, before="주인공이[^!]{0,20}")] == []


def test_a_finding_is_taken_down_and_never_up_and_what_is_imminent_by_another_person_alone():
    into = {
        (Outcome.CRISIS, Makes.CONCERN): Outcome.CONCERN,
        (Outcome.CRISIS, Makes.THIRD_PARTY): Outcome.THIRD_PARTY,
        (Outcome.CRISIS, Makes.NOTHING): Outcome.NONE,
        (Outcome.IMMINENT, Makes.THIRD_PARTY): Outcome.THIRD_PARTY_NOW,
        (Outcome.ATTEMPTED, Makes.THIRD_PARTY): Outcome.THIRD_PARTY_NOW,
        (Outcome.CONCERN, Makes.THIRD_PARTY): Outcome.CONCERN,
    }
    assert {case: lowered(*case) for case in into} == into
    for outcome in (Outcome.IMMINENT, Outcome.ATTEMPTED):
        assert [makes for makes in Makes if may_lower(makes, outcome)] == [Makes.THIRD_PARTY]
    assert all(may_lower(makes, Outcome.CRISIS) for makes in Makes)
