"""The supervisor's whole prompt as it was last looked at; after a change that is meant, `renew_prompts` writes it."""

import pytest

from shared.locale import Locale
from tests.unit.functions.supervisor.renew_prompts import FOLDER, prompt


@pytest.mark.parametrize("locale", Locale)
async def test_the_prompt_is_as_it_was_last_looked_at(locale: Locale) -> None:
    assert await prompt(locale) == (FOLDER / f"{locale.value}.txt").read_text(encoding="utf-8")
