"""What a user asks of the AI that it is not or cannot do: what is heard, and the fixed answers."""

import re

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.locale import Locale, Register
from shared.safety.demands import Demand
from shared.safety.screening import readings_of
from tests.support.phone_numbers import listed_numbers, numbers_in

WORDS = content().demands
VOICES = [
    Voice(locale=Locale.KO, register_=Register.FORMAL),
    Voice(locale=Locale.KO, register_=Register.CASUAL),
    Voice(locale=Locale.EN, register_=Register.FORMAL),
]
MEANS = r"(?<![예요])약을|알약|수면제|칼|손목|목을|뛰어내|옥상|번개탄|한강|pills?\b|knife|\brope|jump|overdose"
DANGER_ONLY = {Demand.ONLY, Demand.PROMISE, Demand.METHOD, Demand.PRESENT, Demand.BLAME}


@pytest.mark.parametrize("demand", Demand)
def test_each_demand_hears_its_examples_and_none_of_the_others(demand):
    written = getattr(WORDS.written.demands, demand.value)
    assert [text for text in written.positives if demand not in WORDS.heard(readings_of(text))] == []
    assert [text for text in written.negatives if demand in WORDS.heard(readings_of(text))] == []


@pytest.mark.parametrize("voice", VOICES, ids=lambda voice: voice.key)
@pytest.mark.parametrize("demand", Demand)
class TestTheAnswers:
    def test_in_danger_say_what_an_ai_cannot_do_and_name_a_person_or_a_line_that_can(self, voice, demand):
        said = WORDS.in_danger(demand, voice)
        assert re.search(r"AI(?:라|,? and ).*(?:없|못|않|모자라|cannot|not enough|contact nobody)", said), said
        assert numbers_in(said) or "emergency number" in said
        assert len(said) < (330 if voice.locale is Locale.EN else 160)

    def test_say_what_an_ai_cannot_do_in_short_words_outside_a_danger(self, voice, demand):
        wordings = WORDS.otherwise(demand, voice)
        assert bool(wordings) is (demand not in DANGER_ONLY)
        limit = r"없|못|아니|않|cannot|nothing|not |no life|do not"
        assert [one for one in wordings if not re.search(limit, one) or len(one) > 170] == []
        assert all("AI" in one or demand is Demand.SECRECY for one in wordings)

    def test_ask_nothing_name_no_means_and_show_only_listed_numbers(self, voice, demand):
        everything = (WORDS.in_danger(demand, voice), *WORDS.otherwise(demand, voice))
        assert [one for one in everything if "?" in one or re.search(MEANS, one, re.IGNORECASE)] == []
        assert {number for one in everything for number in numbers_in(one)} <= listed_numbers()
