"""What the safety rules find in a message as it comes."""

import pytest

from shared.content.first_reading import END, ends_of, read_first
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need


@pytest.mark.parametrize(
    ("text", "outcome", "need"),
    [
        ("이제 정말 죽고 싶어요", CrisisOutcome.CRISIS, Need.LIFE),
        ("I want to kill myself", CrisisOutcome.CRISIS, Need.LIFE),
        ("남편이 때려서 지금 화장실에 숨어 있어요", CrisisOutcome.ABUSE_NOW, Need.VIOLENCE),
        ("남편이 매일 때려서 죽고 싶어요", CrisisOutcome.CRISIS, Need.VIOLENCE),
    ],
)
def test_a_danger_is_found_with_all_that_it_calls_for(text: str, outcome: CrisisOutcome, need: Need) -> None:
    reading = read_first(text)
    assert (reading.outcome, reading.pressing) == (outcome, True)
    assert need in reading.needs
    assert reading.rule_ids
    assert text not in reading.model_dump_json()


@pytest.mark.parametrize("text", ["오늘은 날씨가 좋네요", "배고파 죽겠어요", "", "The weather is nice today"])
def test_what_is_no_danger_is_none(text: str) -> None:
    reading = read_first(text)
    assert (reading.outcome, reading.pressing, reading.needs) == (CrisisOutcome.NONE, False, ())


def test_of_a_long_text_both_ends_are_read_and_never_more_than_two_messages() -> None:
    text = "가" * END + "나" * 50_000 + "다" * END
    assert ends_of(text) == f"{'가' * END}\n\n{'다' * END}"
    assert ends_of(text[: 2 * END]) == text[: 2 * END]
