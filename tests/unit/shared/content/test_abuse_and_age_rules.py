"""The rules for abuse and age on whole messages, and the replies to users under 14."""

import re
from itertools import pairwise

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.wordings import nth
from shared.locale import Locale, Register
from shared.safety.abuse import AbuseKind
from shared.safety.matcher import Family
from shared.safety.needs import Need
from tests.builders.sentences import sentences

_ABUSE, _AGES = sentences("safety/abuse_examples"), sentences("safety/age_examples")
_VOICES = [
    *(Voice(locale=Locale.KO, register_=register, minor=True) for register in (Register.FORMAL, Register.CASUAL)),
    Voice(locale=Locale.EN, register_=Register.FORMAL, minor=True),
]
_OTHER_REGISTER = {"ko_casual": r"(?:요|니다|세요)[.?!]|시겠", "ko": r"(?:할게|[했있없]어|이야|거야|해 줘)[.?!]"}


def _age(text):
    return content().screening.screen(text).age


def test_each_example_message_has_its_expected_outcome():
    written = {text: outcome for outcome, texts in _ABUSE["outcomes"].items() for text in texts}
    read = {text: content().screening.screen(text).abuse.outcome for text in written}
    assert {text: outcome for text, outcome in read.items() if outcome != written[text]} == {}


@pytest.mark.parametrize(
    ("examples", "found"),
    [
        (_ABUSE["kinds"], lambda text: content().screening.screen(text).abuse.kinds),
        (_AGES["ages"], lambda text: {_age(text)}),
        (_AGES["owners"], lambda text: {one.rule.outcome for one in content().screening.matches(text) if not one.by}),
    ],
    ids=["kind of abuse", "the writer's age", "owner of the age"],
)
def test_the_abuser_the_age_and_its_owner_are_found(examples, found):
    assert examples
    missed = [(what, text) for what, texts in examples.items() for text in texts["told"] if what not in found(text)]
    mistaken = [(what, text) for what, texts in examples.items() for text in texts["others"] if what in found(text)]
    assert (missed, mistaken) == ([], [])


def test_every_kind_of_abuse_has_a_rule_in_each_language():
    rules = [rule for rule in content().screening.rules if rule.family is Family.ABUSE]
    for language in ("ko-", "en-"):
        assert {AbuseKind(rule.kind) for rule in rules if rule.id.startswith(language)} == set(AbuseKind)


def test_the_age_of_another_person_or_in_the_past_is_not_the_writers_age():
    assert {text: age for text in ("", *_AGES["not_stated"]) if (age := _age(text)) is not None} == {}


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
def test_the_reply_to_a_user_under_14_gives_the_reason_and_the_help_lines(voice):
    texts = [content().under_14_replies.reply(voice, nth(n), (Need.SCHOOL,)) for n in range(4)]
    assert [one for one, other in pairwise(texts) if one == other] == []
    for text in texts:
        assert [number for number in ("1388", "117", "14") if number not in text] == []
        assert "{" not in text
        spoken = re.sub(r"“[^”]*”|·.*", "", text)
        assert voice.key == "en" or not re.search(_OTHER_REGISTER[voice.key], spoken)
    assert re.search(r"누구의 동의도 없이|without anybody's consent", content().under_14_replies.addition(voice))
