"""Keywords are chosen by how near they are to the user's own words."""

from functions.planner.keywords import SHORTEST_QUOTE, chosen_of, rate
from functions.planner.proposal import ProposalErrors, counted
from shared.content.catalogue import content
from shared.domain.counseling.plans import Fault
from shared.locale import Locale
from tests.builders.plans import KEYWORDS, SAID, rating

WORDS = "\n".join(SAID)
QUOTE = SAID[1]


def rated(*given, locale=Locale.KO, keywords=KEYWORDS):
    tally = ProposalErrors(content().text_rules)
    found = rate(content(), keywords, locale, WORDS, given, tally)
    return found, counted(tally.found)


def chosen(*given, **more):
    return chosen_of(rated(*given, **more)[0])


def test_all_eight_are_rated_and_the_nearest_chosen():
    quotes = [word for word in WORDS.split() if len(word) >= SHORTEST_QUOTE]
    given = [rating(word, number, quotes[number]) for number, word in enumerate(KEYWORDS, start=1)]
    found, faults = rated(*given)
    assert [one.keyword for one in found] == list(KEYWORDS)
    assert [one.relevance for one in found] == list(range(1, 9))
    assert chosen_of(found) == ("자기 돌봄", "대인 관계", "자기 이해", "감정 인식")
    assert faults == {}


def test_below_the_floor_nothing_is_chosen_beside_what_is_above_it():
    assert chosen(rating("완벽주의", 5, QUOTE), rating("자기 비판", 4, QUOTE)) == ("완벽주의",)


def test_without_the_users_words_nothing_is_chosen_beside_what_has_them():
    given = (rating("완벽주의", 10), rating("자기 비판", 10, "저는 저를 미워해요"), rating("대인 관계", 5, QUOTE))
    found, faults = rated(*given)
    assert chosen_of(found) == ("대인 관계",)
    assert [one.quote for one in found if one.relevance] == ["", "", QUOTE]
    assert faults == {Fault.UNQUOTED: 1, Fault.INVENTED_QUOTE: 1, Fault.UNRATED_KEYWORD: 5}


def test_where_nothing_stands_out_the_best_one_or_two_with_the_users_words_are_chosen_or_none():
    cases = [
        (
            (rating("완벽주의", 3, QUOTE), rating("자기 비판", 9), rating("대인 관계", 1, SAID[0])),
            ("완벽주의", "대인 관계"),
        ),
        ((rating("완벽주의", 3, QUOTE), rating("자기 비판", 3), rating("대인 관계", 3)), ("완벽주의",)),
        (tuple(rating(word, 5) for word in KEYWORDS), ()),
        ((rating("완벽주의", 0, QUOTE),), ()),
    ]
    assert {expected: got for given, expected in cases if (got := chosen(*given)) != expected} == {}


def test_the_same_words_show_one_keyword_the_most_relevant():
    assert chosen(rating("자기 비판", 7, QUOTE), rating("대인 관계", 8, f"{QUOTE}.")) == ("대인 관계",)
    assert chosen(rating("자기 비판", 8, QUOTE), rating("대인 관계", 8, SAID[0])) == ("자기 비판", "대인 관계")


def test_a_rating_is_brought_into_its_bounds(subtests):
    cases = [
        (rating("완벽주의", 12, QUOTE), Fault.RATING_OUT_OF_RANGE, 10),
        (rating("완벽주의", -3), Fault.RATING_OUT_OF_RANGE, 0),
        (rating("완벽주의", float("nan")), Fault.RATING_OUT_OF_RANGE, 0),
        (rating("완벽주의", float("inf"), QUOTE), Fault.RATING_OUT_OF_RANGE, 10),
        (rating("완벽주의", 8, "네"), Fault.INVENTED_QUOTE, 8),
        (rating("완벽주의", 8, "늘"), Fault.UNQUOTED, 8),
    ]
    for given, fault, relevance in cases:
        with subtests.test(given=given):
            found, faults = rated(given)
            assert (found[0].relevance, faults[fault]) == (relevance, 1)


def test_unknown_and_double_keywords_are_dropped():
    found, faults = rated(rating("축구", 10, QUOTE), rating("완벽주의", 6, QUOTE), rating("완벽주의", 9, QUOTE))
    assert (chosen_of(found), found[0].relevance) == (("완벽주의",), 6)
    assert faults == {Fault.UNKNOWN_KEYWORD: 1, Fault.DOUBLE_KEYWORD: 1, Fault.UNRATED_KEYWORD: 7}


def test_an_english_session_names_them_in_english():
    assert chosen(rating("Perfectionism", 8, QUOTE), locale=Locale.EN) == ("완벽주의",)


def test_a_session_without_keywords_has_none():
    assert rated(rating("완벽주의", 9, QUOTE), keywords=())[0] == ()
