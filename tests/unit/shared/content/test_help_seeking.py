"""The words that guide a user in danger to people: what they hear, and what they must and must not say."""

import re
from types import SimpleNamespace

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.help_seeking import CircumstancePhrases, SpokenToPhrases, ToldPhrases
from shared.content.wordings import nth
from shared.locale import Locale, Register
from shared.safety.help_seeking import Barrier, Circumstance, Inquiry, Step
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import Topic
from shared.safety.screening import readings_of
from tests.support.phone_numbers import listed_numbers, numbers_in

WORDS, WRITTEN = content().help_seeking, content().help_seeking.written
PROTOCOL = content().crisis_replies
VOICES = [
    Voice(locale=Locale.KO, register_=Register.FORMAL),
    Voice(locale=Locale.KO, register_=Register.CASUAL),
    Voice(locale=Locale.EN, register_=Register.FORMAL),
]
TOLD = SimpleNamespace(**{f"told_{name}": getattr(WRITTEN.told, name) for name in ToldPhrases.model_fields})
SPOKEN_TO = SimpleNamespace(
    **{f"about_{name}": getattr(WRITTEN.speaks_to, name) for name in SpokenToPhrases.model_fields}
)
FOUND = {
    **{
        Circumstance(name): (WRITTEN.circumstances, lambda said, name=name: name in WORDS.circumstances(said))
        for name in CircumstancePhrases.model_fields
    },
    **{one: (WRITTEN.barriers, lambda said, one=one: one in WORDS.barriers(said, asked=True)) for one in Barrier},
    **{
        f"about_{name}": (SPOKEN_TO, lambda said, name=name: WORDS.speaks_to(Topic(name), said))
        for name in SpokenToPhrases.model_fields
    },
    **{f"told_{name}": (TOLD, lambda said, name=name: name in WORDS.told(said)) for name in ToldPhrases.model_fields},
}
ALONE = {
    "means_kept": WORDS.means_kept,
    "means_near": WORDS.means_near,
    "means_in_hand": WORDS.means_in_hand,
    "drunk": WORDS.drunk,
    "refuses_answer": WORDS.refuses_answer,
    "takes_up": WORDS.takes_up,
    "declines": WORDS.declines,
}
OWN_LIFE = [CrisisOutcome.CONCERN, CrisisOutcome.CRISIS, CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED]
MEANS = r"(?<!예)약을|알약|수면제|칼|손목|목을|뛰어내|옥상|번개탄|한강|pills?\b|knife|\brope|jump|overdose"
RELATIVE = r"가족|식구|부모|엄마|아빠|남편|아내|family|parent|mother|father|husband|wife|partner"
PROMISE = r"약속|맹세|promise|swear"


def texts(voice):
    steps = [WORDS.step(step, voice, nth(n)) for step in Step for n in (0, 1)]
    steps += [WORDS.steadying(voice, nth(n)) for n in (0, 1)]
    questions = [text for one in Inquiry for text in WORDS.questions(one, voice)]
    answers = [WORDS.answer(one, voice) for one in Barrier]
    return steps, questions, answers


@pytest.mark.parametrize("kind", [*FOUND, *ALONE])
def test_each_list_of_phrases_hears_its_examples_and_none_of_the_others(kind):
    part, hears = FOUND[kind] if kind in FOUND else (WRITTEN, ALONE[kind])
    phrases = getattr(part, str(kind))
    assert [text for text in phrases.positives if not hears(readings_of(text))] == []
    assert [text for text in phrases.negatives if hears(readings_of(text))] == []


def test_what_may_be_the_despair_itself_is_a_barrier_only_beside_words_about_help():
    about_help = WRITTEN.about_help
    assert [text for text in about_help.negatives if WORDS.barriers(readings_of(text), asked=False)] == []
    assert [text for text in about_help.positives if not WORDS.barriers(readings_of(text), asked=False)] == []


@pytest.mark.parametrize("about", Inquiry)
def test_a_question_of_a_reply_is_recognised_by_what_it_asks(about):
    phrases = getattr(WRITTEN.asks, about.value)
    assert [text for text in phrases.positives if about not in WORDS.asked_in(text)] == []
    assert [text for text in phrases.negatives if about in WORDS.asked_in(text)] == []


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.key)
class TestTheTexts:
    def test_each_question_asks_one_thing_that_code_recognises_again_and_the_rest_asks_nothing(self, voice):
        steps, questions, answers = texts(voice)
        assert [text for text in questions if text.count("?") != 1] == []
        for about in Inquiry:
            assert {WORDS.asked_in(text) for text in WORDS.questions(about, voice)} == {(about,)}
        assert [text for text in steps + answers if "?" in text] == []

    def test_they_name_no_means_ask_no_promise_and_show_only_listed_numbers(self, voice):
        steps, questions, answers = texts(voice)
        everything = steps + questions + answers
        assert [text for text in everything if re.search(f"{MEANS}|{PROMISE}", text, re.IGNORECASE)] == []
        assert {number for text in everything for number in numbers_in(text)} <= listed_numbers()

    def test_the_step_for_a_home_that_is_not_safe_names_no_relative_but_lines_and_the_police(self, voice):
        said = [WORDS.step(Step.UNSAFE_HOME, voice, nth(n)) for n in (0, 1)]
        assert [text for text in said if re.search(RELATIVE, text)] == []
        lines = {"112"} if voice.locale is Locale.EN else {"112", "1366", "1577-0199"}
        assert [text for text in said if not lines <= set(numbers_in(text))] == []

    def test_a_barrier_is_answered_with_something_to_do_and_secrecy_is_promised_to_nobody(self, voice):
        assert all(len(WORDS.answer(one, voice)) > 40 for one in Barrier)
        kept = WORDS.answer(Barrier.PARENTS, voice)
        assert "119" in kept or "life is in danger" in kept

    @pytest.mark.parametrize("outcome", OWN_LIFE)
    def test_every_reply_about_the_users_own_life_says_that_it_is_an_ai_and_what_it_cannot_do(self, voice, outcome):
        variants = len(getattr(PROTOCOL.written.replies, outcome.value).ko)
        for n in range(variants):
            (sentence, *_) = [
                one for one in re.split(r"(?<=[.!?])\s", PROTOCOL.reply(outcome, voice, nth(n))) if "AI" in one
            ]
            assert re.search(r"없|못|can't|no substitute|not help enough", sentence), sentence

    def test_every_reply_to_a_wish_to_die_names_professional_care_beside_the_lines(self, voice):
        replies = [PROTOCOL.reply(CrisisOutcome.CRISIS, voice, nth(n)) for n in range(4)]
        assert [text for text in replies if not re.search(r"병원|의사|doctor", re.sub(r"(?m)^·.*", "", text))] == []


@pytest.mark.parametrize("outcome", OWN_LIFE)
def test_in_english_where_the_lines_of_several_countries_stand_it_says_that_one_is_enough(outcome):
    assert all("One of them is enough" in PROTOCOL.reply(outcome, VOICES[2], nth(n)) for n in range(4))
