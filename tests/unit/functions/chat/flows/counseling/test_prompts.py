"""Every prompt in every language renders with all of its input; what an attack can do: unit/shared/prompts."""

import re

import pytest

from functions.chat.flows.counseling.plan_of_reply import Directive
from functions.chat.flows.counseling.prepared_reply import CounselorInput, speaker_of
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.selectors.task_selector import SELECTOR
from shared.domain.counseling.directive import Stance
from shared.domain.counseling.task import Part
from shared.locale import Locale
from tests.builders.prompt_inputs import of_a_turn


def inputs(said="말"):
    """Return each prompt of the flow with `said` in every field that a user or a model can fill."""
    return [(prompt, given) for prompt, given in of_a_turn(lambda _: said) if prompt.folder == PROMPTS]


def bare(stance, part=Part.OPENING):
    """Return the Counselor's input with only a stance and a Part."""
    directive = Directive(stance=stance, part=part, module_id="m", module_name="m", module_summary=("a", "b", "c"))
    return CounselorInput(directive=directive, speech_register="존댓말", summary="", first_turn=False)


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("number", [pytest.param(n, id=prompt.agent) for n, (prompt, _) in enumerate(inputs())])
class TestAPrompt:
    def test_renders_with_all_of_its_input(self, number, locale):
        prompt, given = inputs("여기있는말")[number]
        rendered = prompt.render(locale, given)
        assert rendered.prompt_id == f"{prompt.agent}/v{prompt.version}.{locale.value}"
        assert rendered.system
        assert "여기있는말" in rendered.system + rendered.user
        assert [word for word in ("{{", "None") if word in rendered.system + rendered.user] == []

    def test_is_written_in_its_own_language(self, number, locale):
        assert bool(re.search("[가-힣]", inputs()[number][0].source(locale))) is (locale is Locale.KO)

    def test_has_the_same_structure_in_every_language(self, number, locale):
        prompt, given = inputs()[number]
        texts = [each.system + each.user for each in (prompt.render(one, given) for one in (Locale.KO, locale))]
        structure = [re.findall(r"<(\w+)[^>]*>.*?</\1>", text, re.DOTALL) for text in texts]
        assert structure[0] == structure[1]


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("part", Part)
def test_the_counselors_prompt_differs_by_stance_in_every_part_and_has_no_empty_tags(locale, part):
    told = {stance: speaker_of(stance).prompt.render(locale, bare(stance, part)).system for stance in Stance}
    assert [stance for stance, system in told.items() if f"<stance>{stance.value}</stance>" not in system] == []
    assert len({system.replace(stance.value, "") for stance, system in told.items()}) == len(Stance)
    empty = ("task", "ask", "goal", "persona", "notice", "supervision", "summary", "slot_error", "proposal")
    assert [tag for tag in empty if f"<{tag}" in told[Stance.ACCOMPANY]] == []


@pytest.mark.parametrize("locale", Locale)
def test_the_selector_may_answer_none_only_when_it_may_refuse(locale):
    prompt, given = next((p, g) for p, g in inputs() if p is SELECTOR.prompt)
    allowed = prompt.render(locale, given).system
    refused = prompt.render(locale, given.model_copy(update={"may_refuse": False})).system
    assert '"none"' in allowed
    assert '"none"' not in refused
