"""Every rule of ages holds its own examples; what is said to somebody under 14 says what it must."""

import re

import pytest

from shared.content.age_rules import age_file, age_rules, under_14_behind, under_14_reply
from shared.content.crisis_protocol import Voice
from shared.locale import Locale, Register
from shared.safety.ages import stated_age
from shared.safety.needs import Need
from shared.safety.normalise import normalise

_RULES = age_file().rules
_VOICES = [
    Voice(locale=Locale.KO, register_=Register.FORMAL, minor=True),
    Voice(locale=Locale.KO, register_=Register.CASUAL, minor=True),
    Voice(locale=Locale.EN, register_=Register.FORMAL, minor=True),
]


@pytest.mark.parametrize(("age", "text"), [(rule.age, text) for rule in _RULES for text in rule.positives])
def test_a_positive_states_its_age(age, text):
    assert stated_age(text, age_rules()) is age


@pytest.mark.parametrize(("rule_id", "text"), [(rule.id, text) for rule in _RULES for text in rule.negatives])
def test_a_negative_is_not_found_by_its_rule(rule_id, text):
    assert all(rule_id not in age_rules().rules.hits(reading) for reading in normalise(text))


@pytest.mark.parametrize(
    "text",
    [
        "우리 애가 중2예요",
        "중2 때 많이 힘들었어요",
        "중2병인가 봐요",
        "중2 담임이에요",
        "남동생은 열세 살이에요",
        "중요한 이야기예요",
        "지금 상담 중이에요",
        "상담한 지 13일이에요",
        "13만 원이에요",
        "my daughter is 13",
        "저는 두 아이 엄마예요. 13살, 10살이에요. 이혼하고 너무 힘들어요",
        "제 딸 얘기예요. 열두 살이에요",
        "우리 딸이요. 13살이에요",
        "마음은 아직 열두 살이에요",
        "제 정신연령은 13살이에요",
        "she said I'm 13",
        "I feel like I'm 12",
        "I'm 5 and a half months pregnant",
        "when I was in 8th grade",
        "I'm 15 minutes late",
        "",
    ],
)
def test_anothers_age_and_the_past_are_not_the_writers(text):
    assert stated_age(text, age_rules()) is None


@pytest.mark.parametrize("name", ["of_another", "of_self"])
def test_whom_an_age_belongs_to_is_told_by_its_examples(name):
    written, rules = getattr(age_file(), name), getattr(age_rules(), name)
    assert [text for text in written.positives if not any(map(rules.hits, normalise(text)))] == []
    assert [text for text in written.negatives if any(map(rules.hits, normalise(text)))] == []


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
@pytest.mark.parametrize("n", range(3))
def test_somebody_under_14_is_told_why_and_who_is_there_and_blamed_for_nothing(voice, n):
    text = under_14_reply(voice, n, (Need.SCHOOL,))
    assert "1388" in text
    assert "117" in text
    assert "14" in text
    assert text != under_14_reply(voice, n + 1, (Need.SCHOOL,))
    assert "{" not in text
    spoken = re.sub(r"“[^”]*”|·.*", "", text)
    if voice.key == "ko_casual":
        assert not re.search(r"(?:요|니다|세요)[.?!]|시겠", spoken)
    elif voice.key == "ko":
        assert not re.search(r"(?:할게|[했있없]어|이야|거야|해 줘)[.?!]", spoken)


@pytest.mark.parametrize("voice", _VOICES, ids=lambda voice: voice.key)
def test_behind_a_crisis_they_are_told_that_the_numbers_need_nobodys_consent(voice):
    assert re.search(r"누구의 동의도 없이|without anybody's consent", under_14_behind(voice))
