"""What the planner's models would answer: a plan of Part 2, and a guess at the style of talking."""

import re

from local.gemini.counsellor.background_data import (
    Planned,
    background_data,
    language,
    themes_told,
    told_without_danger,
    topic,
    user_sentences,
    weightiest,
)
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.prompt import Prompt
from local.gemini.json_types import JsonObject, JsonValue

_TYPE = re.compile(r"^(\w+): (.+?) — ", re.MULTILINE)
PLANNED = 4
REPLANNED = 3
CONFIDENT = 0.65
_KEYWORDS = 3


def plan(prompt: Prompt) -> JsonObject:
    """Plan Part 2, or plan it anew: then only with what was not planned before."""
    words = {"topic": topic(prompt)}
    said = weightiest(told_without_danger(prompt), korean=prompt.is_korean)
    goals, lang = background_data().goals, language(prompt)
    kept = prompt.text_of("goal")
    goal = goals["ko" if said else "ko_plain"] if lang == "ko" else goals["en"]
    before = {tag.text.partition(" — ")[0] for tag in prompt.tags("task")}
    waiting = {tag.text.partition(" — ")[0] for tag in prompt.tags("task") if tag.attributes.get("status") == "pending"}
    tasks = [_task(task, lang, words) for task in background_data().tasks]
    fresh = [task for task in tasks if task["title"] not in before - waiting]
    # Of what waits, the first stays; then comes what was not planned yet.
    ordered = sorted(fresh, key=lambda task: task["title"] in waiting) if before else fresh
    chosen: list[JsonValue] = list(ordered[: REPLANNED if before else PLANNED])
    return {
        "selected_keywords": _keywords(prompt),
        "goal": kept or fill(goal, {**words, "said": said[0] if said else ""}),
        "tasks": chosen,
    }


def guess_persona(prompt: Prompt) -> JsonObject:
    """Guess a type only where two of the person's remarks point to it."""
    types = {name: type_id for type_id, name in _TYPE.findall(prompt.text_of("types"))}
    best: tuple[str, list[str]] = ("", [])
    for sign in background_data().personas:
        quotes = [one for one in user_sentences(prompt) if re.search(sign.said, one)]
        type_id = next((type_id for name, type_id in types.items() if sign.name in name), "")
        if type_id and len(quotes) > max(1, len(best[1])):
            best = (type_id, quotes)
    evidence: list[JsonValue] = list(best[1][:4])
    return {"type": best[0], "confidence": CONFIDENT if best[0] else 0.2, "evidence": evidence}


def _task(task: Planned, lang: str, values: dict[str, str]) -> JsonObject:
    words = task.ko if lang == "ko" else task.en
    return {
        "kind": task.kind,
        "priority": task.priority,
        "module_id": task.module_id,
        "title": fill(words.title, values),
        "description": fill(words.description, values),
        "target": words.target,
        "completion_criteria": words.criteria,
        "restrictions": words.restrictions,
    }


def _keywords(prompt: Prompt) -> list[JsonValue]:
    """Choose the keywords that the themes speak for, else the first two."""
    given = [word.strip() for word in prompt.text_of("keywords").split(",") if word.strip()]
    hints = [background_data().keywords.get(theme, "") for theme in themes_told(prompt)[:3]]
    named = [word for hint in hints if hint for word in given if re.search(hint, word)]
    return [*(list(dict.fromkeys(named))[:_KEYWORDS] or given[:2])]
