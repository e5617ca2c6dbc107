"""The words of the safety plan: what its lists recognise, and what a crisis shows of it in every voice."""

import re

import pytest

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.schemas.voice import Voiced
from shared.content.wordings import nth
from shared.domain.counseling.safety_plan import PlanStep
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome
from tests.builders.talk import EN, KO

CASUAL = KO.model_copy(update={"register_": Register.CASUAL})
VOICES = {"ko": KO, "ko_casual": CASUAL, "en": EN}
STEPS = {
    PlanStep.SIGNS: "숨이 막혀요",
    PlanStep.ALONE: "산책, 맥주 한 캔",
    PlanStep.COMPANY: "한강",
    PlanStep.HELPERS: "엄마, 민지",
    PlanStep.SURROUNDINGS: "칼 치우기",
}
WORDS = content().safety_plan
LISTS = {
    "wants": WORDS.wants,
    "shows": WORDS.asks_to_see,
    "erases": WORDS.asks_to_erase,
    "accepts": WORDS.accepts,
    "later": WORDS.puts_off,
    "refuses": WORDS.refuses,
    "keeps": WORDS.keeps,
    "keeps_after_all": WORDS.keeps_after_all,
    "stops": WORDS.stops,
    "no_answer": WORDS.gives_nothing,
    "means": WORDS.names_means,
    "family": WORDS.names_relative,
}
FORMAL = re.compile(r"(?:요|니다|세요)[.?!]?(?:\s|$)")


@pytest.mark.parametrize("name", LISTS)
def test_a_list_finds_its_examples_and_nothing_like_them(name):
    phrases, found = getattr(WORDS.written, name), LISTS[name]
    assert [text for text in phrases.examples if not found(text)] == []
    assert [text for text in phrases.others if found(text)] == []


def test_a_warning_sign_says_when_a_thought_of_dying_comes_and_tells_no_present_wish():
    conditions, present = WORDS.written.conditions, WORDS.written.present
    assert [text for text in conditions.examples if not WORDS.names_sign(text)] == []
    assert [text for text in (*conditions.others, *present.examples) if WORDS.names_sign(text)] == []
    assert [text for text in present.others if WORDS.storable(text, PlanStep.SIGNS) != text] == []


@pytest.mark.parametrize(
    "text",
    [
        "죽고 싶어질 때요. 지금 죽고 싶어요",
        "죽고 싶어요 힘들 때요",
        "너무 죽고 싶고 밤이 되면 더 심해져요",
        "죽고 싶을 때마다 약을 모아 뒀어요",
        "죽고 싶어지면 옥상에 올라갈 거예요",
        "죽고 싶어서 손목 그었고 힘들 때 또 그을 것 같아요",
        "매일 죽고 싶어요 특히 밤이 되면요",
        "if I want to kill myself I will take the pills",
    ],
)
def test_a_condition_covers_no_wish_told_beside_it(text):
    assert not WORDS.names_sign(text)
    assert WORDS.storable(text, PlanStep.SIGNS) is None


def test_only_the_step_of_warning_signs_may_name_the_thought():
    assert [step for step in PlanStep if WORDS.storable("죽고 싶어질 때요", step)] == [PlanStep.SIGNS]


@pytest.mark.parametrize("question", WORDS.written.questions, ids=lambda one: one.about)
def test_a_question_about_the_plan_is_found_with_or_without_a_question_mark_and_an_answer_is_none(question):
    assert [text for text in question.asked.examples if WORDS.question(text) is not question] == []
    assert [text for text in question.asked.others if WORDS.question(text)] == []


@pytest.mark.parametrize("voice", VOICES.values(), ids=VOICES)
def test_a_crisis_shows_steps_in_order_without_means_places_of_it_signs_or_surroundings(voice):
    shown = WORDS.opened(STEPS, CrisisOutcome.CRISIS, voice)
    assert [line.partition(": ")[2] for line in shown.splitlines()[1:]] == ["산책", "엄마, 민지"]
    now = WORDS.opened(STEPS, CrisisOutcome.IMMINENT, voice)
    assert [line.partition(": ")[2] for line in now.splitlines()[1:]] == ["엄마, 민지"]


@pytest.mark.parametrize("outcome", sorted(set(CrisisOutcome) - {CrisisOutcome.CRISIS, CrisisOutcome.IMMINENT}))
def test_no_other_danger_shows_it(outcome):
    assert WORDS.opened(STEPS, outcome, KO) == ""


@pytest.mark.parametrize("danger", ["hurt_at_home", "fears_home", "harming"])
def test_where_the_family_may_be_the_danger_a_step_with_a_relative_is_left_out(danger):
    shown = WORDS.opened(STEPS, CrisisOutcome.CRISIS, KO.model_copy(update={danger: True}))
    assert "산책" in shown
    assert "엄마" not in shown


@pytest.mark.parametrize("variant", range(4))
@pytest.mark.parametrize(("outcome", "first"), [(CrisisOutcome.CRISIS, "plan"), (CrisisOutcome.IMMINENT, "lines")])
def test_every_crisis_reply_has_the_plan_before_its_lines_and_with_a_life_in_danger_now_after_them(
    outcome, first, variant
):
    for voice in VOICES.values():
        number = "109" if voice.locale is Locale.KO else "988"
        reply = content().crisis_replies.reply(outcome, voice, nth(variant), plan="MY PLAN")
        before = reply.index("MY PLAN") < reply.index(number)
        assert before is (first == "plan"), reply


def test_the_whole_plan_has_the_help_lines_with_the_users_own_professionals_and_the_youth_line_for_a_minor():
    shown = WORDS.shown({PlanStep.PROFESSIONALS: "보건 선생님"}, Voice(**{**KO.model_dump(), "minor": True}))
    assert all(words in shown for words in ("보건 선생님", "109", "1388"))


def test_casual_korean_has_no_polite_ending_and_every_text_asks_at_most_one_question():
    written = WORDS.written
    texts = [entry for _, entry in written if isinstance(entry, Voiced)]
    texts += [*(one.answer for one in written.questions), *written.steps.values()]
    assert [text.ko_casual for text in texts if not text.ko_casual or FORMAL.search(text.ko_casual)] == []
    questions = [q for slot in written.tasks[0].optional_slots for q in (*slot.questions.ko, *slot.questions.ko_casual)]
    assert [text for text in (*questions, *(one for text in texts for one in text.all)) if text.count("?") > 1] == []
