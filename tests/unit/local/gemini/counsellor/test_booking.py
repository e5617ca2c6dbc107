"""The demo's model words the questions of bookings."""

import pytest

from functions.chat.flows.booking.asker import ASKER, AskerInput
from functions.chat.flows.booking.extractor import EXTRACTOR, ExtractedValues, ExtractorInput
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.protocol import Content
from shared.locale import Locale


@pytest.mark.parametrize("locale", Locale)
def test_asks_what_the_prompt_asks_after_its_reasons(locale):
    given = AskerInput(
        speech_register="존댓말",
        parse_error=False,
        slot_errors=("그 시각은 벌써 다 찼어요.",),
        facts=("12월 2일에는 오전 10시에 시작할 수 있어요.",),
        question="몇 시가 좋으세요?",
        known="12월 2일 수요일",
    )
    system = ASKER.prompt.render(locale, given).system
    said = CounsellorBrain().answer_text(system, [Content(role="user", text="3시요")])
    assert said == "그 시각은 벌써 다 찼어요. 12월 2일에는 오전 10시에 시작할 수 있어요. 몇 시가 좋으세요?"


def test_finds_a_holiday_and_a_time_that_the_rules_do_not_know_in_the_clients_words():
    given = ExtractorInput(
        today="2026-11-27", weekday="금요일", now="09:00", asked="date", text="새해 첫날 퇴근하고 통화요"
    )
    prompt = EXTRACTOR.prompt.render(Locale.KO, given)
    found = CounsellorBrain().answer_json(
        ExtractedValues.model_json_schema(), prompt.system, [Content(role="user", text=prompt.user)]
    )
    assert found is not None
    assert (found["date_words"], found["date"]) == ("새해 첫날", "2027-01-01")
    assert (found["time_words"], found["time"], found["way"]) == ("퇴근하고", "19:00", "phone")
