"""Every fixed text that a user reads asks one thing at most, as the stream counts it."""

from pathlib import Path

import pytest
import yaml

from shared.content.catalogue import content
from shared.content.crisis_protocol import Voice
from shared.content.schemas.crisis import ProtocolReplies
from shared.content.wordings import nth
from shared.lexicon.asking import asks_of
from shared.locale import Locale, Register
from shared.safety.levels import CrisisOutcome

DATA = Path(__file__).parents[4] / "shared" / "content" / "data"
SPOKEN = ("crisis_protocol", "help_seeking", "safety_plan", "messages", "guard_endings", "age_replies")
FILES = (*SPOKEN, "tasks")


def _texts(data, at=()):
    if isinstance(data, str):
        yield at, data
    for key, value in data.items() if isinstance(data, dict) else enumerate(data if isinstance(data, list) else ()):
        yield from _texts(value, (*at, key))


def test_every_text_of_the_content_files_asks_one_thing_at_most():
    written = {name: yaml.load((DATA / f"{name}.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader) for name in FILES}
    texts = {at: text for at, text in _texts(written) if "(?" not in text and "[" not in text}  # no patterns
    assert len(texts) > 1000
    assert {at: asks_of(text) for at, text in texts.items() if len(asks_of(text)) > 1} == {}


@pytest.mark.parametrize("register", Register)
@pytest.mark.parametrize("locale", Locale)
def test_a_crisis_reply_asks_nothing_but_the_question_that_follows_it(locale, register):
    voice, replies = Voice(locale=locale, register_=register), content().crisis_replies
    asked = {
        text: asks_of(text)
        for outcome in CrisisOutcome
        if outcome.value in ProtocolReplies.model_fields and outcome is not CrisisOutcome.CONCERN
        for text in (replies.reply(outcome, voice, nth(variant)) for variant in range(4))
    }
    assert {text: asks for text, asks in asked.items() if asks} == {}
    assert {len(asks_of(replies.reply(CrisisOutcome.CONCERN, voice, nth(variant)))) for variant in range(4)} == {1}
