"""Every prompt of a turn renders in every language with all of its input."""

import re

import pytest

from functions.chat.speaking import PROMPTS
from shared.locale import Locale
from tests.builders.prompt_inputs import of_a_turn


def inputs(said="말"):
    """Return each prompt of a turn with `said` in every field that a user or a model can fill."""
    return [(prompt, given) for prompt, given in of_a_turn(lambda _: said) if prompt.folder == PROMPTS]


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("number", [pytest.param(n, id=f"{one.agent}-{n}") for n, (one, _) in enumerate(inputs())])
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
