from itertools import product

import pytest

from shared.content.catalogue import content
from shared.safety.abuse import AbuseFinding, AbuseKind, abuse_in
from shared.safety.ages import StatedAge, believed, stated_age
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family, Matcher, Rule
from shared.safety.needs import Need
from shared.safety.patterns import Vocabulary
from shared.safety.predicates import Makes, Predicate, Surroundings, lowered, may_lower
from shared.safety.reading import Reading
from shared.safety.signs import ALONE, adding_up, leave_taking

WORDS = Vocabulary()
DENIED = Predicate("denied", Makes.CONCERN, (Surroundings("", "지 않", "", WORDS),))
OTHERS = Predicate("others", Makes.THIRD_PARTY, (Surroundings("친구가 ?", "", "", WORDS),))


def _rule(pattern, *triggers, rule_id="ko-x", not_if=()):
    return Rule(rule_id, Family.CRISIS, "crisis", triggers, (WORDS.source(pattern),), not_if)


def _found(text, *rules):
    return [(match.rule.id, match.words, match.by and match.by.id) for match in Matcher(rules).matches(Reading(text))]


def test_a_pattern_is_found_in_each_sentence_with_its_trigger_and_not_across_sentences():
    rule = _rule("죽고 싶", "죽")
    assert _found("죽고 싶다. 밥을 먹다. 또 죽고싶다", rule) == [("ko-x", "죽고 싶", None), ("ko-x", "죽고싶", None)]
    assert _found("뛰어 내리고 싶어", _rule("뛰어내리고 싶", "뛰어내리")) == [("ko-x", "뛰어 내리고 싶", None)]
    assert _found("죽고 싶다", _rule("죽고 싶", "뒤지")) == []
    assert _found("약을 샀다. 먹었다", _rule("약[^가]{0,9}먹", "약")) == []
    for text in ("", " ", ".", "?!", "인생 죽고 싶"):
        _found(text, rule)


def test_a_match_names_the_first_predicate_that_holds():
    rule = _rule("죽고 싶", "죽", not_if=(DENIED, OTHERS))
    assert _found("친구가 죽고 싶지 않대", rule) == [("ko-x", "죽고 싶", "denied")]
    assert _found("친구가 죽고 싶대", rule) == [("ko-x", "죽고 싶", "others")]
    assert _found("죽고 싶어", rule) == [("ko-x", "죽고 싶", None)]


def _matches(text, *words):
    """Search a text for words, each with its family, outcome and kind."""
    rules = [
        Rule(word, family, outcome, (word,), (word,), kind="".join(kind)) for word, family, outcome, *kind in words
    ]
    return Matcher(rules).matches(Reading(text))


def _abuse(text):
    return abuse_in(
        _matches(
            text,
            ("때려", Family.ABUSE, "abuse", "domestic"),
            ("맞아", Family.ABUSE, "abuse", "other"),
            ("따돌려", Family.ABUSE, "abuse_told", "school"),
            ("예전", Family.ABUSE_TIME, "past"),
            ("요즘", Family.ABUSE_TIME, "present"),
            ("숨어", Family.ABUSE_TIME, "now"),
        )
    )


def test_the_outcome_of_abuse_depends_on_the_act_and_its_time():
    expected = {
        "때려요": CrisisOutcome.ABUSE,
        "때려서 숨어 있어요": CrisisOutcome.ABUSE_NOW,
        "예전에 때려서 숨어 있었어요": CrisisOutcome.ABUSE_TOLD,
        "예전에도 요즘도 때려요": CrisisOutcome.ABUSE,
        "따돌려요, 숨어 있어요": CrisisOutcome.ABUSE_TOLD,
        "따돌려요, 때려요": CrisisOutcome.ABUSE,
        "숨어 있어요": CrisisOutcome.NONE,
        "": CrisisOutcome.NONE,
    }
    assert {text: _abuse(text).outcome for text in expected} == expected


def test_abuse_has_rule_ids_kinds_and_needs_and_the_kind_other_only_without_another_kind():
    found = _abuse("따돌려요, 때려요")
    assert set(found.rule_ids) == {"때려", "따돌려"}
    assert found.kinds == (AbuseKind.DOMESTIC, AbuseKind.SCHOOL)
    assert found.needs == (Need.VIOLENCE, Need.SCHOOL, Need.MIND)
    assert _abuse("안녕하세요") == AbuseFinding()
    assert _abuse("맞아요").kinds == (AbuseKind.OTHER,)
    assert _abuse("때려요, 맞아요").kinds == (AbuseKind.DOMESTIC,)


def test_denied_violence_is_no_abuse():
    assert content().screening.screen("남편은 때리지는 않아요").abuse == AbuseFinding()
    assert content().screening.screen("my mom never hit me").abuse == AbuseFinding()


def _stated(text):
    return stated_age(
        _matches(
            text,
            ("열살", Family.AGE, "under_14"),
            ("열다섯", Family.AGE, "minor"),
            ("서른", Family.AGE, "adult"),
            ("딸이", Family.AGE_OWNER, "of_another"),
            ("저는", Family.AGE_OWNER, "of_self"),
        )
    )


def test_the_youngest_age_counts_and_another_childs_age_only_with_words_about_the_writer():
    ages = {"서른이고 열다섯이고": StatedAge.MINOR, "열다섯이 아니라 열살": StatedAge.UNDER_14, "나이": None}
    ages |= {"딸이 열살": None, "딸이 서른": StatedAge.ADULT, "저는 딸이 열살": StatedAge.UNDER_14}
    assert {text: _stated(text) for text in ages} == ages


def test_a_child_may_correct_the_age_and_a_minor_never_becomes_an_adult_by_a_statement():
    for before, said, after in (
        (None, StatedAge.ADULT, None),
        (None, StatedAge.MINOR, StatedAge.MINOR),
        (None, StatedAge.UNDER_14, StatedAge.UNDER_14),
        (StatedAge.MINOR, StatedAge.ADULT, StatedAge.MINOR),
        (StatedAge.MINOR, StatedAge.UNDER_14, StatedAge.UNDER_14),
        (StatedAge.UNDER_14, StatedAge.MINOR, StatedAge.MINOR),
        (StatedAge.UNDER_14, StatedAge.ADULT, StatedAge.MINOR),
    ):
        assert believed(before, said) is after, (before, said)
    for before, said in product([None, *StatedAge], StatedAge):
        once = believed(before, said)
        assert once is None or believed(once, said) is (StatedAge.MINOR if once is StatedAge.MINOR else once)


def _holds(text, before="", behind="", words=""):
    begin = text.index("죽고 싶")
    predicate = Predicate("one", Makes.CONCERN, (Surroundings(before, behind, words, WORDS),))
    return predicate.holds(Reading(text), (begin, begin + len("죽고 싶")))


def test_a_predicate_reads_the_text_directly_before_and_after_the_match_and_the_match():
    assert _holds("주인공이 죽고 싶다는 대사", before="주인공이")
    assert _holds("죽고 싶다는 대사", behind="다는 대사")
    assert not _holds("주인공이 멋져 죽고 싶다", before="주인공이")
    assert not _holds("죽고 싶어. 슬픈 대사", behind="다는 대사")
    assert _holds("친구가 죽고 싶대", before="친구가", behind="대")
    assert not _holds("친구가 죽고 싶게 해", before="친구가", behind="대")
    assert _holds("친구가 죽고 싶대", before="친구가", words="(?!내가)")
    assert not _holds("친구가 죽고 싶대", before="친구가", words="(?!죽고)")


def test_a_predicate_does_not_read_another_clause():
    texts = ("주인공이 멋졌는데 죽고 싶어", "주인공이 멋졌다. 죽고 싶어", "주인공이 나와서, 죽고 싶어")
    assert [text for text in texts if _holds(text, before="주인공이[^!]{0,20}")] == []


def test_a_predicate_only_lowers_a_finding_and_an_imminent_one_only_to_a_third_party():
    into = {
        (CrisisOutcome.CRISIS, Makes.CONCERN): CrisisOutcome.CONCERN,
        (CrisisOutcome.CRISIS, Makes.THIRD_PARTY): CrisisOutcome.THIRD_PARTY,
        (CrisisOutcome.CRISIS, Makes.NOTHING): CrisisOutcome.NONE,
        (CrisisOutcome.IMMINENT, Makes.THIRD_PARTY): CrisisOutcome.THIRD_PARTY_NOW,
        (CrisisOutcome.ATTEMPTED, Makes.THIRD_PARTY): CrisisOutcome.THIRD_PARTY_NOW,
        (CrisisOutcome.CONCERN, Makes.THIRD_PARTY): CrisisOutcome.CONCERN,
    }
    assert {case: lowered(*case) for case in into} == into
    for outcome in (CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED):
        assert [makes for makes in Makes if may_lower(makes, outcome)] == [Makes.THIRD_PARTY]
    assert all(may_lower(makes, CrisisOutcome.CRISIS) for makes in Makes)


NOODLES = Predicate("noodles", Makes.NOTHING, (Surroundings("", "국수", "", WORDS),))


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


def test_signs_of_two_kinds_add_up_in_nearby_sentences():
    assert _adding_up("통장을 넘겼다. 그냥. 고마웠어.") == ("ko-통장", "ko-고마웠어")
    assert _adding_up("통장을 넘겼다. 하나. 둘. 고마웠어.") == ()
    assert _adding_up("통장이랑 열쇠를 줬다") == ()


@pytest.mark.parametrize(
    ("kinds", "outcome"),
    [
        (("settled",), CrisisOutcome.NONE),
        (("farewell", "goodbye"), CrisisOutcome.NONE),
        (("farewell", "hopeless"), CrisisOutcome.NONE),
        (("settled", "giving_away"), CrisisOutcome.CRISIS),
        (("settled", "farewell"), CrisisOutcome.CRISIS),
        (("giving_away", "hopeless"), CrisisOutcome.CRISIS),
        (("settled", "goodbye"), CrisisOutcome.CRISIS),
        (("settled", "farewell", "goodbye"), CrisisOutcome.IMMINENT),
        (("hopeless", "farewell", "goodbye"), CrisisOutcome.IMMINENT),
    ],
)
def test_leave_taking_of_two_kinds_or_beside_hopelessness_is_a_crisis(kinds, outcome):
    assert leave_taking(kinds) is outcome


def test_distress_alone_is_no_finding_and_counts_with_another_sign():
    assert _adding_up("오늘 지쳤어") == ()
    assert _adding_up("오늘 통장을 봤다")
    assert _adding_up("통장을 봤다. 그냥. 오늘.")
    assert _adding_up("오늘. 그냥. 통장을 봤다.")
    assert _adding_up("칼국수를 먹었다. 고마웠어.") == ()


def test_a_lone_sign_of_any_weight_counts_only_where_one_kind_is_enough():
    signs = list(SIGNS.matches(Reading("칼을 봤다")))
    assert adding_up(signs) == ()
    assert adding_up(signs, kinds=ALONE) == ("ko-칼",)
