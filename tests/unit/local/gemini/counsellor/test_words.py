"""Particles agree, and clauses are turned into what can be quoted."""

import pytest

from local.gemini.counsellor.clauses import gist
from local.gemini.counsellor.endings import quotable
from local.gemini.counsellor.english import quotable_english
from local.gemini.counsellor.hangul import fill, with_particle


@pytest.mark.parametrize(
    ("word", "particle", "expected"),
    [
        ("지훈", "은", "지훈은"),
        ("민지", "은", "민지는"),
        ("팀장님", "이", "팀장님이"),
        ("친구", "이", "친구가"),
        ("마음", "을", "마음을"),
        ("회사", "을", "회사를"),
        ("지훈", "아", "지훈아"),
        ("수아", "아", "수아야"),
        ("서울", "으로", "서울로"),
        ("부산", "으로", "부산으로"),
        ("학교", "으로", "학교로"),
        ("혼자", "이라고", "혼자라고"),
        ("처음", "이에요", "처음이에요"),
        ("친구", "이에요", "친구예요"),
        ("3", "이", "3이"),
        ("2", "이", "2가"),
        ("Jin", "은", "Jin은"),
        ("Mia", "은", "Mia는"),
    ],
)
def test_a_particle_agrees_with_the_word_before_it(word: str, particle: str, expected: str) -> None:
    assert with_particle(word, particle) == expected


def test_a_template_is_filled_with_agreeing_particles() -> None:
    assert fill("{who:이} {what:을} 봤어요", {"who": "엄마", "what": "시험"}) == "엄마가 시험을 봤어요"


@pytest.mark.parametrize(
    ("clause", "plain"),
    [
        ("요즘 회사 일이 너무 힘들어요", "요즘 회사 일이 너무 힘들다"),
        ("회사 일이 너무 힘들어서요", "회사 일이 너무 힘들다"),
        ("팀장님한테 혼났어요", "팀장님한테 혼났다"),
        ("팀장님한테 계속 혼나요", "팀장님한테 계속 혼난다"),
        ("잠을 못 자요", "잠을 못 잔다"),
        ("잠이 안 와요", "잠이 안 온다"),
        ("저만 뒤처지는 것 같아요", "나만 뒤처지는 것 같다"),
        ("다 제 탓이에요", "다 내 탓이라"),
        ("너무 우울해요", "너무 우울하다"),
        ("맨날 야근해요", "맨날 야근한다"),
        ("엄마랑 자꾸 싸워요", "엄마랑 자꾸 싸운다"),
        ("사람들이 무서워요", "사람들이 무섭다"),
        ("이상한 느낌이 들어요", "이상한 느낌이 든다"),
        ("음악을 들어요", "음악을 듣는다"),
        ("죽을 만큼 힘듭니다", "죽을 만큼 힘들다"),
        ("요즘 많이 지칩니다", "요즘 많이 지친다"),
        ("마음이 편하지 않아요", "마음이 편하지 않다"),
        ("연락이 오지 않아요", "연락이 오지 않는다"),
        ("자꾸 눈치를 보게 되더라고요", "자꾸 눈치를 보게 되더라"),
        ("집중이 잘 안 되네요", "집중이 잘 안 된다"),
        ("너무 외롭네요", "너무 외롭다"),
        ("회사 가기 싫은데", "회사 가기 싫다"),
        ("아이 때문에 화가 나요", "아이 때문에 화가 난다"),
        ("저는 제가 싫어요", "내가 싫다"),
        ("일이 너무 많거든요", "일이 너무 많다"),
        ("너무 바빠요", "너무 바쁘다"),
        ("나도 힘든 거", "힘든 거라"),
        ("성적표 보여 주는 거요", "성적표 보여 주는 거라"),
    ],
)
def test_a_clause_is_quoted_in_its_own_words(clause: str, plain: str) -> None:
    assert quotable(clause) == plain


@pytest.mark.parametrize("clause", ["왜 그럴까요", "어떻게 해야 돼요?", "", "네", "예민했나 봐요", "그렇게 해 볼게요"])
def test_what_is_no_statement_is_not_quoted(clause: str) -> None:
    assert not quotable(clause)


def test_the_most_telling_clause_is_taken_and_a_greeting_or_name_is_not() -> None:
    assert gist("안녕하세요 저는 지훈이에요 요즘 회사에서 너무 힘들어요").said == "요즘 회사에서 너무 힘들다"
    assert gist("저는 지훈이고 회사 일이 너무 힘들어서 왔어요").because == "회사 일이 너무 힘들어서"
    assert gist("네 맞아요") == gist("안녕하세요!")


def test_english_is_turned_to_the_second_person() -> None:
    assert quotable_english("Well, I can't sleep because of my boss.") == "you can't sleep because of your boss"
    assert not quotable_english("What should I do?")
