"""What a plan is to be about: what was asked for, else what the person chose for today, else what they tell most."""

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
"""Feedback that the talk is about something that the plan does not hold."""
NEWEST = 2
"""Messages of the user that tell what they have turned to."""
SAYING = 8
"""Characters from which a quotation says by itself what it is about."""


def subject(prompt: Prompt, kinds: Sequence[str]) -> str:
    """Return the name of what the tasks are to be about.

    A re-plan for another topic takes the one that the feedback names, else the newest words'; any other re-plan stays
    with the present goal's. The first plan is about the focus that the person named for today, if they did.
    """
    if set(kinds) & set(ANSWERING):
        return _named(prompt.text_of("feedback"), prompt) or topic(prompt, NEWEST)
    chosen = background_data().topics.main(focus(prompt), prompt.language)
    return _named(prompt.text_of("goal"), prompt) or chosen or topic(prompt)


def centre(prompt: Prompt, kinds: Sequence[str]) -> str:
    """Return the person's words that a goal stands around, quotable, or an empty text."""
    told = told_without_danger(prompt)
    if set(kinds) & set(ANSWERING):
        told = told[-NEWEST:]
    elif chosen := focus(prompt):
        told = (chosen,)
    return next((one for one in weightiest(told, korean=prompt.is_korean) if len(one) >= SAYING), "")


def focus(prompt: Prompt) -> str:
    """Return what the person named as today's matter; said later than the newest summary, it is in the dialogue."""
    chosen = prompt.known_as("today_focus")
    told = user_sentences(prompt)
    return next((one for one in reversed(told) if chosen and (one in chosen or chosen in one)), chosen)


def _named(text: str, prompt: Prompt) -> str:
    """Return the topic whose name stands last in a text."""
    names = background_data().topics.names(prompt.language).values()
    return max((name for name in names if name in text), key=text.rfind, default="")
