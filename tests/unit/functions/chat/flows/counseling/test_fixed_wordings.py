"""A session hears no fixed sentence twice while another wording of it is unused, whatever is said in between."""

import pytest

from functions.chat.legacy.asked_before import fixed_openings, opening_of, unheard
from functions.chat.wordings import voice_of
from shared.content.catalogue import DATA
from shared.content.crisis_protocol import Voice
from shared.content.loader import load_yaml
from shared.content.schemas.messages import MessageFile
from shared.domain.counseling.risk_events import ProtocolReplied
from shared.domain.counseling.session_events import ReplyDegraded
from shared.locale import Locale, Register
from shared.safety.levels import Danger
from shared.safety.needs import Need
from shared.safety.output_guard.categories import Category
from tests.builders.answers import reads
from tests.builders.talk import Talk

VOICES = [("ko", "존댓말"), ("ko", "반말"), ("en", "존댓말")]
PLAIN = {"ko": "오늘은 그냥 집에 있었어요", "en": "I just stayed at home all of today"}
DANGER = {"ko": "죽고 싶어요", "en": "I want to die"}
STOP = {"ko": "그만할래요", "en": "Let's stop here for today"}
AWAY = 20
"""Turns after which no earlier reply is in the window."""

voices = pytest.mark.parametrize(("locale", "register"), VOICES)


def openings(voiced, locale, register):
    return {opening_of(text) for text in voiced.at(Locale(locale), Register(register))}


def in_reply(reply, wordings):
    (found,) = [text for text in wordings if opening_of(text) in reply]
    return found


def out_of_sight(talk):
    """Let the window hold no earlier reply."""
    talk.set(recent=(), seq=talk.state.seq + AWAY)


@voices
@pytest.mark.parametrize("skipped", [1, 3])
@pytest.mark.parametrize("kind", ["read", "unread"])
async def test_apologies_are_all_heard_before_one_comes_again_though_the_counter_moves_with_other_replies(
    locale, register, skipped, kind
):
    talk, heard = Talk(locale=locale, register=register), []
    unread = kind == "unread"
    if unread:
        talk.model.scripts = {}
    else:
        talk.model.scripts.pop("counselor")
    read = talk.content.messages(talk.state.locale, talk.state.register_).variants("degraded_reply")
    wordings = talk.content.crisis_replies.unread(voice_of(talk.state)) if unread else read
    for _ in wordings:
        heard.append(in_reply((await talk.say(PLAIN[locale])).reply, wordings))
        talk.happen(*[ReplyDegraded()] * (skipped - 1))
        out_of_sight(talk)
    assert sorted(heard) == sorted(wordings)
    assert in_reply((await talk.say(PLAIN[locale])).reply, wordings) == heard[0], "the one heard longest ago"


@voices
@pytest.mark.parametrize("skipped", [0, 2, 3])
async def test_care_and_the_question_whether_to_leave_are_all_heard_before_one_comes_again(locale, register, skipped):
    talk = Talk(locale=locale, register=register)
    talk.model.scripts = {}
    await talk.say(DANGER[locale])
    replies, voice = talk.content.crisis_replies, voice_of(talk.state)
    for text, wordings in (
        (PLAIN, replies.care(voice, Danger.OWN_LIFE)),
        (STOP, replies.leave_question(voice, (Need.LIFE,))),
    ):
        heard = []
        for _ in wordings:
            heard.append(in_reply((await talk.say(text[locale])).reply, wordings))
            talk.happen(*[ProtocolReplied()] * skipped)
            talk.set(recent=(), wrap_up=None)
        assert sorted(heard) == sorted(wordings)


@voices
@pytest.mark.parametrize("acknowledged", [False, True])
@pytest.mark.parametrize("skipped", [0, 1, 2])
async def test_the_protocols_replies_and_its_words_to_minors_are_all_heard_before_one_comes_again(
    locale, register, skipped, acknowledged
):
    talk = Talk(locale=locale, register=register, age_band="14_18")
    replies, heard, minors = talk.content.crisis_replies, [], []
    burden = {"ko": "저는 가족한테 짐만 돼요. ", "en": "I'm a burden to my family. "}[locale] if acknowledged else ""
    key = voice_of(talk.state).key
    texts, young = dict(replies.written.replies.crisis)[key], dict(replies.written.for_minors)[key]
    for _ in range(len(texts) + 1):
        reply = (await talk.say(f"{burden}{DANGER[locale]}")).reply
        heard += [n for n, text in enumerate(texts) if text[-25:] in reply]
        minors += [n for n, text in enumerate(young) if opening_of(text) in reply]
        talk.happen(*[ProtocolReplied()] * skipped)
        talk.set(recent=())
    assert (sorted(heard[:-1]), heard[-1]) == (list(range(len(texts))), heard[0])
    assert all(set(minors[at : at + len(young)]) == set(range(len(young))) for at in range(0, len(minors) - 3, 3))


def test_words_of_the_protocol_inside_another_sentence_do_not_count_as_heard():
    """As "말해 줘서 다행이야." in the reply to "지금은 안전해요"; the next danger would skip a wording unheard."""
    talk = Talk(register="반말")
    imminent = dict(talk.content.crisis_replies.written.replies.imminent)["ko_casual"][0]
    opening, following, *_ = imminent.split(". ")
    assert opening not in str(fixed_openings(f"그렇게 {following}. 하나만 더 물어볼게.", talk.state, talk.content))
    assert opening in str(fixed_openings(f"그랬구나. {following}. 무엇보다", talk.state, talk.content))


@voices
async def test_endings_of_the_guard_are_all_heard_before_one_comes_again(locale, register):
    talk = Talk(locale=locale, register=register)
    diagnosis = {
        "ko": {"존댓말": "이건 우울증이에요.", "반말": "너 우울증이야."},
        "en": {"존댓말": "You have depression."},
    }
    talk.model.scripts["counselor"] = diagnosis[locale][register]
    endings, voice = talk.content.safe_endings, (talk.state.locale, talk.state.register_)
    wordings = [endings.ending(Category.DIAGNOSIS, *voice, n) for n in (0, 1)]
    heard = []
    for _ in range(3):
        heard.append(in_reply((await talk.say(PLAIN[locale])).reply, wordings))
        talk.set(recent=(), seq=talk.state.seq + 1)
    assert heard[0] != heard[1] != heard[2]


async def test_a_message_after_the_end_never_brings_the_farewell_again(talk):
    talk.model.scripts["reader"] = reads("wants_to_stop")
    await talk.say("오늘은 여기까지 할게요")
    farewell = (await talk.say("네")).reply
    later = [(await talk.say(text)).reply for text in ("네", "고마워요", "안녕히 계세요")]
    assert sorted(later) == sorted(
        talk.content.messages(talk.state.locale, talk.state.register_).variants("after_the_end")
    )
    assert farewell not in later


def test_first_sentences_tell_fixed_texts_apart_and_have_no_placeholder(talk):
    for locale, register in VOICES:
        voice = Voice(locale=Locale(locale), register_=Register(register))
        words = talk.content
        written = (
            *words.crisis_replies.every_wording(voice),
            *words.under_14_replies.every_wording(voice),
            *words.help_seeking.every_wording(voice),
            *words.safe_endings.every_wording(voice.locale, voice.register_),
        )
        begun = [opening_of(text) for text in written]
        assert [one for one in begun if "{" in one] == []
        assert sorted(one for one in set(begun) if begun.count(one) > 1) == []
        others = words.messages(voice.locale, voice.register_).every_variant()
        assert [one for one in begun if any(one in text for text in others)] == []


def test_every_sentence_of_several_wordings_has_three_that_their_first_sentence_tells_apart():
    written = load_yaml(DATA / "messages.yaml", MessageFile).variants
    few = [
        key
        for key, voiced in written.items()
        for locale, register in VOICES
        if len(openings(voiced, locale, register)) < 3
    ]
    assert few == []


def test_the_counter_chooses_among_the_unheard(talk):
    wordings = ("하나예요.", "둘이에요.", "셋이에요.")
    assert [unheard(wordings, talk.state, first) for first in range(4)] == [*wordings, wordings[0]]
