"""Turning to something else, as words show it, and the words that carry a meaning."""

from shared.content.catalogue import content
from tests.support.sentences import sentences

LEXICON = content().lexicon
SAID = sentences("lexicon/topics")
ALIKE = {
    "팀장님이 저를 무시해서 화가 나요": "화나요, 팀장님이 또 무시했어요",
    "밤에 혼자 있으면 외로워요": "혼자 있는 밤은 외롭고요",
    "힘들어요, 일이 많아서": "일은 많고 힘든 것 같아요",
    "나한테는 엄마가": "저는 엄마를",
    "My boss ignores me.": "I feel my boss is ignoring me",
}
UNLIKE = {"회의가 길어요": "회사가 멀어요", "아이가 울어요": "제가 울어요", "휴가를 갔어요": "나이가 들었어요"}
FILLERS = ("네 네", "그냥 그래요", "음… 그래서요", "있잖아요", "yes, I do", "")
QUOTED = ('"엄마가 밉다"', "“엄마가 밉다”", "‘엄마가 밉다’", "'엄마가 밉다'")


def test_who_says_that_they_turn_to_something_else_does():
    assert [text for text in SAID["changes"] if not LEXICON.changes_topic(text)] == []


def test_what_only_sounds_like_it_does_not():
    assert [text for text in SAID["stays"] if LEXICON.changes_topic(text)] == []


def same_words():
    return [
        one for one, other in (ALIKE | UNLIKE).items() if LEXICON.content_words(one) == LEXICON.content_words(other)
    ]


def test_particles_endings_and_order_carry_no_meaning_and_a_noun_that_ends_like_a_particle_is_whole():
    assert same_words() == list(ALIKE)


def test_fillers_carry_none():
    assert {text: words for text in FILLERS if (words := LEXICON.content_words(text))} == {}


def test_what_is_quoted_does_not_count():
    plain = LEXICON.content_words("제가 편지에 썼어요")
    assert [text for text in QUOTED if LEXICON.content_words(f"제가 {text}고 편지에 썼어요") != plain] == []
    assert LEXICON.content_words("I don't trust her, can't sleep") >= frozenset({"trust", "sleep"})
