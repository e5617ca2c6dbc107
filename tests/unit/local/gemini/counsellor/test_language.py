"""Korean and English as the simulator reads and writes them: particles, quotable clauses, names, values of slots."""

import pytest

from local.gemini.counsellor.clauses import gist
from local.gemini.counsellor.endings import quotable
from local.gemini.counsellor.english import quotable_english
from local.gemini.counsellor.hangul import fill, with_particle
from local.gemini.counsellor.name_changes import current_name
from local.gemini.counsellor.names import name_in, without_introduction
from local.gemini.counsellor.slots import Wanted, corrections, slots_in
from shared.content.catalogue import content
from shared.domain.slots import Invalid, validate
from shared.locale import Locale, Register


@pytest.mark.parametrize(
    ("word", "particle", "expected"),
    [
        *(("지훈", "은", "지훈은"), ("민지", "은", "민지는"), ("팀장님", "이", "팀장님이"), ("친구", "이", "친구가")),
        *(("마음", "을", "마음을"), ("회사", "을", "회사를"), ("지훈", "아", "지훈아"), ("수아", "아", "수아야")),
        *(("서울", "으로", "서울로"), ("부산", "으로", "부산으로"), ("학교", "으로", "학교로")),
        *(("혼자", "이라고", "혼자라고"), ("처음", "이에요", "처음이에요"), ("친구", "이에요", "친구예요")),
        *(("3", "이", "3이"), ("2", "이", "2가"), ("Jin", "은", "Jin은"), ("Mia", "은", "Mia는")),
    ],
)
def test_a_particle_agrees_with_the_word_before_it(word, particle, expected):
    assert with_particle(word, particle) == expected


def test_a_template_is_filled_with_agreeing_particles():
    assert fill("{who:이} {what:을} 봤어요", {"who": "엄마", "what": "시험"}) == "엄마가 시험을 봤어요"


@pytest.mark.parametrize(
    ("clause", "plain"),
    [
        ("요즘 회사 일이 너무 힘들어요", "요즘 회사 일이 너무 힘들다"),
        *(("회사 일이 너무 힘들어서요", "회사 일이 너무 힘들다"), ("팀장님한테 혼났어요", "팀장님한테 혼났다")),
        *(("팀장님한테 계속 혼나요", "팀장님한테 계속 혼난다"), ("잠을 못 자요", "잠을 못 잔다")),
        *(("잠이 안 와요", "잠이 안 온다"), ("저만 뒤처지는 것 같아요", "나만 뒤처지는 것 같다")),
        *(("다 제 탓이에요", "다 내 탓이라"), ("너무 우울해요", "너무 우울하다"), ("맨날 야근해요", "맨날 야근한다")),
        *(("엄마랑 자꾸 싸워요", "엄마랑 자꾸 싸운다"), ("사람들이 무서워요", "사람들이 무섭다")),
        *(("이상한 느낌이 들어요", "이상한 느낌이 든다"), ("음악을 들어요", "음악을 듣는다")),
        *(("죽을 만큼 힘듭니다", "죽을 만큼 힘들다"), ("요즘 많이 지칩니다", "요즘 많이 지친다")),
        *(("마음이 편하지 않아요", "마음이 편하지 않다"), ("연락이 오지 않아요", "연락이 오지 않는다")),
        *(("자꾸 눈치를 보게 되더라고요", "자꾸 눈치를 보게 되더라"), ("집중이 잘 안 되네요", "집중이 잘 안 된다")),
        *(("너무 외롭네요", "너무 외롭다"), ("회사 가기 싫은데", "회사 가기 싫다")),
        *(("아이 때문에 화가 나요", "아이 때문에 화가 난다"), ("저는 제가 싫어요", "내가 싫다")),
        *(("일이 너무 많거든요", "일이 너무 많다"), ("너무 바빠요", "너무 바쁘다"), ("나도 힘든 거", "힘든 거라")),
        ("성적표 보여 주는 거요", "성적표 보여 주는 거라"),
    ],
)
def test_a_clause_is_quoted_in_its_own_words(clause, plain):
    assert quotable(clause) == plain


@pytest.mark.parametrize("clause", ["왜 그럴까요", "어떻게 해야 돼요?", "", "네", "예민했나 봐요", "그렇게 해 볼게요"])
def test_what_is_no_statement_is_not_quoted(clause):
    assert not quotable(clause)


def test_the_most_telling_clause_is_taken_and_a_greeting_or_name_is_not():
    assert gist("안녕하세요 저는 지훈이에요 요즘 회사에서 너무 힘들어요").said == "요즘 회사에서 너무 힘들다"
    assert gist("저는 지훈이고 회사 일이 너무 힘들어서 왔어요").because == "회사 일이 너무 힘들어서"
    assert gist("네 맞아요") == gist("안녕하세요!")


def test_english_is_turned_to_the_second_person():
    assert quotable_english("Well, I can't sleep because of my boss.") == "you can't sleep because of your boss"
    assert not quotable_english("What should I do?")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("저녁에 말 한마디 주고받을 사람이요. 그거면 될 것 같아요.", "저녁에 말 한마디 주고받을 사람이라"),
        ("그건 그렇고 잠도 엉망이에요.", "잠도 엉망이라"),
        ("둘 다 십 년 전 얘기를 하고 있더라고요.", "둘 다 십 년 전 얘기를 하고 있다"),
        ("손에 땀이 나더라고요.", "손에 땀이 나더라"),
        ("아버지도 말씀을 안 하세요.", "아버지도 말씀을 안 하신다"),
        ("아내랑 안 싸우는 집이 어디 있겠어요.", ""),
    ],
)
def test_what_is_told_back_stands_by_itself(text, told):
    assert gist(text).said == told


def test_an_observation_is_no_introduction():
    assert without_introduction("가슴이 답답하더라고요") == "가슴이 답답하더라고요"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("친정 엄마는 저를 키울 때 더 힘들었다고만 하세요.", "친정 엄마는 유진 님을 키울 때"),
        ("애가 제 눈치를 봐요.", "애가 유진 님 눈치를"),
        ("결국 다 제 탓이에요.", "다 유진 님 탓이라"),
    ],
)
def test_a_person_is_told_their_words_with_their_name_and_quoted_with_their_own_i(text, said):
    assert said in gist(text, called="유진 님").said
    assert "유진" not in gist(text).said


NAMES = [
    *(("저는 지훈이에요", "지훈"), ("이름은 김민지예요", "김민지"), ("제 이름은 박서연입니다", "박서연")),
    *(("지훈이라고 해요", "지훈"), ("보라라고 해요", "보라"), ("제이라고 불러주세요", "제이")),
    *(("그냥 별이라고 불러 주세요", "별"), ("안녕하세요, 저는 수아예요. 발표만 하면 너무 떨려요.", "수아")),
    *(("저는 지훈이고 회사 일이 너무 힘들어요", "지훈"), ("나는 민지야", "민지"), ("저는 지은이에요", "지은")),
    *(("김지훈입니다", "김지훈"), ("저는 Alex예요", "Alex"), ("저는 지훈이 아니라 지은이에요", "지은")),
    *(("저는 수아가 아니라 수지예요", "수지"), ("지훈 말고 지은이라고 불러 주세요", "지은")),
    *(("지훈이라고 부르지 말고 지은이라고 불러 주세요", "지은"), ("저는 지은이에요, 지훈이 아니라", "지은")),
    *(("아 이름 잘못 말했어요. 저는 지혜예요", "지혜"), ("I'm not Tom, I'm Tim", "Tim")),
    *(("My name is Sam", "Sam"), ("call me Jin please", "Jin")),
]
BARE = [
    *(("지훈이요", "지훈"), ("지훈", "지훈"), ("지훈이", "지훈"), ("민지요", "민지"), ("수아요", "수아")),
    *(("제니요", "제니"), ("하늘이요!", "하늘"), ("네, 유진이에요", "유진"), ("음.. 콩이요", "콩")),
    ("Alex", "Alex"),
]


@pytest.mark.parametrize(
    ("asked", "text", "name"), [*((False, *row) for row in NAMES), *((True, *row) for row in BARE)]
)
def test_a_name_is_read_when_it_is_said_as_one_and_a_bare_word_when_it_was_asked_for(asked, text, name):
    found = name_in(text, asked=asked)
    assert (found.name, found.quote in text) == (name, True)


@pytest.mark.parametrize(
    "text",
    [
        *("음 딱히", "저는 회사원이에요", "저는 대학생이에요", "저는 서른이에요", "스물다섯이에요", "저는 우울해요"),
        *("힘들어요", "없어요", "모르겠어요", "말하기 싫어요", "비밀이에요", "네", "아니요", "안녕하세요", "그냥요"),
        *("글쎄요", "전 요즘 잠을 못 자요", "괜찮아요", "처음이에요", "저는 지훈이 아니에요"),
        *("제 이름은 지훈이 아닌데요", "지훈이라고 부르지 마세요", "저는 학생이 아니라 회사원이에요"),
        *("회사가 아니라 사람이 문제예요", "제 이름은 할머니가 지어 주셨어요", "I'm tired", "no"),
    ],
)
def test_what_only_stands_where_a_name_stands_is_none(text):
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
        *(("네", WHY, {}), ("잘 모르겠어요", WHY, {}), ("말하기 싫어요", WHY, {})),
        ("엄마랑 싸웠어요", "요즘 어떤 일이 가장 마음에 걸리세요?", {"reason": "엄마랑 싸웠어요"}),
        ("아니요 처음이에요", BEFORE, {"prior_counseling": "false"}),
        ("네 작년에 받아봤어요", BEFORE, {"prior_counseling": "true"}),
        *(("네", BEFORE, {"prior_counseling": "true"}), ("없어요", BEFORE, {"prior_counseling": "false"})),
        ("상담은 처음이에요", "", {"prior_counseling": "false"}),
        ("친구 한 명 있어요", WHO, {"support_people": "친구 한 명 있어요"}),
        *(("없어요", WHO, {"support_people": "없어요"}), ("산책을 해요", HOW, {"coping_style": "산책을 해요"})),
        ("잘 모르겠어요", HOW, {"coping_style": "잘 모르겠어요"}),
        ("그냥 친구 한 명만 있었으면 좋겠어요", BEFORE, {"session_goal": "그냥 친구 한 명만 있었으면 좋겠어요"}),
        ("네 그래도 이렇게 말하니까 조금 나아요", BEFORE, {}),
        *(("아니요, 그냥 요즘 회사 일이 너무 힘들어요", BEFORE, {}), ("친구가 없어요", BEFORE, {})),
        *(("상담을 받아 보고 싶었어요", BEFORE, {}), ("예전에 한 번요", BEFORE, {"prior_counseling": "true"})),
        *(("엄마는 상담은 처음이래요", BEFORE, {}), ("상담은 처음이에요", WHO, {"prior_counseling": "false"})),
        ("네 그래도 이렇게 말하니까 조금 나아요", WHO, {}),
        ("동생한테 얘기해요", WHO, {"support_people": "동생한테 얘기해요"}),
        *(("상담은 처음이에요", HOW, {"prior_counseling": "false"}), ("왜요?", HOW, {})),
        ("아침에 덜 불안하면 좋겠어요", WISH, {"session_goal": "아침에 덜 불안하면 좋겠어요"}),
    ],
)
def test_values_come_with_the_persons_own_words(text, question, expected):
    found = slots_in(text, ALL, question)
    assert {one.name: one.value for one in found} == expected
    assert all(one.quote in text for one in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("저는 지훈이 아니라 지은이에요", {"name": "지은"}),
        *(("아 이름 잘못 말했어요. 저는 지혜예요", {"name": "지혜"}), ("이름 오타났어요. 지혜요", {"name": "지혜"})),
        *(("지은이라고 불러 주세요", {"name": "지은"}), ("지훈 말고 지은이라고 불러 주세요", {"name": "지은"})),
        *(("아뇨 지은이에요", {"name": "지은"}), ("상담은 처음이에요", {"prior_counseling": "false"})),
        *(("지훈이라고 불러 주세요", {}), ("저는 지훈이 아니에요", {}), ("아니요 엄마예요", {})),
        *(("저는 학생이 아니라 회사원이에요", {}), ("친구는 상담은 처음이래요", {}), ("없어요", {})),
        ("네 맞아요", {}),
    ],
)
def test_a_known_value_is_put_right_only_when_the_message_does_so(text, expected):
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


def test_the_products_slots_take_the_values():
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


def test_numbers_and_choices_are_read():
    assert slots_in("일주일에 세 번이요", (Wanted("times", "integer", "횟수"),), "횟수를 알려 주세요")[0].value == "3"
    wanted = (Wanted("place", "choice", "장소", ("온라인", "방문")),)
    assert slots_in("저는 온라인이 좋아요", wanted, "")[0].value == "온라인"
