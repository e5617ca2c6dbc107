"""The subject of a plan: from feedback, else the user's focus for today, else their main theme."""

from collections.abc import Sequence

from local.gemini.counsellor.background_data import (
    background_data,
    told_without_danger,
    topic,
    user_sentences,
    weightiest,
)
from local.gemini.counsellor.prompt import Prompt

ANSWERING = ("no_fitting_task", "topic_change")
"""Feedback that the user's topic is missing in the plan."""
NEWEST = 2
"""Newest messages that show the user's topic."""
SAYING = 8
"""Characters from which a quotation is understandable alone."""


def subject(prompt: Prompt, kinds: Sequence[str]) -> str:
    """Return the name of the tasks' subject.

    A re-plan for another topic uses the one in the feedback, else the newest messages'; any other re-plan keeps the
    current goal's. The first plan uses the user's focus for today, if there is one.
    """
    if set(kinds) & set(ANSWERING):
        return _named(prompt.text_of("feedback"), prompt) or topic(prompt, NEWEST)
    chosen = background_data().topics.main(focus(prompt), prompt.language)
    return _named(prompt.text_of("goal"), prompt) or chosen or topic(prompt)


def centre(prompt: Prompt, kinds: Sequence[str]) -> str:
    """Return a quote of the user for the goal, or ""."""
    told = told_without_danger(prompt)
    if set(kinds) & set(ANSWERING):
        told = told[-NEWEST:]
    elif chosen := focus(prompt):
        told = (chosen,)
    return next((one for one in weightiest(told, korean=prompt.is_korean) if len(one) >= SAYING), "")


def focus(prompt: Prompt) -> str:
    """Return the user's focus for today, from the dialogue if it is there."""
    chosen = prompt.known_as("today_focus")
    told = user_sentences(prompt)
    return next((one for one in reversed(told) if chosen and (one in chosen or chosen in one)), chosen)


def _named(text: str, prompt: Prompt) -> str:
    """Return the topic whose name is the last one in a text, or ""."""
    names = background_data().topics.names(prompt.language).values()
    return max((name for name in names if name in text), key=text.rfind, default="")
