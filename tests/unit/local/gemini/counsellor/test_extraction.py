"""Values are taken only from what was said, with the words that hold them."""

import pytest

from local.gemini.counsellor.name_changes import current_name
from local.gemini.counsellor.names import name_in
from local.gemini.counsellor.slots import Wanted, corrections, slots_in
from shared.content.catalogue import content
from shared.domain.slots import Invalid, validate
from shared.locale import Locale, Register

NAME = Wanted("name", "name", "이름")
REASON = Wanted("reason", "text", "찾아온 이유")
PRIOR = Wanted("prior_counseling", "boolean", "상담 경험")
PEOPLE = Wanted("support_people", "text", "기댈 수 있는 사람")
COPING = Wanted("coping_style", "text", "힘들 때 하는 것")
GOAL = Wanted("session_goal", "text", "상담 목표")
ALL = (NAME, REASON, PRIOR, PEOPLE, COPING, GOAL)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("저는 지훈이에요", "지훈"),
        ("이름은 김민지예요", "김민지"),
        ("제 이름은 박서연입니다", "박서연"),
        ("지훈이라고 해요", "지훈"),
        ("보라라고 해요", "보라"),
        ("제이라고 불러주세요", "제이"),
        ("그냥 별이라고 불러 주세요", "별"),
        ("안녕하세요, 저는 수아예요. 발표만 하면 너무 떨려요.", "수아"),
        ("저는 지훈이고 회사 일이 너무 힘들어요", "지훈"),
        ("나는 민지야", "민지"),
        ("저는 지은이에요", "지은"),
        ("김지훈입니다", "김지훈"),
        ("저는 Alex예요", "Alex"),
        ("저는 지훈이 아니라 지은이에요", "지은"),
        ("저는 수아가 아니라 수지예요", "수지"),
        ("지훈 말고 지은이라고 불러 주세요", "지은"),
        ("지훈이라고 부르지 말고 지은이라고 불러 주세요", "지은"),
        ("저는 지은이에요, 지훈이 아니라", "지은"),
        ("아 이름 잘못 말했어요. 저는 지혜예요", "지혜"),
        ("I'm not Tom, I'm Tim", "Tim"),
        ("My name is Sam", "Sam"),
        ("call me Jin please", "Jin"),
    ],
)
def test_a_name_that_is_said_as_one_needs_no_question(text: str, name: str) -> None:
    found = name_in(text, asked=False)
    assert found is not None
    assert found.name == name
    assert found.quote in text


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("지훈이요", "지훈"),
        ("지훈", "지훈"),
        ("지훈이", "지훈"),
        ("민지요", "민지"),
        ("수아요", "수아"),
        ("제니요", "제니"),
        ("하늘이요!", "하늘"),
        ("네, 유진이에요", "유진"),
        ("음.. 콩이요", "콩"),
        ("Alex", "Alex"),
    ],
)
def test_a_bare_word_is_a_name_when_it_was_asked_for(text: str, name: str) -> None:
    found = name_in(text, asked=True)
    assert found is not None
    assert found.name == name
    assert found.quote in text


@pytest.mark.parametrize(
    "text",
    [
        "음 딱히",
        "저는 회사원이에요",
        "저는 대학생이에요",
        "저는 서른이에요",
        "스물다섯이에요",
        "저는 우울해요",
        "힘들어요",
        "없어요",
        "모르겠어요",
        "말하기 싫어요",
        "비밀이에요",
        "네",
        "아니요",
        "안녕하세요",
        "그냥요",
        "글쎄요",
        "전 요즘 잠을 못 자요",
        "괜찮아요",
        "처음이에요",
        "저는 지훈이 아니에요",
        "제 이름은 지훈이 아닌데요",
        "지훈이라고 부르지 마세요",
        "저는 학생이 아니라 회사원이에요",
        "회사가 아니라 사람이 문제예요",
        "제 이름은 할머니가 지어 주셨어요",
        "I'm tired",
        "no",
    ],
)
def test_what_only_stands_where_a_name_stands_is_none(text: str) -> None:
    assert name_in(text, asked=True) is None


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("요즘 회사 일이 너무 힘들어요", "", {"reason": "요즘 회사 일이 너무 힘들어요"}),
        ("안녕하세요", "오늘은 어떤 마음으로 찾아오셨어요?", {}),
        ("네", "오늘은 어떤 마음으로 찾아오셨어요?", {}),
        ("잘 모르겠어요", "오늘은 어떤 마음으로 찾아오셨어요?", {}),
        ("말하기 싫어요", "오늘은 어떤 마음으로 찾아오셨어요?", {}),
        ("엄마랑 싸웠어요", "요즘 어떤 일이 가장 마음에 걸리세요?", {"reason": "엄마랑 싸웠어요"}),
        ("아니요 처음이에요", "전에 상담을 받아 보신 적이 있으세요?", {"prior_counseling": "false"}),
        ("네 작년에 받아봤어요", "전에 상담을 받아 보신 적이 있으세요?", {"prior_counseling": "true"}),
        ("네", "전에 상담을 받아 보신 적이 있으세요?", {"prior_counseling": "true"}),
        ("없어요", "전에 상담을 받아 보신 적이 있으세요?", {"prior_counseling": "false"}),
        ("상담은 처음이에요", "", {"prior_counseling": "false"}),
        ("친구 한 명 있어요", "편하게 이야기할 사람이 곁에 있으세요?", {"support_people": "친구 한 명 있어요"}),
        ("없어요", "편하게 이야기할 사람이 곁에 있으세요?", {"support_people": "없어요"}),
        ("산책을 해요", "힘들 때는 보통 어떻게 지나오세요?", {"coping_style": "산책을 해요"}),
        ("잘 모르겠어요", "힘들 때는 보통 어떻게 지나오세요?", {"coping_style": "잘 모르겠어요"}),
        ("그냥 친구 한 명만 있었으면 좋겠어요", "전에 상담을 받아 보신 적이 있으세요?",
         {"session_goal": "그냥 친구 한 명만 있었으면 좋겠어요"}),
        ("네 그래도 이렇게 말하니까 조금 나아요", "전에 상담을 받아 보신 적이 있으세요?", {}),
        ("아니요, 그냥 요즘 회사 일이 너무 힘들어요", "전에 상담을 받아 보신 적이 있으세요?", {}),
        ("친구가 없어요", "전에 상담을 받아 보신 적이 있으세요?", {}),
        ("상담을 받아 보고 싶었어요", "전에 상담을 받아 보신 적이 있으세요?", {}),
        ("예전에 한 번요", "전에 상담을 받아 보신 적이 있으세요?", {"prior_counseling": "true"}),
        ("엄마는 상담은 처음이래요", "전에 상담을 받아 보신 적이 있으세요?", {}),
        ("상담은 처음이에요", "편하게 이야기할 사람이 곁에 있으세요?", {"prior_counseling": "false"}),
        ("네 그래도 이렇게 말하니까 조금 나아요", "편하게 이야기할 사람이 곁에 있으세요?", {}),
        ("동생한테 얘기해요", "편하게 이야기할 사람이 곁에 있으세요?", {"support_people": "동생한테 얘기해요"}),
        ("상담은 처음이에요", "힘들 때는 보통 어떻게 지나오세요?", {"prior_counseling": "false"}),
        ("왜요?", "힘들 때는 보통 어떻게 지나오세요?", {}),
        ("아침에 덜 불안하면 좋겠어요", "앞으로 이야기를 나누면서 어떤 점이 조금 달라지면 좋겠어요?",
         {"session_goal": "아침에 덜 불안하면 좋겠어요"}),
    ],
)  # fmt: skip
def test_values_come_with_the_persons_own_words(text: str, question: str, expected: dict[str, str]) -> None:
    found = slots_in(text, ALL, question)
    assert {one.name: one.value for one in found} == expected
    assert all(one.quote in text for one in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("저는 지훈이 아니라 지은이에요", {"name": "지은"}),
        ("아 이름 잘못 말했어요. 저는 지혜예요", {"name": "지혜"}),
        ("이름 오타났어요. 지혜요", {"name": "지혜"}),
        ("지은이라고 불러 주세요", {"name": "지은"}),
        ("지훈 말고 지은이라고 불러 주세요", {"name": "지은"}),
        ("아뇨 지은이에요", {"name": "지은"}),
        ("상담은 처음이에요", {"prior_counseling": "false"}),
        ("지훈이라고 불러 주세요", {}),
        ("저는 지훈이 아니에요", {}),
        ("아니요 엄마예요", {}),
        ("저는 학생이 아니라 회사원이에요", {}),
        ("친구는 상담은 처음이래요", {}),
        ("없어요", {}),
        ("네 맞아요", {}),
    ],
)
def test_a_known_value_is_put_right_only_when_the_message_does_so(text: str, expected: dict[str, str]) -> None:
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
def test_a_denied_name_is_not_used(texts: list[str], known: str, name: str) -> None:
    assert current_name(texts, known) == name


def test_the_products_slots_take_the_values() -> None:
    tasks = content().templates("first_session", Locale.KO, Register.FORMAL)
    slots = {slot.name: slot for task in tasks for slot in task.required_slots}
    for text, question in (
        ("지훈이요", slots["name"].question(0)),
        ("아니요 처음이에요", slots["prior_counseling"].question(1)),
        ("없어요", slots["support_people"].question(1)),
        ("걸어요", slots["coping_style"].question(2)),
        ("조금 쉬고 싶어요", slots["session_goal"].question(2)),
    ):
        wanted = tuple(Wanted(slot.name, slot.kind.value, slot.label) for slot in slots.values())
        found = slots_in(text, wanted, question)
        assert found
        assert not any(isinstance(validate(slots[one.name], one.value), Invalid) for one in found)


def test_numbers_and_choices_are_read() -> None:
    assert slots_in("일주일에 세 번이요", (Wanted("times", "integer", "횟수"),), "횟수를 알려 주세요")[0].value == "3"
    wanted = (Wanted("place", "choice", "장소", ("온라인", "방문")),)
    assert slots_in("저는 온라인이 좋아요", wanted, "")[0].value == "온라인"
