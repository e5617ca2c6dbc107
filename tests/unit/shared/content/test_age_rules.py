"""What the rules find of ages in whole messages; what is said to somebody under 14 says what it must."""

import re

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.locale import Locale, Register
from shared.safety.needs import Need
from tests.support.sentences import sentences

_WRITTEN = sentences("safety/age_examples")
_VOICES = [
    Voice(locale=Locale.KO, register_=Register.FORMAL, minor=True),
    Voice(locale=Locale.KO, register_=Register.CASUAL, minor=True),
    Voice(locale=Locale.EN, register_=Register.FORMAL, minor=True),
]


def _owners(text):
    return {match.rule.outcome for match in content().screening.matches(text) if match.by is None}


def _age(text):
    return content().screening.screen(text).age


def test_a_message_states_the_age_that_is_written_beside_it():
    ages = _WRITTEN["ages"].items()
    missed = [(age, text) for age, texts in ages for text in texts["told"] if _age(text) != age]
    mistaken = [(age, text) for age, texts in ages for text in texts["others"] if _age(text) == age]
    assert (missed, mistaken) == ([], [])


def test_anothers_age_and_the_past_are_not_the_writers():
    assert {text: age for text in ("", *_WRITTEN["not_stated"]) if (age := _age(text)) is not None} == {}


def test_whom_an_age_belongs_to_is_told_by_its_examples():
    owners = _WRITTEN["owners"].items()
    missed = [(owner, text) for owner, texts in owners for text in texts["told"] if owner not in _owners(text)]
    mistaken = [(owner, text) for owner, texts in owners for text in texts["others"] if owner in _owners(text)]
    assert (missed, mistaken) == ([], [])


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
def test_somebody_under_14_is_told_why_and_who_is_there_and_blamed_for_nothing(voice):
    for n in range(3):
        text = content().under_14_replies.reply(voice, n, (Need.SCHOOL,))
        assert "1388" in text
        assert "117" in text
        assert "14" in text
        assert text != content().under_14_replies.reply(voice, n + 1, (Need.SCHOOL,))
        assert "{" not in text
        spoken = re.sub(r"“[^”]*”|·.*", "", text)
        if voice.key == "ko_casual":
            assert not re.search(r"(?:요|니다|세요)[.?!]|시겠", spoken)
        elif voice.key == "ko":
            assert not re.search(r"(?:할게|[했있없]어|이야|거야|해 줘)[.?!]", spoken)


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
def test_behind_a_crisis_they_are_told_that_the_numbers_need_nobodys_consent(voice):
    assert re.search(r"누구의 동의도 없이|without anybody's consent", content().under_14_replies.addition(voice))
