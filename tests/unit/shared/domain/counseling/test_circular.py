"""When messages, as sets of content words, go in a circle. The detector's test has Korean examples."""

from hypothesis import given
from hypothesis import strategies as st

from shared.domain.counseling.circular import FEWEST_SHARED, Utterance, circles

words = st.frozensets(st.sampled_from("abcdefgh"), max_size=6)
utterances = st.builds(Utterance, words=words, question=words, answers_again=st.booleans())
ABC, ABCD = Utterance(frozenset("abc")), Utterance(frozenset("abcd"))
OTHER = Utterance(frozenset("xyz"))


def test_a_long_sentence_is_circular_the_second_time_and_a_short_one_the_third():
    assert circles(ABCD, [ABCD])
    assert not circles(ABC, [ABC])
    assert circles(ABC, [ABC, OTHER, ABC])


def test_two_alternating_sentences_are_circular():
    assert circles(OTHER, [ABC, OTHER, ABC])
    assert not circles(OTHER, [ABC, OTHER])


def test_a_sentence_without_a_word_of_its_own_is_circular_if_two_of_the_last_three_say_the_same():
    ab, bc = Utterance(frozenset("ab")), Utterance(frozenset("abcx"))
    assert circles(ab, [bc, ABC])
    assert not circles(ab, [bc, OTHER, OTHER])
    assert not circles(Utterance(frozenset("abd")), [bc, ABC]), "it has a new word"
    assert not circles(ab, [ab, bc, OTHER, OTHER]), "too long ago"


@given(utterances, st.lists(utterances, max_size=8))
def test_very_short_answers_and_repeated_answers_on_request_are_never_circular(newest, earlier):
    if len(newest.words) < FEWEST_SHARED or newest.answers_again:
        assert not circles(newest, earlier)
