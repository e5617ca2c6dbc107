"""The protocol asks one question a reply: the most important that the user has not answered, never twice the same."""

from itertools import pairwise

import pytest

from shared.content.catalogue import content
from shared.lexicon.session_words import questions_of
from shared.safety.help_seeking import Inquiry
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import ORDER, Topic, topics
from tests.builders.talk import KO, Talk, after, told

REPLIES, WORDS = content().crisis_replies, content().help_seeking
DANGER = "죽고 싶어요"
INQUIRIES = {Topic.PLAN: Inquiry.PLAN, Topic.MEANS: Inquiry.MEANS}


def asked(reply):
    """Return what a Korean reply asks, by topic."""
    found = []
    for topic in Topic:
        wordings = WORDS.questions(INQUIRIES[topic], KO) if topic in INQUIRIES else REPLIES.questions(topic, KO)
        found += [topic for text in wordings if text in reply]
    return found


@pytest.mark.parametrize("outcome", ORDER)
def test_the_most_important_question_is_asked_where_all_is_told(outcome):
    assert topics(outcome, frozenset(Topic)) == ORDER[outcome][:1]


@pytest.mark.parametrize(
    ("messages", "topic"),
    [
        ((DANGER,), Topic.INTENT),
        ((DANGER, DANGER), Topic.PLAN),
        ((DANGER, DANGER, "정말 죽고 싶어요"), Topic.MEANS),
        (("다음 주에 끝내기로 했어요. 죽고 싶어요", DANGER), Topic.MEANS),
        (("커터칼 들고 욕실에 앉아 있어요",), Topic.ACTED),
        (("방금 수면제 서른 알 먹었어요",), Topic.COMPANY),
        (("지금 집에 혼자 있어요", "방금 수면제 서른 알 먹었어요"), Topic.PLACE),
        (("어제 죽으려고 약을 먹었어요",), Topic.BODY),
        (("친구가 죽고 싶대요",), Topic.IN_TOUCH),
        (("친구가 방금 약 먹었대요",), Topic.CALLED),
        (("그 사람을 죽여버리고 싶어요",), Topic.HARM_INTENT),
        (("남편이 술만 마시면 저를 때려요",), Topic.AWAY),
        (("남편이 때려서 지금 화장실에 숨어 있어요",), Topic.REFUGE),
    ],
)
async def test_is_the_most_important_that_was_neither_told_nor_asked(messages, topic):
    _, said = await told(*messages)
    assert asked(said.reply) == [topic]
    assert len(questions_of(said.reply)) == 1


async def test_after_a_yes_to_the_direct_question_is_how_and_when():
    _, said = await told("더는 못 버티겠어요", "네")
    assert (said.outcome.flags, asked(said.reply)) == (("crisis",), [Topic.PLAN])


@pytest.mark.parametrize("texts", [(DANGER,) * 12, (DANGER, "지금 옥상에 있어요") * 6, ("남편이 매일 때려요",) * 8])
async def test_is_never_that_of_the_reply_before(texts):
    talk = Talk()
    replies = [(await talk.say(text)).reply for text in texts]
    assert [len(questions_of(reply)) for reply in replies] == [1] * len(texts)
    assert [one for one, later in pairwise(replies) if questions_of(one)[-1] == questions_of(later)[-1]] == []


async def test_evaded_by_words_about_something_else_is_asked_once_more():
    talk = await after("방금 수면제 서른 알 먹었어요")
    replies = [(await talk.say(text)).reply for text in ("비가 와요", "회사에서 잘렸어요")]
    assert [asked(reply) for reply in replies] == [[Topic.COMPANY], []]


async def test_a_yes_to_the_means_asked_by_the_protocol_is_imminent():
    talk = await after(DANGER, DANGER, "정말 죽고 싶어요")
    await talk.say("네, 있어요")
    assert talk.state.risk.outcome is CrisisOutcome.IMMINENT


async def test_no_slot_is_open_after_a_protocol_reply(talk):
    assert talk.state.last_asked is not None
    await talk.say(DANGER)
    assert talk.state.last_asked is None
