"""`python -m tests.unit.functions.chat.flows.counseling.renew_prompts`: write the Counselor's prompts anew."""

import asyncio

from shared.locale import Locale
from tests.support.process import ROOT
from tests.unit.functions.chat.flows.counseling.counselor_cases import CASES, GOLDENS

FOLDER = ROOT / "tests/fixtures/prompts/counselor"


def file_of(name: str, locale: Locale) -> str:
    """Return the name of a case's file."""
    return f"{name}.{locale.value}.txt"


async def renew() -> None:
    """Write every kept prompt, and leave no other file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.txt"):
        old.unlink()
    for name, locale in GOLDENS:
        text = await CASES[name].prompt(locale)
        (FOLDER / file_of(name, locale)).write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(renew())
