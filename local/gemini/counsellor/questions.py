"""The question of a reply: the product's own if there is one, else a fresh open one."""

import re
from collections.abc import Iterator
from functools import cache

from local.gemini.counsellor.brief import Brief
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.messages import has
from local.gemini.counsellor.themes import is_pleasant, themes_of
from local.gemini.counsellor.voice import Speaker, Voice, Wordings

_SENTENCE = re.compile(r"[^.?!]+[.?!]+")


class TaskQuestions(Wordings):
    """Questions for tasks whose id, title or target matches `match`."""

    match: str


ASKS_NOTHING = "resistance_handling"
"""The module under which a reply has no question; its tag is left out where something has to be asked."""


class QuestionData(Data):
    """See data/questions.yaml."""

    tasks: tuple[TaskQuestions, ...]
    themes: dict[str, Wordings]
    modules: dict[str, Wordings]
    any: Wordings
    invite: Wordings
    asks: dict[str, Wordings]
    lead_in: Wordings


def asked_for(brief: Brief, speaker: Speaker) -> list[str]:
    """Word the product's question, after the reason for repeating it; [] if there is none."""
    question, slot = brief.prompt.text_of("ask"), brief.prompt.attribute("ask", "slot")
    if not question:
        return []
    why = brief.prompt.text_of("slot_error")
    error = [part.strip() for part in _SENTENCE.findall(why) if "?" not in part]
    greeted = brief.prompt.notice("first_turn") and slot == "name"
    if greeted or question in " ".join(brief.replies):
        others = _data().asks.get(slot)
        question = speaker.fresh(others) if others else ""
    if not question:
        return [*error, invitation(speaker)]
    lead = "" if error else _lead_in(speaker)
    if lead and speaker.voice is Voice.ENGLISH:
        question = question[0].lower() + question[1:] if not question.startswith("I ") else question
    return [*error, lead + question]


def open_question(brief: Brief, speaker: Speaker) -> str:
    """Return an open question for the task, theme or module; else, or while resistance is met, an invitation."""
    if brief.prompt.attribute("module", "id") == ASKS_NOTHING:
        return invitation(speaker)
    return next((said for pool in _pools(brief) if (said := speaker.next(pool))), "") or invitation(speaker)


def invitation(speaker: Speaker) -> str:
    """Return an invitation to go on, without a question."""
    return speaker.any(_data().invite)


def _pools(brief: Brief) -> Iterator[Wordings]:
    data, module = _data(), brief.prompt.attribute("module", "id")
    if has("advice", brief.text):
        yield data.themes["advice"]
    first = data.modules.get(module) if module == "emotion_regulation" else None
    if first and brief.part != "1":
        yield first
    themes = themes_of(brief.text)
    if is_pleasant(themes):
        yield from (data.themes[theme] for theme in themes if theme in data.themes)
    if brief.task:
        yield from (pool for pool in data.tasks if re.search(pool.match, brief.task, re.IGNORECASE))
    yield from (data.themes[theme] for theme in themes if theme in data.themes)
    if brief.part == "2" and module in data.modules:
        yield data.modules[module]
    yield data.any


def _lead_in(speaker: Speaker) -> str:
    """Return a phrase that introduces a question; sometimes, and each only once."""
    return speaker.fresh(_data().lead_in) if speaker.chance("lead-in", 4) else ""


@cache
def _data() -> QuestionData:
    return load("questions", QuestionData)
