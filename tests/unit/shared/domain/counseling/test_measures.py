"""Scores of the measures, the item about self-harm, and when a session offers them."""

from itertools import pairwise

import pytest

from shared.content.catalogue import content
from shared.content.schemas.measures import MeasureFile
from shared.domain.conversation import Consent, Message, Role
from shared.domain.counseling.measure_events import GreetingExtended, MeasureTaken, offered, open_moment
from shared.domain.counseling.measures import MeasureId, MeasureResult, Moment, answers_of, outcome_of, score
from shared.domain.counseling.session import SessionStatus
from shared.domain.errors import AnswersDoNotFit
from shared.locale import Locale
from shared.safety.ages import StatedAge
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, RiskLevel
from tests.builders.sessions import NOW, session

FILE: MeasureFile = content().measures
ENDED = {"status": SessionStatus.COMPLETED, "message_count": 4, "seq": 4}


def scale(measure, locale=Locale.KO):
    return FILE.measure(measure).scale(locale)


def scored(measure, *given):
    return score(scale(measure), answers_of(scale(measure), given))


def result(measure=MeasureId.PHQ9, moment=Moment.START, total=3, self_harm=0):
    kept = {"total": total, "highest": 27, "band": "least", "self_harm": self_harm}
    return MeasureResult(**kept, measure=measure, moment=moment, seq=0, at=NOW)


@pytest.mark.parametrize(("measure", "lasts"), [(MeasureId.PHQ9, (4, 9, 14, 19, 27)), (MeasureId.GAD7, (4, 9, 14, 21))])
def test_a_total_lies_in_the_published_band(measure, lasts):
    bands = {total: band_of(measure, total) for total in range(lasts[-1] + 1)}
    changes = [low for low, high in pairwise(sorted(bands)) if bands[low] != bands[high]]
    assert (*changes, lasts[-1]) == lasts


def band_of(measure, total):
    items = len(scale(measure).items)
    found = scored(measure, *(min(3, max(0, total - 3 * place)) for place in range(items)))
    assert (found.total, found.highest) == (total, 3 * items)
    return found.band


@pytest.mark.parametrize("given", [[], [0] * 8, [0] * 10, [0] * 8 + [4], [0] * 8 + [-1]])
def test_answers_that_do_not_fit_the_items_are_refused(given):
    with pytest.raises(AnswersDoNotFit):
        answers_of(scale(MeasureId.PHQ9), given)


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [(0, CrisisOutcome.NONE), (1, CrisisOutcome.CONCERN), (2, CrisisOutcome.CONCERN), (3, CrisisOutcome.CRISIS)],
)
def test_only_the_ninth_item_decides_about_danger(locale, answer, outcome):
    found = score(scale(MeasureId.PHQ9, locale), answers_of(scale(MeasureId.PHQ9, locale), [3] * 8 + [answer]))
    assert (found.self_harm, outcome_of(found.self_harm)) == (answer, outcome)
    assert outcome_of(scored(MeasureId.GAD7, *[3] * 7).self_harm) is CrisisOutcome.NONE


def test_the_languages_share_items_in_their_own_order_and_both_end_with_self_harm():
    ko, en = scale(MeasureId.PHQ9, Locale.KO).items, scale(MeasureId.PHQ9, Locale.EN).items
    assert (ko != en, set(ko) == set(en), ko[-1], en[-1]) == (True, True, "self_harm", "self_harm")


def test_the_measures_name_source_wording_and_licence_and_call_nothing_a_diagnosis():
    for measure in FILE.measures:
        assert "No permission required" in measure.licence
        assert measure.source
        assert "2010" in measure.ko.wording or "phqscreeners" in measure.ko.wording
        said = " ".join(text for band in measure.bands for text in band.words.all)
        assert not [
            word for word in ("우울증", "장애", "진단", "증상", "depress", "disorder", "diagnos") if word in said
        ]
    assert "진단이 아니" in FILE.about.ko
    assert "not a diagnosis" in FILE.about.en


def test_every_reply_to_self_harm_asks_directly_and_nothing_after_it():
    for voiced in (FILE.self_harm.start_concern, FILE.self_harm.end_concern, FILE.self_harm.end_crisis):
        assert voiced.ko_casual
        assert all(content().crisis_answers.asks_directly(text, last=True) for text in voiced.all)


class TestOffers:
    def test_measures_are_offered_before_the_first_message_and_after_the_end(self):
        assert (open_moment(session()), offered(session())) == (Moment.START, tuple(MeasureId))
        assert (open_moment(session(seq=1)), offered(session(seq=1))) == (None, ())
        assert (open_moment(session(**ENDED)), offered(session(**ENDED))) == (Moment.END, tuple(MeasureId))

    def test_what_was_answered_at_this_moment_is_not_offered_again(self):
        taken = MeasureTaken(result=result()).apply(session(), NOW)
        assert offered(taken) == (MeasureId.GAD7,)
        assert offered(taken.model_copy(update=ENDED)) == tuple(MeasureId)

    @pytest.mark.parametrize("at", [{}, ENDED])
    @pytest.mark.parametrize(
        "changes",
        [
            {"risk": Risk(level=RiskLevel.CRISIS, outcome=CrisisOutcome.CRISIS)},
            {"stated_age": StatedAge.UNDER_14},
            {"consents": {"terms": Consent(granted=False, version="1", at=NOW)}},
        ],
    )
    def test_nothing_is_offered_in_danger_under_14_or_without_consent(self, at, changes):
        assert offered(session(**{**at, **changes})) == ()

    def test_nothing_is_offered_while_the_direct_question_is_open_or_after_a_session_without_a_word(self):
        assert offered(session(risk=Risk(asked_seq=0))) == ()
        assert offered(session(**{**ENDED, "message_count": 0})) == ()


def test_a_later_result_of_the_same_moment_replaces_the_earlier_one():
    state = session()
    for one in (result(), result(moment=Moment.END), result(total=9)):
        state = MeasureTaken(result=one).apply(state, NOW)
    assert [(one.moment, one.total) for one in state.measures] == [(Moment.END, 3), (Moment.START, 9)]


def test_words_follow_the_greeting_once_and_never_a_later_reply():
    event = GreetingExtended(text="직접 여쭤볼게요.")
    greeted = session(recent=(Message(seq=0, role=Role.COUNSELOR, text="안녕하세요.", created_at=NOW),))
    longer = event.apply(greeted, NOW)
    assert [one.text for one in longer.recent] == ["안녕하세요.\n\n직접 여쭤볼게요."]
    assert event.apply(longer, NOW) is longer
    later = greeted.model_copy(update={"seq": 1})
    assert event.apply(later, NOW) is later
