"""Answers of the task completion checker."""

import re

from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.messages import has, is_a, is_small_talk
from local.gemini.counsellor.name_changes import denies
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.slots import Found, Wanted, corrections, slots_in
from local.gemini.counsellor.themes import themes_of
from local.gemini.json_types import JsonObject, JsonValue

SUBSTANTIAL = 15
"""Characters from which a reply is substantial."""

_CONFIRMED = re.compile(r"맞다고 하거나|돌아본|agreed or corrected|heard (?:it|the summary)")
_FEELING = re.compile(r"감정|마음을 말|feeling")
_WISH = re.compile(r"바랐던|바라는|wished|wish for")
_WISHES = re.compile(r"싶|좋겠|바라|바랐|원해|원했|필요|\b(?:want|wish|hope|need)", re.IGNORECASE)
_CHOICES = re.compile(r"\(([^()]*)\)\s*$")


def complete(prompt: Prompt) -> JsonObject:
    """Judge the task and extract the slots."""
    text = prompt.text_of("newest_message")
    evidence = _evidence(prompt, text)
    wanted = tuple(
        Wanted(tag.attributes.get("name", ""), tag.attributes.get("kind", ""), tag.text, _choices(tag.text))
        for tag in prompt.tags("slot")
    )
    found = slots_in(text, wanted, question_before(prompt), asked_by_product=bool(prompt.text_of("asked")))
    slots: list[JsonValue] = [{**one._asdict(), "corrects": False} for one in found]
    slots += [{**one._asdict(), "corrects": one.name == "name"} for one in _put_right(prompt, text)]
    return {
        "complete": bool(evidence),
        "evidence": evidence,
        "slots": slots,
    }


def _put_right(prompt: Prompt, text: str) -> list[Found]:
    """Return known values that the newest message corrects."""
    given = {tag.attributes.get("name", ""): tag.text.partition(": ")[2] for tag in prompt.tags("known_slot")}
    before = [line.text for line in prompt.dialogue if line.by_user and line.text != text][-1:]
    denied = any(denies(one, given.get("name", "")) for one in before)
    return corrections(text, given, denied_before=denied)


def question_before(prompt: Prompt) -> str:
    """Return the question that the user answers: the last asked one, else the counsellor's last message."""
    asked = prompt.text_of("asked")
    last = next((line.text for line in reversed(prompt.dialogue) if not line.by_user), "")
    return asked or last


def _choices(label: str) -> tuple[str, ...]:
    listed = _CHOICES.search(label)
    return tuple(choice.strip() for choice in listed[1].split(",")) if listed else ()


def _evidence(prompt: Prompt, text: str) -> str:
    """Return the words that meet the criteria, or ""."""
    lines = prompt.values("task")
    # A fourth line means that the task's slots decide.
    criteria = lines[2] if len(lines) == 3 else ""
    if not criteria or is_a("dont_know", text) or has("refusal_strong", text) or text.rstrip().endswith("?"):
        return ""
    told = [one for one in sentences(text) if not is_small_talk(one)]
    if _CONFIRMED.search(criteria):
        return text if is_a("yes", text) or told else ""
    if _FEELING.search(criteria):
        return next((one for one in told if feeling_of(one).intensity), "")
    if _WISH.search(criteria):
        return next((one for one in told if _WISHES.search(one)), "")
    told = [one for one in told if themes_of(one) or feeling_of(one).intensity] or told
    return max(told, key=len) if told and len(text) >= SUBSTANTIAL else ""
