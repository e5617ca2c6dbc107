"""Answers of the supervisor: scores by the worst fault of the replies."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from local.gemini.counsellor.background_data import background_data, told_by_user, weightiest
from local.gemini.counsellor.clauses import gist
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.messages import has
from local.gemini.counsellor.prompt import Prompt
from local.gemini.json_types import JsonObject, JsonValue

REFUSALS = 2
"""Refusals in the judged turns from which the plan itself is wrong for the user."""
TELLING = 5
"""Weight of a message that should be reflected."""
_ASKS = re.compile(r"\?|여쭤볼게요|알려 주세요|물어볼게|알려 줘")
USUAL: Mapping[str, int] = {
    "empathy": 8,
    "appropriate_questions": 8,
    "non_judgement": 8,
    "advice_timing": 8,
    "task_adherence": 7,
    "information_stage": 7,
}
"""Scores of replies without faults."""


class Fault(NamedTuple):
    """A fault of a reply: its name in the data, its scores by criterion, and a better module."""

    name: str
    scores: Mapping[str, int]
    module: str = ""


AFTER_REFUSAL = Fault(
    "after_refusal",
    {"empathy": 5, "appropriate_questions": 3, "non_judgement": 7, "task_adherence": 6},
    "resistance_handling",
)
UNREFLECTED = Fault(
    "unreflected",
    {"empathy": 3, "appropriate_questions": 6, "task_adherence": 6, "information_stage": 6},
    "empathy_expression",
)
DOUBLE = Fault(
    "double_question",
    {"empathy": 5, "appropriate_questions": 4, "task_adherence": 6, "information_stage": 6},
    "questioning_technique",
)


def supervise(prompt: Prompt) -> JsonObject:
    """Score the newest replies: good if they reflect and ask one thing, below 7 if not."""
    found = tuple({fault.name: fault for fault in _faults(prompt)}.values())
    words = background_data().supervision[prompt.language]
    scores = dict(USUAL)
    for fault in found:
        scores |= {name: min(score, scores[name]) for name, score in fault.scores.items()}
    refused = [text for text in told_by_user(prompt) if _refuses(text)]
    changes = len(refused) >= REFUSALS and prompt.attribute("session", "part") == "2"
    improvements: list[JsonValue] = [words[fault.name] for fault in found] or [_usual_advice(prompt, words)]
    rated: JsonObject = {**scores}
    return {
        "red_item": False,
        "restriction_violated": False,
        "scores": rated,
        "needs_improvement": any(fault.module for fault in found),
        "strategy_change": changes,
        "strategy": fill(words["strategy"], {"said": refused[-1]}) if changes else "",
        "suggested_module": next((fault.module for fault in found if fault.module), ""),
        "improvements": improvements,
        "strengths": [] if found else [words["strength"]],
    }


def _faults(prompt: Prompt) -> Iterator[Fault]:
    """Yield the faults, the gravest of a reply first; fixed texts are skipped."""
    for before, line in pairwise(prompt.dialogue):
        if line.by_user or not before.by_user or line.marked:
            continue
        if _refuses(before.text) and _ASKS.search(line.text):
            yield AFTER_REFUSAL
        elif not _refuses(before.text) and _passed_over(before.text, line.text, korean=prompt.is_korean):
            yield UNREFLECTED
        if line.text.count("?") > 1:
            yield DOUBLE


def _refuses(text: str) -> bool:
    return has("refusal_strong", text) or has("refusal_mild", text)


def _passed_over(text: str, reply: str, *, korean: bool) -> bool:
    """Tell whether a weighty message is not reflected in the reply."""
    found = gist(text, korean=korean)
    if found.weight < TELLING:
        return False
    stems = {word[: max(2, len(word) - 2)] for word in (found.said or found.because).split() if len(word) > 1}
    return bool(stems) and not any(stem in reply for stem in stems)


def _usual_advice(prompt: Prompt, words: Mapping[str, str]) -> str:
    said = weightiest(told_by_user(prompt)[-3:], korean=prompt.is_korean)
    return fill(words["improve"], {"said": said[-1]}) if said else words["improve_plain"]
