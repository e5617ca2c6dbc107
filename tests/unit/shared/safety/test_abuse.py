"""How acts and times together make an outcome, and what the rules find of violence."""

from shared.content.catalogue import content
from shared.safety.abuse import AbuseFinding, AbuseKind, abuse_in
from shared.safety.levels import CrisisOutcome
from shared.safety.matcher import Family, Matcher, Rule
from shared.safety.needs import Need
from shared.safety.reading import Reading


def _rule(word, family, outcome, kind=""):
    return Rule(id=word, family=family, outcome=outcome, triggers=(word,), sources=(word,), kind=kind)


RULES = Matcher(
    [
        _rule("때려", Family.ABUSE, "abuse", "domestic"),
        _rule("맞아", Family.ABUSE, "abuse", "other"),
        _rule("따돌려", Family.ABUSE, "abuse_told", "school"),
        _rule("예전", Family.ABUSE_TIME, "past"),
        _rule("요즘", Family.ABUSE_TIME, "present"),
        _rule("숨어", Family.ABUSE_TIME, "now"),
    ]
)


def _found(text):
    return abuse_in(RULES.matches(Reading(text)))


def test_the_outcome_is_what_was_done_and_when():
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
    assert {text: _found(text).outcome for text in expected} == expected


def test_it_names_the_rules_and_kinds_and_what_they_call_for():
    found = _found("따돌려요, 때려요")
    assert set(found.rule_ids) == {"때려", "따돌려"}
    assert found.kinds == (AbuseKind.DOMESTIC, AbuseKind.SCHOOL)
    assert found.needs == (Need.VIOLENCE, Need.SCHOOL, Need.MIND)
    assert _found("안녕하세요") == AbuseFinding()


def test_somebody_unnamed_counts_only_where_nobody_is_named():
    assert _found("맞아요").kinds == (AbuseKind.OTHER,)
    assert _found("때려요, 맞아요").kinds == (AbuseKind.DOMESTIC,)


def test_what_a_predicate_takes_down_is_no_violence():
    assert content().screening.screen("남편은 때리지는 않아요").abuse == AbuseFinding()
    assert content().screening.screen("my mom never hit me").abuse == AbuseFinding()
