"""What the guard makes of replies to people in danger that were written before its rules were read."""

from pathlib import Path

import pytest

from shared.content.catalogue import content
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.situation import Situation
from tests.builders.sentences import plain_yaml

_FIXTURES = Path(__file__).parents[3] / "fixtures"
_REPLIES = plain_yaml(_FIXTURES / "replies_in_danger.yaml")
_CLASSES = plain_yaml(_FIXTURES / "replies_by_class.yaml")
_IN_DANGER = Situation(record=True, in_danger=True, despair=True)
_ENDING = "[cut]"


def _guarded(text):
    return OutputGuard(content().guard_rules, _IN_DANGER, lambda _: _ENDING).over(text).text


@pytest.mark.parametrize("half", ["open", "held"])
def test_no_bad_reply_is_shown_whole_and_every_good_one_passes(half):
    shown = [one["text"] for one in _REPLIES[half]["bad"] if not _guarded(one["text"]).endswith(_ENDING)]
    changed = [one["text"] for one in _REPLIES[half]["good"] if _guarded(one["text"]) != one["text"]]
    assert (shown, changed) == ([], [])


def test_agreement_with_hopelessness_is_cut_only_in_danger():
    text = "솔직히 이 시험은 방법이 없네요."
    assert _guarded(text) != text
    assert OutputGuard(content().guard_rules, Situation(record=True), str).over(text).text == text


@pytest.mark.parametrize("kind", list(_CLASSES))
def test_no_reply_of_a_forbidden_class_is_shown_whole_and_every_good_one_near_it_passes(kind):
    shown = {text: _guarded(text) for text in _CLASSES[kind]["bad"] if not _guarded(text).endswith(_ENDING)}
    changed = [text for text in _CLASSES[kind]["good"] if _guarded(text) != text]
    assert (shown, changed) == ({}, [])


def test_a_reply_never_acts_as_a_therapist_outside_danger_either():
    calm = OutputGuard(content().guard_rules, Situation(record=True), str)
    assert [text for text in _CLASSES["therapist"]["bad"] if calm.over(text).category is None] == []
    assert [text for text in _CLASSES["therapist"]["good"] if calm.over(text).category is not None] == []
