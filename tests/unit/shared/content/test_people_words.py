"""People are recognised where a text names them, and not in words that look alike."""

import pytest

from shared.content.catalogue import content

PEOPLE = content().people_words


@pytest.mark.parametrize(
    ("text", "groups"),
    [
        ("엄마와 싸운 이야기", ("mother",)),
        ("어머님께서 하신 말씀", ("mother",)),
        ("형이랑 지낸 일", ("older_brother",)),
        ("My mum and my boss", ("mother", "boss")),
        ("형편이 어려웠어요", ()),
        ("친구들과 지낸 시간", ("friend",)),
        ("딸기를 샀어요", ()),
        ("아이스크림을 먹었어요", ()),
        ("a reason to go on", ()),
    ],
)
def test_a_person_whom_nobody_told_of_is_found(text, groups):
    assert PEOPLE.unknown(text, "") == groups


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("어머니와의 일", "엄마랑 싸웠어요"),
        ("상사에게", "팀장님이요"),
        ("가족과", "오빠가 그랬어요"),
        ("your sister", "My older sister"),
    ],
)
def test_another_word_for_a_person_whom_the_user_told_of_is_fine(text, told):
    assert set(PEOPLE.unknown(text, told)) - {"colleague"} == set()


def test_a_narrower_word_than_the_users_is_not():
    assert PEOPLE.unknown("어머니 이야기", "가족이 걱정돼요") == ("mother",)
