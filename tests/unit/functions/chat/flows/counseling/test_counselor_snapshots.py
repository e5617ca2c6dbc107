"""The Counselor's prompt, whole, in each situation: what a change does to it is read in the diff.

After a change that is meant, write the files anew and read what changed in them:

    python -m tests.unit.functions.chat.flows.counseling.renew_prompts && git diff tests/fixtures/prompts
"""

import re
from difflib import unified_diff

import pytest

from shared.locale import Locale
from tests.support.tags import elements
from tests.unit.functions.chat.flows.counseling.counselor_cases import CASES, KEYS
from tests.unit.functions.chat.flows.counseling.renew_prompts import FOLDER, file_of

IDS = [f"{name}.{locale.value}" for name, locale in KEYS]
HANGUL = re.compile(r"[가-힣]")
ONE_QUESTION = ("<ask ", "<proposal>", 'kind="concern"', 'kind="parse_error"', "<stance>care</stance>")
"""What makes the reply ask something."""


async def test_the_prompt_is_as_it_was_last_looked_at(subtests):
    for name, locale in KEYS:
        with subtests.test(name=name, locale=locale):
            was = (FOLDER / file_of(name, locale)).read_text(encoding="utf-8")
            now = await CASES[name].prompt(locale) + "\n"
            changed = "\n".join(
                unified_diff(was.splitlines(), now.splitlines(), file_of(name, locale), "now", lineterm="")
            )
            assert was == now, f"\n{changed}"


def test_every_file_is_a_case():
    assert {path.name for path in FOLDER.iterdir()} == {file_of(name, locale) for name, locale in KEYS}


@pytest.mark.parametrize(("name", "locale"), KEYS, ids=IDS)
class TestEveryPrompt:
    async def test_asks_for_one_thing_at_most(self, name, locale):
        system = await CASES[name].prompt(locale)
        assert sum(mark in system for mark in ONE_QUESTION) <= 1

    async def test_has_no_gap_of_more_than_one_line_and_no_trailing_space(self, name, locale):
        system = await CASES[name].prompt(locale)
        assert "\n\n\n" not in system
        assert [line for line in system.splitlines() if line != line.rstrip()] == []

    async def test_is_in_the_sessions_language(self, name, locale):
        system = await CASES[name].prompt(locale)
        if locale is Locale.EN:
            assert [line for line in system.splitlines() if HANGUL.search(line)] == []
        else:
            assert [found for tag in ("persona", "goal", "task") for found in elements(system, tag)] == [
                found for tag in ("persona", "goal", "task") for found in elements(system, tag) if HANGUL.search(found)
            ]
