"""No prompt of the Counselor orders a question and forbids all questions: every module, stance and way of asking.

What is told under a condition ("물을 때는 …", "If you ask, …") orders nothing. The persona describes a style and is
subject to the sentence before the last order ("질문은 위와 달라도 다음을 따릅니다").
"""

import re
from itertools import product

import pytest

from functions.chat.flows.counseling.prepared_reply import CounselorInput, speaker_of
from shared.content.catalogue import content
from shared.domain.counseling.directive import Ask, Directive, EndCause, Heed, Stance
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.task import Part
from shared.locale import Locale, Register

FORBIDS = {
    Locale.KO: re.compile(r"이번 답에서는 묻지 않습니다|질문(?:은|을|도) (?:하지 않|하지 마|거두)|아무것도 묻지"),
    Locale.EN: re.compile(r"(?i)ask nothing|ask no questions?\b|take back the question|do not ask the question"),
}
ORDERS = {
    Locale.KO: re.compile(
        r"물어보세요|물으세요|물어 주세요|확인하세요|들려 달라고 하세요|질문은 [^.]*하나(?:뿐|입)|질문 하나를"
    ),
    Locale.EN: re.compile(
        r"(?i)(?:^|[.,;:] |\b(?:and|then) )(?:calmly )?(?:ask|check)\b(?! nothing| no\b)|only question"
        r"|one question is|put this question"
    ),
}
CONDITIONS = {
    Locale.KO: re.compile(r"물을 때는|물을 것이 있다면|묻는다면|질문은 없어도|묻기 전에|다시 말한 것이 없으면"),
    Locale.EN: re.compile(r"(?i)\bif you ask|if they have not|ask one at most|before you ask"),
}
VOICES = [(Locale.KO, Register.FORMAL), (Locale.KO, Register.CASUAL), (Locale.EN, Register.FORMAL)]
ASK = Ask(slot="reason", question="어떤 일로 오셨어요?")
GUIDE = {Locale.KO: "언제부터인지 물어보세요.", Locale.EN: "Ask when it began."}
SITUATIONS = {
    "plain": {},
    "ask": {"ask": ASK},
    "ask again": {"ask": ASK.model_copy(update={"error": "잘 모르겠어요."})},
    "unread": {"parse_error": True},
    "unread answer": {"ask": ASK, "parse_error": True},
    "skipped": {"skipped": True},
    "misread": {"misread": True},
    "misread and skipped": {"misread": True, "skipped": True},
    "concern": {"concern": True},
    **{heed.value: {"heed": heed} for heed in Heed},
    "misread while heeded": {"misread": True, "heed": Heed.ABUSE},
}
PROPOSALS = {
    Stance.PROPOSE_WRAP_UP: {"proposes": WrapUpAim.WRAP_UP},
    Stance.CONFIRM_END: {"proposes": WrapUpAim.END, "end_cause": EndCause.ASKED},
}


def sentences(text):
    return [one.strip() for one in re.split(r"(?<=[.?!])\s+|\n", text) if one.strip()]


def found(pattern, system, locale):
    told = re.sub(
        r"<persona>.*?</persona>|<principles>.*?</principles>|<examples>.*?</examples>", "", system, flags=re.DOTALL
    )
    return [one for one in sentences(told) if pattern.search(one) and not CONDITIONS[locale].search(one)]


def rendered(locale, register, module, stance, **situation):
    directive = Directive(
        stance=stance,
        part=Part.EXPLORATION,
        task_id="t1",
        task_title="제목",
        task_target="바라는 것",
        execution_guide=GUIDE[locale],
        module_id=module.id,
        module_name=module.name,
        module_summary=module.summary,
        module_examples=module.examples.get(register, ()),
        module_changed=True,
        module_change_reason="사용자 저항 감지" if locale is Locale.KO else "Resistance detected",
        persona="…",
        part_changed=True,
        supervision=(GUIDE[locale],),
        **{**PROPOSALS.get(stance, {}), **situation},
    )
    given = CounselorInput(
        directive=directive, speech_register=register.value, summary="", first_turn=True, unclear="…"
    )
    return speaker_of(stance).prompt.render(locale, given).system


@pytest.mark.parametrize(("locale", "register"), VOICES)
@pytest.mark.parametrize("stance", Stance)
def test_no_prompt_orders_a_question_and_forbids_all(locale, register, stance):
    contradictions = {}
    for module, (name, situation) in product(content().modules(locale), SITUATIONS.items()):
        system = rendered(locale, register, module, stance, **situation)
        forbids, orders = (found(kind[locale], system, locale) for kind in (FORBIDS, ORDERS))
        if forbids and orders:
            contradictions[module.id, name] = (forbids, orders)
    assert contradictions == {}


@pytest.mark.parametrize("locale", Locale)
def test_the_phrases_are_found_where_the_prompt_is_known_to_ask_and_to_forbid(locale):
    modules = {module.id: module for module in content().modules(locale)}
    ask, skip = (
        rendered(locale, Register.FORMAL, modules["rapport_building"], Stance.WORK, **SITUATIONS[one])
        for one in ("ask", "skipped")
    )
    resisted = rendered(locale, Register.FORMAL, modules["resistance_handling"], Stance.WORK)
    cared = rendered(locale, Register.FORMAL, modules["crisis_support"], Stance.CARE)
    assert [bool(found(FORBIDS[locale], one, locale)) for one in (ask, skip, resisted, cared)] == [0, 1, 1, 0]
    assert [bool(found(ORDERS[locale], one, locale)) for one in (ask, skip, resisted, cared)] == [1, 0, 0, 1]


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("stance", [one for one in Stance if one is not Stance.CARE])
def test_the_last_order_is_said_to_count_wherever_a_persona_may_speak_of_questions(locale, stance):
    precedence = {Locale.KO: "질문은 위와 달라도", Locale.EN: "Whatever stands above"}[locale]
    (module,) = [one for one in content().modules(locale) if one.id == "resistance_handling"]
    for situation in ({}, {"skipped": True}):
        system = rendered(locale, Register.FORMAL, module, stance, **situation)
        assert not found(FORBIDS[locale], system, locale) or precedence in system
