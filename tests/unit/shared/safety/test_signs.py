"""Behaviour of the weighing of weak signs."""

from shared.safety.matcher import Family, Matcher, Rule
from shared.safety.patterns import Vocabulary
from shared.safety.predicates import Makes, Predicate, Surroundings
from shared.safety.reading import Reading
from shared.safety.signs import adding_up

NOODLES = Predicate("noodles", Makes.NOTHING, (Surroundings("", "국수", "", Vocabulary()),))


def _sign(kind, weight, word, not_if=()):
    return Rule(f"ko-{word}", Family.SIGN, "sign", (word,), (word,), not_if, kind=kind, weight=weight)


SIGNS = Matcher(
    (
        _sign("settled", 2, "통장"),
        _sign("settled", 2, "열쇠"),
        _sign("farewell", 2, "고마웠어"),
        _sign("distress", 1, "지쳤어"),
        _sign("circumstance", 1, "오늘"),
        _sign("means", 3, "칼", (NOODLES,)),
    )
)


def _adding_up(text):
    return adding_up(SIGNS.matches(Reading(text)))


def test_signs_of_two_kinds_in_neighbouring_sentences_add_up():
    assert _adding_up("통장을 넘겼다. 그냥. 고마웠어.") == ("ko-통장", "ko-고마웠어")
    assert _adding_up("통장을 넘겼다. 하나. 둘. 고마웠어.") == ()
    assert _adding_up("통장이랑 열쇠를 줬다") == ()


def test_distress_is_nothing_alone_and_counts_with_something_else_and_other_words_add_nothing():
    assert _adding_up("오늘 지쳤어") == ()
    assert _adding_up("오늘 통장을 봤다")
    assert _adding_up("통장을 봤다. 그냥. 오늘.")
    assert _adding_up("오늘. 그냥. 통장을 봤다.")
    assert _adding_up("칼을 봤다")
    assert _adding_up("칼국수를 먹었다. 고마웠어.") == ()
