"""Loads ahead of the first turn what is otherwise loaded in it."""

import asyncio

from functions.chat.flows.counseling.counselor import SPEAKER
from functions.chat.flows.counseling.detectors.task_completion import CHECKER
from functions.chat.flows.counseling.detectors.user_state import DETECTOR
from functions.chat.flows.counseling.own_words import guarding
from functions.chat.flows.counseling.selectors.module_selector import PICKER
from functions.chat.flows.counseling.selectors.task_selector import SELECTOR
from shared.content.abuse_rules import abuse_rules
from shared.content.age_rules import age_rules
from shared.content.catalogue import Content
from shared.content.crisis_answers import asks_resources, reassurances
from shared.content.crisis_rules import crisis_rules, rule_definitions
from shared.content.instructions import instructive
from shared.locale import Locale, Register
from shared.safety.abuse import detect_abuse
from shared.safety.detector import detect
from shared.safety.levels import CrisisOutcome
from shared.safety.ruleset import RuleSet

_AFTER = 10.0
"""Seconds that are left to the first turns. Own figure."""
_PAUSE = 0.005
"""Seconds between two patterns, of which one takes about a millisecond: turns go on beside. Own figure."""


def preload(content: Content) -> None:
    """Read content, compile patterns and prompts of the default language; takes some hundred milliseconds."""
    content.modules(Locale.KO)
    content.templates("first_session", Locale.KO, Register.FORMAL)
    content.messages(Locale.KO).text("greeting")
    content.lexicon.preload()
    content.session_words.preload()
    # Patterns are compiled when a text first has their words: those of the plainest crisis ahead of it.
    plainest = next(rule for rule in rule_definitions().rules if rule.outcome is CrisisOutcome.CRISIS)
    detect(plainest.positives[0], crisis_rules())
    detect_abuse("", abuse_rules())
    reassurances("안전해요")
    age_rules()
    asks_resources("")
    instructive("")
    for prompt in (SPEAKER.prompt, CHECKER.prompt, DETECTOR.prompt, SELECTOR.prompt, PICKER.prompt):
        prompt.load(Locale.KO)
    guarding(SPEAKER.prompt, Locale.KO)


async def compile_ahead(rules: RuleSet | None = None, *, after: float = _AFTER, pause: float = _PAUSE) -> None:
    """Compile the patterns of danger that no message has needed yet, beside the turns: none has to wait for them.

    Args:
        rules: The rules; the crisis rules unless given.
        after: Seconds until the first.
        pause: Seconds between two.
    """
    await asyncio.sleep(after)
    for _ in (rules or crisis_rules()).compiling():
        await asyncio.sleep(pause)
