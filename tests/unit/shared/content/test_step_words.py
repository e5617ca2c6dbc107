"""How a step of the safety plan is listed."""

import pytest

from shared.content.safety_plan import listed


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("형한테요. 근데 연락 잘 안 해요.", "형한테. 근데 연락 잘 안 해요"),
        ("EAP 상담사예요., 고양이예요", "EAP 상담사, 고양이"),
        ("아는 형이에요", "아는 형"),
        ("힘들 때요", "힘들 때"),
        *(
            (one, one)
            for one in ("숨이 막혀요", "음악을 듣고요", "힘들거든요", "아니요", "친구요", "힘든 거예요", "a walk")
        ),
    ],
)
def test_a_bare_noun_loses_its_polite_ending_and_a_sentence_stays_as_told(words, line):
    assert listed(words) == line
