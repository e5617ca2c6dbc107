"""The Counselor's whole prompt in the situations of `KEPT`, compared with files, and rules for all situations.

After an intended change, write the files again and read the diff:

    python -m tests.unit.functions.chat.flows.counseling.test_counselor_snapshots && git diff tests/fixtures/prompts
"""

import asyncio
import re
from difflib import unified_diff

import pytest

from shared.locale import Locale
from tests.support.process import ROOT
from tests.support.tags import elements
from tests.unit.functions.chat.flows.counseling.counselor_cases import CASES, KEPT, KEYS

FOLDER = ROOT / "tests/fixtures/prompts/counselor"
HANGUL = re.compile(r"[가-힣]")
ONE_QUESTION = ("<ask ", "<proposal>", 'kind="concern"', 'kind="parse_error"', "<stance>care</stance>")
"""The marks that make the reply ask something."""
IN_THE_USERS_LANGUAGE = ("persona", "goal", "task")


async def rendered():
    """Return the text of every stored file by its name."""
    kept = [(name, locale) for name, locale in KEYS if name in KEPT]
    return {f"{name}.{locale.value}.txt": await CASES[name].prompt(locale) + "\n" for name, locale in kept}


async def test_the_prompts_equal_the_stored_files():
    stored = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    now = await rendered()
    assert stored.keys() == now.keys()
    changed = [file for file in now if now[file] != stored[file]]
    diffs = [unified_diff(stored[one].splitlines(), now[one].splitlines(), one, "now", lineterm="") for one in changed]
    assert changed == [], "\n" + "\n".join(line for diff in diffs for line in diff)


@pytest.mark.parametrize(("name", "locale"), KEYS)
async def test_every_prompt_asks_one_question_at_most_in_the_sessions_language_without_gaps(name, locale):
    system = await CASES[name].prompt(locale)
    assert sum(mark in system for mark in ONE_QUESTION) <= 1
    assert "\n\n\n" not in system
    assert [line for line in system.splitlines() if line != line.rstrip()] == []
    if locale is Locale.EN:
        assert [line for line in system.splitlines() if HANGUL.search(line)] == []
    else:
        shown = [found for tag in IN_THE_USERS_LANGUAGE for found in elements(system, tag)]
        assert [found for found in shown if not HANGUL.search(found)] == []


def main():
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for file, text in asyncio.run(rendered()).items():
        (FOLDER / file).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
