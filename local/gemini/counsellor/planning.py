"""Answers of the planner: a plan of Part 2, and a persona guess."""

import re
from collections.abc import Collection, Sequence

from local.gemini.counsellor.background_data import (
    Planned,
    PlannedSlot,
    background_data,
    told_without_danger,
)
from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.messages import is_small_talk
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.subject import centre, subject
from local.gemini.counsellor.themes import themes_of
from local.gemini.json_types import JsonObject, JsonValue

_TYPE = re.compile(r"^(\w+): (.+?) — ", re.MULTILINE)
_FEEDBACK = re.compile(r"^- \w+/(\w+):", re.MULTILINE)
PLANNED = 4
LEVEL = 1
"""Of a prompt that names none."""
REPLANNED = 3
CONFIDENT = 0.65
_WORD, _FIRST, _LATER, _FAINT = 9, 8, 6, 2
"""Relevance of keywords: said literally, suggested by the main theme, by another theme, and others."""
_ONCE_MORE = {"ko": " 한 번 더", "en": " once more"}
_NEW_GOAL = ("topic_change", "goal_out_of_reach")


def plan(prompt: Prompt) -> JsonObject:
    """Plan Part 2; a re-plan answers each feedback first and adds unplanned tasks."""
    kinds = tuple(dict.fromkeys(_FEEDBACK.findall(prompt.text_of("feedback"))))
    words, themes = {"topic": subject(prompt, kinds)}, themes_of(" ".join(told_without_danger(prompt)))
    lang, casual = prompt.language, prompt.casual
    present = {tag.title: tag.attributes.get("status") for tag in prompt.tags("task")}
    answers = [background_data().answers[kind] for kind in kinds if kind in background_data().answers]
    fresh = [
        task
        for task in (_task(each, lang, words, themes, casual=casual) for each in (*answers, *_tasks(prompt)))
        if task["title"] not in present
    ]
    waiting = [each for each in _usual(prompt, lang, casual=casual) if present.get(str(each["title"])) == "pending"]
    # Answers to feedback come first, then the first waiting task, then unplanned ones.
    found = [*fresh[: len(answers)], *waiting[:1], *fresh[len(answers) :]] if present else fresh
    found = found or [_again(each, lang, present) for each in _usual(prompt, lang, casual=casual)[:1]]
    chosen: list[JsonValue] = list(found[: REPLANNED if present else PLANNED])
    return {"ratings": _ratings(prompt), "goal": _goal(prompt, kinds, words), "tasks": chosen}


def _usual(prompt: Prompt, lang: str, *, casual: bool) -> list[JsonObject]:
    """Return the usual tasks as planned, so that a kept one keeps its title."""
    words, themes = {"topic": subject(prompt, ())}, themes_of(" ".join(told_without_danger(prompt)))
    return [_task(task, lang, words, themes, casual=casual) for task in _tasks(prompt)]


def _again(task: JsonObject, lang: str, present: Collection[str]) -> JsonObject:
    """Return a task that was done before under a title of its own, for a talk that has been through all of them."""
    title = str(task["title"])
    while title in present:
        title += _ONCE_MORE[lang]
    return {**task, "title": title}


def _tasks(prompt: Prompt) -> list[Planned]:
    """Return the usual tasks of the counselling level."""
    level = int(prompt.attribute("depth", "level") or LEVEL)
    return [task for task in background_data().tasks if level in task.levels]


def _goal(prompt: Prompt, kinds: Sequence[str], words: dict[str, str]) -> str:
    """Keep the current goal unless the feedback contradicts it or it comes from a template."""
    kept, lang, goals = prompt.text_of("goal"), prompt.language, background_data().goals
    if kept and prompt.attribute("goal", "origin") != "template" and not set(kinds) & set(_NEW_GOAL):
        return kept
    if "goal_out_of_reach" in kinds:
        return fill(goals[f"{lang}_smaller"], words)
    said = centre(prompt, kinds)
    pattern = goals["ko" if said else "ko_plain"] if lang == "ko" else goals["en"]
    return fill(pattern, {**words, "said": said})


def guess_persona(prompt: Prompt) -> JsonObject:
    """Guess a type only if two remarks of the user indicate it."""
    types = {name: type_id for type_id, name in _TYPE.findall(prompt.text_of("types"))}
    best: tuple[str, list[str]] = ("", [])
    told = [one for text in told_without_danger(prompt) for one in sentences(text) if not is_small_talk(one)]
    for sign in background_data().personas:
        quotes = [one for one in told if re.search(sign.said, one)]
        type_id = next((type_id for name, type_id in types.items() if sign.name in name), "")
        if type_id and len(quotes) > max(1, len(best[1])):
            best = (type_id, quotes)
    evidence: list[JsonValue] = list(best[1][:4])
    return {"type": best[0], "confidence": CONFIDENT if best[0] else 0.2, "evidence": evidence}


def _task(task: Planned, lang: str, values: dict[str, str], themes: Sequence[str], *, casual: bool) -> JsonObject:
    words = task.ko if lang == "ko" else task.en
    slots: list[JsonValue] = [_slot(slot, lang, casual=casual) for slot in task.slots]
    return {
        "kind": task.kind,
        "priority": task.priority,
        "module_id": next((task.modules[theme] for theme in themes if theme in task.modules), task.module_id),
        "title": fill(words.title, values),
        "description": fill(words.description, values),
        "target": words.target,
        "completion_criteria": words.criteria,
        "restrictions": words.restrictions,
        "slots": slots,
    }


def _slot(slot: PlannedSlot, lang: str, *, casual: bool) -> JsonObject:
    words = slot.ko if lang == "ko" else slot.en
    questions: list[JsonValue] = [*((casual and words.casual) or words.questions)]
    bare: JsonObject = {"choices": [], "minimum": None, "maximum": None}
    return {"name": slot.name, "label": words.label, "kind": slot.kind, "questions": questions, **bare}


def _ratings(prompt: Prompt) -> list[JsonValue]:
    """Rate every keyword by the user's sentences: named literally, or suggested by their theme."""
    given = [word.strip() for word in prompt.text_of("keywords").split(",") if word.strip()]
    told = [one for text in told_without_danger(prompt) for one in sentences(text) if not is_small_talk(one)]
    themes = themes_of(" ".join(told))
    return [_rating(keyword, told, themes) for keyword in given]


def _rating(keyword: str, told: Sequence[str], themes: Sequence[str]) -> JsonObject:
    named = next((one for one in told if keyword.replace(" ", "") in one.replace(" ", "")), "")
    if named:
        return {"keyword": keyword, "relevance": _WORD, "quote": named}
    for theme in themes:
        hint = background_data().keywords.get(theme, "")
        shows = next((one for one in told if theme in themes_of(one)), "")
        if hint and shows and re.search(hint, keyword, re.IGNORECASE):
            return {"keyword": keyword, "relevance": _FIRST if theme == themes[0] else _LATER, "quote": shows}
    return {"keyword": keyword, "relevance": _FAINT, "quote": ""}
