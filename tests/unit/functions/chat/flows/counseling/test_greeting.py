import pytest

from functions.chat.flows.counseling.greeting import QUOTE_LENGTH, clipped


def test_the_first_sentence_is_quoted():
    cases = [
        ("떨리는 순간을 함께 살펴봐요. 천천히 해요.", "떨리는 순간을 함께 살펴봐요"),
        ("덜 떨고 싶어요", "덜 떨고 싶어요"),
        ("무엇부터 해 볼까요? 같이 정해요.", "무엇부터 해 볼까요?"),
        ("하루 7.5시간 자기", "하루 7.5시간 자기"),
        ("  줄이\n나뉜   말 ", "줄이 나뉜 말"),
        ("“나만 뒤처진다”는 생각", "나만 뒤처진다는 생각"),
        ("", ""),
    ]
    assert {quoted: got for words, quoted in cases if (got := clipped(words)) != quoted} == {}


@pytest.mark.parametrize("words", ["아주 긴 바람을 " * 30, "가" * 300])
def test_a_long_one_is_cut_and_says_so(words):
    quoted = clipped(words)
    assert len(quoted) <= QUOTE_LENGTH
    assert quoted.endswith("…")
    assert words.startswith(quoted.removesuffix("…"))
