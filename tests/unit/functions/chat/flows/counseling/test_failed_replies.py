"""No failed reply leaves a user without the lines where nobody has read the message, or a risk is or was open."""

import pytest

from functions.chat.flows.booking.manifest import booking
from shared.content.catalogue import content
from shared.domain.counseling.risk_events import RiskReviewed
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import WrapUpProposed
from shared.domain.errors import ModelBlocked, ModelStreamBroken, ModelUnavailable
from shared.lexicon.asking import asks_of
from shared.locale import Locale, Register
from tests.builders.talk import Talk, after
from tests.fakes.scripted_model import Stream

UNSEEN = {"ko": "아까 그거 다 먹었어요 이제 졸려요", "en": "i had what was left in the drawer. sleepy now"}
PLAIN, DANGER = "오늘은 그냥 집에 있었어요", "요즘 자꾸 죽고 싶어요"
LINES = {"ko": ("109", "119"), "en": ("988", "911", "116 123", "999", "109", "119")}
VOICES = ({"locale": "ko"}, {"locale": "ko", "register": "반말"}, {"locale": "en"})
FAULTS = (ModelUnavailable("503"), ModelBlocked("SAFETY"), "", Stream((), ModelStreamBroken("cut")))
WHOLE = "그 시간을 혼자 버티고 계셨군요. 많이 외로우셨겠어요."


def away(talk, fault=FAULTS[0]):
    """Let every agent meet this fault."""
    talk.model.scripts = dict.fromkeys(talk.model.scripts, fault)
    return talk


def names_the_lines(reply, locale="ko"):
    return all(reply.count(number) == 1 for number in LINES[locale])


@pytest.mark.parametrize("fault", FAULTS, ids=repr)
@pytest.mark.parametrize("opened", VOICES, ids=str)
async def test_a_message_that_nobody_read_gets_the_lines_and_one_question(opened, fault):
    talk = away(Talk(**opened), fault)
    replies = [(await talk.say(UNSEEN[opened["locale"]])).reply for _ in range(3)]
    assert all(names_the_lines(reply, opened["locale"]) for reply in replies)
    assert [len(asks_of(reply)) for reply in replies] == [1, 1, 1]
    assert len({reply.partition("\n")[0] for reply in replies}) == len({asks_of(reply) for reply in replies}) == 3
    assert talk.state.repeat_asked_seq == 3


async def test_who_has_said_that_they_are_in_danger_is_asked_that_no_more():
    talk = away(Talk())
    first, _, third = [
        (await talk.say(text)).reply for text in (UNSEEN["ko"], "네", "팀장님이 다들 있는 데서 소리를 질렀어요")
    ]
    assert "119" in third
    replies = content().crisis_replies
    assert (replies.asks_if_urgent(first), replies.asks_if_urgent(third), len(asks_of(third))) == (True, False, 1)


async def test_a_turn_that_broke_before_anybody_read_the_message_gets_them():
    talk = Talk()
    assert names_the_lines(talk.flow.apologize(talk.turn(UNSEEN["ko"])).reply)


@pytest.mark.parametrize(
    "danger",
    [DANGER, "남편이 저를 자주 때려요", "친구가 죽고 싶대요", "그 사람을 죽여버리고 싶어요", "더는 못 버티겠어요"],
)
@pytest.mark.parametrize("read", [True, False])
async def test_in_an_open_risk_every_failed_reply_has_them(danger, read):
    talk = await after(danger)
    if read:
        talk.model.scripts["counselor"] = FAULTS[0]
    else:
        away(talk)
    said = await talk.say(PLAIN)
    assert "degraded" in said.outcome.flags
    assert names_the_lines(said.reply)
    assert len(asks_of(said.reply)) <= 2


async def test_a_failed_reply_after_a_risk_that_is_over_has_them():
    talk = await after(DANGER)
    talk.happen(RiskReviewed(reviewer="r1", seq=1))
    talk.model.scripts["counselor"] = FAULTS[0]
    assert names_the_lines((await talk.say(PLAIN)).reply)


async def test_a_concern_that_only_rules_heard_has_them():
    assert names_the_lines((await away(Talk()).say("더는 못 버티겠어요")).reply)


async def test_a_reply_that_broke_after_some_words_keeps_them_and_has_the_lines():
    broken = Stream((WHOLE, " 그리"), ModelStreamBroken("cut"))
    for talk in (await after(DANGER), away(Talk())):
        talk.model.scripts["counselor"] = broken
        said = await talk.say(PLAIN)
        assert said.reply.startswith(WHOLE)
        assert names_the_lines(said.reply)


async def test_a_message_that_was_read_and_is_harmless_is_asked_for_again_as_before():
    talk = Talk()
    talk.model.scripts["counselor"] = FAULTS[0]
    reply = (await talk.say(PLAIN)).reply
    assert reply in content().messages(Locale.KO, Register.FORMAL).variants("degraded_reply")


async def test_a_plain_yes_to_what_code_asked_needs_none():
    talk = await after(PLAIN)
    talk.happen(WrapUpProposed(aim=WrapUpAim.WRAP_UP, seq=1))
    assert not names_the_lines((await away(talk).say("네")).reply)


@pytest.mark.parametrize("answer", ["네", "아니요"])
async def test_a_plain_answer_to_the_question_of_a_failed_reply_gets_them_again(answer):
    talk = away(Talk())
    await talk.say(UNSEEN["ko"])
    assert names_the_lines((await talk.say(answer)).reply)


async def test_what_is_sent_again_after_a_failed_reply_counts_for_the_task():
    talk = Talk()
    scripts = dict(talk.model.scripts)
    await away(talk).say(PLAIN)
    talk.model.scripts = scripts
    said = await talk.say(PLAIN)
    assert "WordsSetAside" not in said.events


async def test_words_that_got_such_a_reply_are_not_circular_when_they_are_sent_again():
    talk = Talk()
    scripts = dict(talk.model.scripts)
    await away(talk).say("회사에서 팀장님이 저만 미워하는 것 같아요")
    talk.model.scripts = scripts
    said = await talk.say("회사에서 팀장님이 저만 미워하는 것 같아요")
    assert not said.state.user_state.circular


@pytest.mark.parametrize("opened", VOICES, ids=str)
async def test_a_booking_that_failed_has_them(opened):
    talk = Talk(**opened)
    flow = booking(content(), None, content().booking_calendar).flow
    reply = flow.apologize(talk.turn(UNSEEN[opened["locale"]])).reply
    assert names_the_lines(reply, opened["locale"])
    assert len(asks_of(reply)) == 1
