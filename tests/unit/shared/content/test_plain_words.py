"""The words of the web page's buttons are plain answers, which no model has to read."""

import json
from pathlib import Path

import pytest

from shared.content.catalogue import content
from shared.locale import Locale

LOCALES = Path(__file__).parents[4] / "web" / "locales"


@pytest.mark.parametrize("locale", Locale)
def test_the_buttons_under_a_proposal_to_close_send_plain_answers(locale):
    words = json.loads((LOCALES / f"{locale.value}.json").read_text("utf-8"))["wrap_up"]
    sent = {name: content().plain_words.kind(words[name]) for name in ("yes", "yes_end", "no")}
    assert sent == {"yes": "yes", "yes_end": "yes", "no": "no"}
