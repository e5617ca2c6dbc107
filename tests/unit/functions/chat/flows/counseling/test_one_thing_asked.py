"""The Counselor's prompt over stances, modules and what must be asked: it asks one thing, or nothing."""

import re
from collections.abc import Iterable, Iterator
from itertools import product

import pytest

from functions.chat.flows.counseling.plan_of_reply import Directive
from functions.chat.flows.counseling.prepared_reply import CounselorInput, speaker_of
from shared.content.catalogue import content
from shared.domain.counseling.directive import Ask, EndCause, Heed, Stance
from shared.domain.counseling.module import RESISTANCE_MODULE, Module
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.task import Part
from shared.locale import Locale
from tests.support.tags import elements

ASK = Ask(slot="name", question="뭐라고 불러 드릴까요?")
AIMS = {Stance.PROPOSE_WRAP_UP: WrapUpAim.WRAP_UP, Stance.CONFIRM_END: WrapUpAim.END}
HAS_TO_BE_ASKED = re.compile(
    r'<ask |<proposal>|kind="concern"|kind="parse_error"|kind="(?:helper|abuse|abuse_told|harm_to_others)"'
    r'|kind="misread"|질문은 맞게 들었는지|only question is whether you heard it right'
    "|질문은 그 가운데|only question is what of it matters"
)
MAY_BE_ASKED = re.compile("열린 질문 하나까지만|질문은 많아야 하나|one open question at most|one question at most")
NOTHING = {Locale.KO: "이번 답에서는 묻지 않습니다", Locale.EN: "Ask nothing in this reply"}
ASKS_NOTHING = re.compile(
    r"질문은 거두|(?<!다시 )묻지 (?:마세요|않습니다)\.?$|Take back the question|Ask nothing", re.MULTILINE
)
"""A technique's line that forbids any question of this reply; "do not ask again for what was said" is none."""


def rendered(locale: Locale, stances: Iterable[Stance]) -> Iterator[tuple[dict[str, object], str]]:
    modules = content().modules(locale)
    asked = ({}, {"ask": ASK}, {"ask": ASK.model_copy(update={"error": "숫자로 말해 주세요."})})
    safety = ({}, {"concern": True}, *({"heed": heed} for heed in Heed))
    unread = ({}, {"parse_error": True}, {"misread": True}, {"skipped": True})
    for stance, module, ask, risk, lost in product(stances, modules, asked, safety, unread):
        more = {"stance": stance, "proposes": AIMS.get(stance), **ask, **risk, **lost}
        if stance is Stance.CONFIRM_END:
            more["end_cause"] = EndCause.ASKED
        yield {**more, "module": module.id}, prompt(locale, module, more)


def prompt(locale: Locale, module: Module, more: dict[str, object]) -> str:
    directive = Directive(
        part=Part.EXPLORATION,
        task_id="task_a",
        task_title="제목",
        task_target="바라는 것",
        module_id=module.id,
        module_name=module.name,
        module_summary=module.summary,
        supervision=("되비춘 뒤에 물으세요.",),
        **more,
    )
    given = CounselorInput(
        directive=directive, speech_register="존댓말", summary="", first_turn=False, unclear="못 들었어요."
    )
    return speaker_of(directive.stance).prompt.render(locale, given).system


@pytest.mark.parametrize("locale", Locale)
def test_a_prompt_asks_one_thing_or_may_or_may_not_and_never_two_of_these(locale):
    wrong = []
    for case, system in rendered(locale, [one for one in Stance if one is not Stance.CARE]):
        module = "\n".join(elements(system, "module"))
        must, may = len(HAS_TO_BE_ASKED.findall(system)), len(MAY_BE_ASKED.findall(system))
        nothing = NOTHING[locale] in system
        if must + may + nothing != 1 or bool(ASKS_NOTHING.search(module)) != (nothing and bool(module)):
            wrong.append(case)
    assert wrong == []


@pytest.mark.parametrize("locale", Locale)
def test_while_resistance_is_met_without_a_danger_nothing_is_asked_and_the_task_is_not_led_back_to(locale):
    module = next(one for one in content().modules(locale) if one.id == RESISTANCE_MODULE)
    for stance in (Stance.WORK, Stance.ACCOMPANY, Stance.BRIDGE, Stance.GATHER):
        system = prompt(locale, module, {"stance": stance, "execution_guide": "이름을 물으며 이어 갑니다."})
        assert NOTHING[locale] in system
        assert "이름을 물으며" not in system
    assert "이름을 물으며" in prompt(
        locale, content().modules(locale)[0], {"stance": Stance.WORK, "execution_guide": "이름을 물으며 이어 갑니다."}
    )


@pytest.mark.parametrize("locale", Locale)
def test_a_care_prompt_asks_one_thing_about_safety_whatever_else_is_planned(locale):
    only = {Locale.KO: "질문은 그것 하나입니다", Locale.EN: "That is the only question"}[locale]
    for case, system in rendered(locale, [Stance.CARE]):
        assert system.count(only) == (not case.get("misread")), "a correction is asked about in fixed words"
        assert not HAS_TO_BE_ASKED.search(system)
        assert not MAY_BE_ASKED.search(system)


@pytest.mark.parametrize("locale", Locale)
def test_the_person_is_received_before_an_end_is_asked_about_and_no_answered_question_is_asked_again(locale):
    first = {Locale.KO: "방금 한 말을 상대의 말로 한 문장 받아 줍니다", Locale.EN: "First receive in one sentence"}[
        locale
    ]
    answered = {Locale.KO: "마지막 말에 이미 그 답이 있으면 묻지", Locale.EN: "answers it already, do not ask"}[locale]
    module = content().modules(locale)[0]
    for stance, aim in AIMS.items():
        assert first in prompt(locale, module, {"stance": stance, "proposes": aim})
    assert answered in prompt(locale, module, {"stance": Stance.WORK, "ask": ASK})


@pytest.mark.parametrize("locale", Locale)
def test_examples_of_a_module_follow_its_summary(locale):
    system = prompt(
        locale, content().modules(locale)[0], {"stance": Stance.ACCOMPANY, "module_examples": ("“그랬군요.”",)}
    )
    assert elements(system.partition("</module>")[2], "examples") == ["- “그랬군요.”"]
