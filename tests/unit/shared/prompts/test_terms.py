"""The analysts' term for the user, 내담자 and client, is 상대 and the person in the Counselor's prompt."""

import re

import pytest

from shared.content.catalogue import content
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.locale import Locale
from tests.builders.prompt_inputs import counselor

NOT_WORDS = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|<[^<>\n]*>", re.DOTALL)
"""Of a template: variables, statements, tags."""
OTHERS = {
    Locale.KO: re.compile("내담자|사용자|이용자|고객|유저"),
    Locale.EN: re.compile(r"\busers?\b|\bclients?\b|\bcustomer", re.IGNORECASE),
}


@pytest.mark.parametrize("locale", Locale)
def test_the_analysts_term_in_content_and_models_words_is_the_counselors_in_its_prompt(locale: Locale) -> None:
    said = {Locale.KO: "내담자가 먼저 말하게 하세요", Locale.EN: "Let the client speak first"}[locale]
    filler = {"task_target", "restrictions", "execution_guide", "remark", "another_remark", "module_change_reason"}
    for module in content().modules(locale):
        shown = {"module_id": module.id, "module_name": module.name, "module_summary": module.summary}
        ask = {} if module.id != RESISTANCE_MODULE else {"ask": None}
        prompt, given = counselor(lambda name: said if name in filler else "-", **shown, **ask)
        found = OTHERS[locale].findall(NOT_WORDS.sub(" ", prompt.render(locale, given).system))
        assert found == [], module.id
