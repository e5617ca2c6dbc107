"""Names and values of slots as the simulator reads them, in Korean and English."""

import pytest

from local.gemini.counsellor.name_changes import current_name
from local.gemini.counsellor.names import name_in
from local.gemini.counsellor.slots import Wanted, corrections, slots_in

NAMES = [
    *(("저는 지훈이에요", "지훈"), ("제 이름은 박서연입니다", "박서연"), ("지훈이라고 해요", "지훈")),
    *(("그냥 별이라고 불러 주세요", "별"), ("안녕하세요, 저는 수아예요. 발표만 하면 너무 떨려요.", "수아")),
    *(("저는 지훈이 아니라 지은이에요", "지은"), ("지훈 말고 지은이라고 불러 주세요", "지은")),
    *(("저는 지은이에요, 지훈이 아니라", "지은"), ("I'm not Tom, I'm Tim", "Tim"), ("My name is Sam", "Sam")),
]
BARE = [
    *(("지훈이요", "지훈"), ("지훈", "지훈"), ("민지요", "민지"), ("네, 유진이에요", "유진"), ("음.. 콩이요", "콩")),
    ("Alex", "Alex"),
]


@pytest.mark.parametrize(
    ("asked", "text", "name"), [*((False, *row) for row in NAMES), *((True, *row) for row in BARE)]
)
def test_a_name_is_read_from_an_introduction_or_from_a_bare_word_after_the_question(asked, text, name):
    found = name_in(text, asked=asked)
    assert (found.name, found.quote in text) == (name, True)


@pytest.mark.parametrize(
    "text",
    [
        *("음 딱히", "저는 회사원이에요", "저는 서른이에요", "저는 우울해요", "모르겠어요", "비밀이에요", "네"),
        *("전 요즘 잠을 못 자요", "저는 지훈이 아니에요", "지훈이라고 부르지 마세요", "I'm tired"),
        *("저는 학생이 아니라 회사원이에요", "회사가 아니라 사람이 문제예요", "제 이름은 할머니가 지어 주셨어요"),
    ],
)
def test_other_words_in_the_place_of_a_name_are_not_read_as_a_name(text):
    assert name_in(text, asked=True) is None


WHY = "오늘은 어떤 마음으로 찾아오셨어요?"
BEFORE = "전에 상담을 받아 보신 적이 있으세요?"
WHO = "편하게 이야기할 사람이 곁에 있으세요?"
WISH = "앞으로 이야기를 나누면서 어떤 점이 조금 달라지면 좋겠어요?"
HOW = "힘들 때는 보통 어떻게 지나오세요?"
ALL = (
    *(Wanted("name", "name", "이름"), Wanted("reason", "text", "찾아온 이유")),
    *(Wanted("prior_counseling", "boolean", "상담 경험"), Wanted("support_people", "text", "기댈 수 있는 사람")),
    *(Wanted("coping_style", "text", "힘들 때 하는 것"), Wanted("session_goal", "text", "상담 목표")),
)


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        *(("요즘 회사 일이 너무 힘들어요", "", {"reason": "요즘 회사 일이 너무 힘들어요"}), ("안녕하세요", WHY, {})),
        *(("잘 모르겠어요", WHY, {}), ("말하기 싫어요", WHY, {})),
        ("아니요 처음이에요", BEFORE, {"prior_counseling": "false"}),
        *(("네", BEFORE, {"prior_counseling": "true"}), ("없어요", BEFORE, {"prior_counseling": "false"})),
        *(("없어요", WHO, {"support_people": "없어요"}), ("산책을 해요", HOW, {"coping_style": "산책을 해요"})),
        ("그냥 친구 한 명만 있었으면 좋겠어요", BEFORE, {"session_goal": "그냥 친구 한 명만 있었으면 좋겠어요"}),
        *(("네 그래도 이렇게 말하니까 조금 나아요", BEFORE, {}), ("친구가 없어요", BEFORE, {}), ("왜요?", HOW, {})),
        *(("엄마는 상담은 처음이래요", BEFORE, {}), ("상담은 처음이에요", WHO, {"prior_counseling": "false"})),
        ("아침에 덜 불안하면 좋겠어요", WISH, {"session_goal": "아침에 덜 불안하면 좋겠어요"}),
    ],
)
def test_slot_values_are_read_with_a_quote_from_the_message(text, question, expected):
    found = slots_in(text, ALL, question)
    assert {one.name: one.value for one in found} == expected
    assert all(one.quote in text for one in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("저는 지훈이 아니라 지은이에요", {"name": "지은"}),
        *(("아 이름 잘못 말했어요. 저는 지혜예요", {"name": "지혜"}), ("이름 오타났어요. 지혜요", {"name": "지혜"})),
        *(("아뇨 지은이에요", {"name": "지은"}), ("상담은 처음이에요", {"prior_counseling": "false"})),
        *(("지훈이라고 불러 주세요", {}), ("저는 지훈이 아니에요", {}), ("아니요 엄마예요", {})),
        *(("저는 학생이 아니라 회사원이에요", {}), ("친구는 상담은 처음이래요", {}), ("없어요", {})),
        ("네 맞아요", {}),
    ],
)
def test_a_known_value_is_corrected_only_if_the_message_corrects_it(text, expected):
    found = corrections(text, {"name": "지훈", "prior_counseling": "True"})
    assert {one.name: one.value for one in found} == expected
    assert all(one.quote in text for one in found)


@pytest.mark.parametrize(
    ("texts", "known", "name"),
    [
        (["저는 지훈이에요", "제 이름은 지훈이 아니에요"], "지훈", ""),
        (["저는 지훈이에요", "제 이름은 지훈이 아니에요", "지은이요"], "지훈", "지은"),
        (["저는 지훈이 아니라 지은이에요"], "지훈", "지은"),
        (["저는 지훈이 아니라 지은이에요", "요즘 힘들어요"], "지은", "지은"),
        (["지훈이라고 불러 주세요", "저는 지은이에요"], "지은", "지은"),
        (["저는 지훈이에요", "요즘 힘들어요"], "지훈", "지훈"),
        (["힘들어요"], "", ""),
    ],
)
def test_a_denied_name_is_not_used(texts, known, name):
    assert current_name(texts, known) == name
