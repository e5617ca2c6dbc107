"""The Counselor's prompt: whole in the telling situations: what a change does to it is read in the diff.

After a change that is meant, write the files anew and read what changed in them:

    python -m tests.unit.functions.chat.flows.counseling.renew_prompts && git diff tests/fixtures/prompts
"""

import re
from difflib import unified_diff

import pytest

from shared.locale import Locale
from tests.support.tags import elements
from tests.unit.functions.chat.flows.counseling.counselor_cases import CASES, GOLDENS, KEYS
from tests.unit.functions.chat.flows.counseling.renew_prompts import FOLDER, file_of

HANGUL = re.compile(r"[가-힣]")
ONE_QUESTION = ("<ask ", "<proposal>", 'kind="concern"', 'kind="parse_error"', "<stance>care</stance>")
"""What makes the reply ask something."""
IN_THE_USERS_LANGUAGE = ("persona", "goal", "task")


async def test_the_prompt_is_as_it_was_last_looked_at():
    changed = {}
    for name, locale in GOLDENS:
        file = file_of(name, locale)
        was, now = (FOLDER / file).read_text(encoding="utf-8"), await CASES[name].prompt(locale) + "\n"
        if was != now:
            changed[file] = "\n".join(unified_diff(was.splitlines(), now.splitlines(), file, "now", lineterm=""))
    assert changed == {}, "\n" + "\n".join(changed.values())


def test_every_file_is_a_case():
    assert {path.name for path in FOLDER.iterdir()} == {file_of(name, locale) for name, locale in GOLDENS}


@pytest.mark.parametrize(("name", "locale"), KEYS)
async def test_every_prompt_asks_for_one_thing_at_most_without_gaps_in_the_sessions_language(name, locale):
    system = await CASES[name].prompt(locale)
    assert sum(mark in system for mark in ONE_QUESTION) <= 1
    assert "\n\n\n" not in system
    assert [line for line in system.splitlines() if line != line.rstrip()] == []
    if locale is Locale.EN:
        assert [line for line in system.splitlines() if HANGUL.search(line)] == []
    else:
        shown = [found for tag in IN_THE_USERS_LANGUAGE for found in elements(system, tag)]
        assert [found for found in shown if not HANGUL.search(found)] == []
