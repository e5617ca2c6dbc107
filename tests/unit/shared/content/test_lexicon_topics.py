"""Turning to something else, as words show it, and the words that carry a meaning."""

import pytest

from shared.content.catalogue import content

LEXICON = content().lexicon


@pytest.mark.parametrize(
    "text",
    [
        "그건 그렇고 어제 엄마가 전화를 했어요",
        "회사는 괜찮아요. 그건 그렇고 남자친구랑 헤어졌어요",
        "다른 얘긴데 요즘 잠을 못 자요",
        "근데 다른 얘기긴 하지만 돈이 없어요",
        "갑자기 다른 얘기긴 한데 제가 어제 울었어요",
        "딴 얘기지만 이번 주에 시험이 있어요",
        "아 맞다 그리고 동생이 집을 나갔어요",
        "아 맞다, 근데 오늘 면접이 있어요",
        "아 참, 그리고 병원에 다녀왔어요",
        "그나저나 상담사님, 저 요즘 살이 빠졌어요",
        "다른 이야기 해도 돼요?",
        "다른 얘기 하고 싶어요",
        "화제를 바꿔도 될까요?",
        "주제를 좀 바꿀게요",
        "그 얘기는 됐고 어제 친구랑 싸웠어요",
        "이건 나중에 얘기하고 엄마 얘기를 하고 싶어요",
        "그거 말고 다른 고민이 있어요",
        "사실 다른 고민이 하나 있어요",
        "상관없는 얘기인데 강아지가 아파요",
        "여담이지만 이사를 가게 됐어요",
        "by the way, my sister moved out",
        "on another note, I failed the exam",
        "can we talk about something else?",
        "let's change the subject",
    ],
)
def test_who_says_that_they_turn_to_something_else_does(text):
    assert LEXICON.changes_topic(text)


@pytest.mark.parametrize(
    "text",
    [
        "다른 얘기는 없어요",
        "다른 얘기 하고 싶지 않아요",
        "친구가 자꾸 다른 얘기를 해요",
        "남편이 다른 이야기만 해서 속상해요",
        "엄마는 늘 화제를 바꿔요",
        "팀장님이 주제를 바꾸라고 했어요",
        "발표 주제를 바꾸고 싶어요",
        "그건 그렇고 그런 사이라서요",
        "그건 그래요",
        "그건 그렇지만 저도 힘들어요",
        "다른 사람 얘기인데 친구가 아파요",
        "갑자기 생각나서 울었어요",
        "아 맞다",
        "아 맞아요 그랬어요",
        "그거 말고는 없어요",
        "그거 말고 다른 고민은 없어요",
        "동생은 다른 고민이 있대요",
        "다른 방법이 없어요",
        "숙제는 나중에 하고 잤어요",
        "네 네",
        "I knew by the way he looked at me",
        "by the way he looked at me I knew",
        "they talk about something else",
        "he keeps changing the subject",
    ],
)
def test_what_only_sounds_like_it_does_not(text):
    assert not LEXICON.changes_topic(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("팀장님이 저를 무시해서 화가 나요", "화나요, 팀장님이 또 무시했어요"),
        ("밤에 혼자 있으면 외로워요", "혼자 있는 밤은 외롭고요"),
        ("힘들어요, 일이 많아서", "일은 많고 힘든 것 같아요"),
        ("나한테는 엄마가", "저는 엄마를"),
        ("My boss ignores me.", "I feel my boss is ignoring me"),
    ],
)
def test_particles_endings_and_order_carry_no_meaning(one, other):
    assert LEXICON.content_words(one) == LEXICON.content_words(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("회의가 길어요", "회사가 멀어요"), ("아이가 울어요", "제가 울어요"), ("휴가를 갔어요", "나이가 들었어요")],
)
def test_a_noun_that_ends_like_a_particle_is_whole(one, other):
    assert LEXICON.content_words(one) != LEXICON.content_words(other)


@pytest.mark.parametrize("text", ["네 네", "그냥 그래요", "음… 그래서요", "있잖아요", "yes, I do", ""])
def test_fillers_carry_none(text):
    assert LEXICON.content_words(text) == frozenset()


@pytest.mark.parametrize("quoted", ['"엄마가 밉다"', "“엄마가 밉다”", "‘엄마가 밉다’", "'엄마가 밉다'"])
def test_what_is_quoted_does_not_count(quoted):
    assert LEXICON.content_words(f"제가 {quoted}고 편지에 썼어요") == LEXICON.content_words("제가 편지에 썼어요")
    assert LEXICON.content_words("I don't trust her, can't sleep") >= frozenset({"trust", "sleep"})
