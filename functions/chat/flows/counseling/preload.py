"""Loads what the first turns would otherwise load."""

from functions.chat.flows.counseling.detectors.message_analysis import ANALYST
from functions.chat.flows.counseling.detectors.task_completion import CHECKER
from functions.chat.flows.counseling.detectors.user_state import DETECTOR
from functions.chat.flows.counseling.prepared_reply import CARE, SPEAKER
from functions.chat.flows.counseling.prompt_leak_rule import guard_rules_with_prompt
from functions.chat.flows.counseling.selectors.module_selector import PICKER
from functions.chat.flows.counseling.selectors.task_selector import SELECTOR
from shared.content.catalogue import Content
from shared.locale import Locale, Register


def preload(content: Content) -> None:
    """Load content, patterns and prompts of the default language; takes some hundred milliseconds."""
    content.modules(Locale.KO)
    content.templates("first_session", Locale.KO, Register.FORMAL)
    content.messages(Locale.KO).text("greeting")
    content.lexicon.patterns.preload()
    content.session_words.preload()
    _ = content.text_rules, content.crisis_answers, content.under_14_replies, content.safe_endings
    _ = content.help_seeking
    content.demands.preload()
    for agent in (ANALYST, SPEAKER, CARE, CHECKER, DETECTOR, SELECTOR, PICKER):
        agent.prompt.load(Locale.KO)
    for speaker in (SPEAKER, CARE):
        guard_rules_with_prompt(content, speaker.prompt, Locale.KO)
