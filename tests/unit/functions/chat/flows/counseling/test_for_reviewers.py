"""The findings of a turn that put its session into the reviewers' queue."""

from dataclasses import replace

import pytest

from shared.domain.counseling.staff_review import FlagReason, ReviewStatus, Span
from shared.domain.counseling.staff_review_events import SeenByReviewer
from shared.domain.errors import ModelUnavailable
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome
from shared.safety.screening import ScreenedMessage
from tests.builders.answers import reads
from tests.builders.talk import after, speaking

DANGER = "요즘 자꾸 죽고 싶어요"
PLAIN = "오늘은 그냥 집에 있었어요"


def flags(talk):
    mark = talk.state.staff_review
    return [(flag.reason, flag.seqs) for flag in mark.flags] if mark else []


async def test_a_crisis_is_flagged_with_its_rules_and_without_words_and_a_plain_turn_is_not(talk):
    await talk.say(PLAIN)
    assert (flags(talk), talk.state.review_place) == ([], None)
    await talk.say(DANGER)
    assert flags(talk) == [(FlagReason.CRISIS, (2,))]
    assert "ko-want-to-die" in talk.state.staff_review.flags[0].rules
    assert "죽고" not in talk.state.staff_review.model_dump_json()


async def test_degraded_replies_are_flagged():
    talk = speaking(counselor=ModelUnavailable("down"))
    for _ in range(2):
        await talk.say(PLAIN)
    assert flags(talk) == [(FlagReason.DEGRADED, (1, 2))]


@pytest.mark.parametrize(
    ("reply", "category", "found"),
    [
        ("제가 보기에는 우울증이에요. 병원에 가 보세요.", "diagnosis", [(FlagReason.GUARD, (1,))]),
        ("아무한테도 말하지 않을게요. 약속해요.", "secrecy", [(FlagReason.GUARD, (1,))]),
        ("오늘은 푹 쉬어. 내일 또 얘기하자.", "register", []),
    ],
)
async def test_a_guarded_reply_is_flagged_with_its_category_unless_it_is_the_register(reply, category, found):
    talk = speaking(counselor=f"많이 힘드셨겠어요. {reply}")
    said = await talk.say(PLAIN)
    assert ("guarded" in said.outcome.flags, said.run("output_guard").output) == (True, category)
    assert flags(talk) == found
    assert not found or talk.state.staff_review.flags[0].rules == (category,)


async def test_ending_in_a_follow_through_reopens_a_reviewed_session():
    talk = await after(DANGER)
    talk.happen(SeenByReviewer(spans=(Span(first=0, last=1),), note_id="n"))
    assert talk.state.staff_review.status is ReviewStatus.SEEN
    for text in ("그만하고 싶어요. 상담을 끝낼게요.", "네, 끝낼게요"):
        await talk.say(text)
    assert (talk.state.ended, talk.state.staff_review.status) == (True, ReviewStatus.OPEN)
    assert "ended_in_follow_through" in talk.state.staff_review.flags[0].rules


async def test_the_screening_done_at_admission_is_used_and_not_repeated(talk):
    found = ScreenedMessage(crisis=Finding(outcome=CrisisOutcome.IMMINENT, rule_ids=("read-before",)))
    outcome = await talk.flow.run(replace(talk.turn(PLAIN), screened=found))
    assert [hook.data for hook in outcome.hooks] == [{"level": "imminent"}]
    assert outcome.audit[0].rule == "read-before"
    talk.model.scripts["reader"] = reads()
    assert (await talk.flow.run(replace(talk.turn(DANGER), screened=ScreenedMessage()))).hooks == ()
