"""Answers of the selectors and of the reader of a wrap-up answer."""

import re

from local.gemini.counsellor.background_data import background_data
from local.gemini.counsellor.clauses import gist, sentences
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.messages import has
from local.gemini.counsellor.prompt import Prompt, Tag
from local.gemini.json_types import JsonObject

_RANK = {"high": 0, "medium": 1, "low": 2}
_TOPIC_CHANGED = "topic_change"
_CIRCULAR = "circular"
_ABOUT_FEELINGS = re.compile(r"마음|감정|feel")


class ChoiceWords(Data):
    """Texts by language; see data/choices.yaml."""

    guide: str
    guide_plain: str
    reason: str
    missing: str
    module: str


class ChoiceData(Data):
    """See data/choices.yaml."""

    ko: ChoiceWords
    en: ChoiceWords


def choose_task(prompt: Prompt) -> JsonObject:
    """Choose the best waiting task; a covered one only if the user returns to it; none for an unplanned topic."""
    words, text = _words(prompt), prompt.text_of("newest_message")
    if back := _came_back_to(prompt, text):
        return _choice(prompt, back, return_quote=_coming_back(text))
    if missing := _not_planned(prompt, text):
        return _none(fill(words.missing, {"topic": missing}))
    waiting = [candidate for candidate in prompt.tags("candidate") if not _covered(candidate)]
    if not waiting:
        return _none()
    return _choice(prompt, min(waiting, key=lambda candidate: _rank(prompt, candidate, text)))


def _rank(prompt: Prompt, candidate: Tag, text: str) -> tuple[bool, bool, int, bool]:
    """Return the sort key: the topic first, then the current task while it serves, priority, and feelings."""
    state = prompt.text_of("state")
    stays = _TOPIC_CHANGED not in state and _CIRCULAR not in state
    present = candidate.attributes.get("current") == "true"
    suits = feeling_of(text).intensity > 0 and bool(_ABOUT_FEELINGS.search(candidate.title))
    about_it = not stays and any(name in candidate.title for name in _told(prompt, text))
    return (
        not about_it,
        present is not stays,
        _RANK.get(candidate.attributes.get("priority", ""), 3),
        not suits,
    )


def _choice(prompt: Prompt, candidate: Tag, return_quote: str = "") -> JsonObject:
    words, text, title = _words(prompt), prompt.text_of("newest_message"), candidate.title
    said = gist(text, korean=prompt.is_korean).said
    return {
        "task_id": candidate.attributes.get("id", ""),
        "execution_guide": fill(words.guide if said else words.guide_plain, {"said": said, "title": title}),
        "selection_reason": fill(words.reason, {"title": title}),
        "return_quote": return_quote,
        "feedback_to_task_planner": "",
    }


def _none(feedback: str = "") -> JsonObject:
    """Return no task; with feedback if a task was expected."""
    told = {"execution_guide": "", "selection_reason": "", "return_quote": "", "feedback_to_task_planner": feedback}
    return {"task_id": "none", **told}


def _came_back_to(prompt: Prompt, text: str) -> Tag | None:
    """Return the offered covered task that the user returns to, or None."""
    if not _coming_back(text):
        return None
    covered = (candidate for candidate in prompt.tags("candidate") if _covered(candidate))
    return next((one for one in covered if any(name in one.title for name in _told(prompt, text))), None)


def _coming_back(text: str) -> str:
    """Return the sentence in which the user returns to something, or ""."""
    return next((one for one in sentences(text) if has("comes_back", one)), "")


def _covered(candidate: Tag) -> bool:
    return candidate.attributes.get("covered") == "true"


def _not_planned(prompt: Prompt, text: str) -> str:
    """Return the name of a new topic that is in neither goal nor tasks, or ""."""
    if not prompt.allows("task_id", "none") or _TOPIC_CHANGED not in prompt.text_of("state"):
        return ""
    told = _told(prompt, text)
    planned = " ".join((prompt.text_of("goal"), *(candidate.title for candidate in prompt.tags("candidate"))))
    return told[0] if told and not any(name in planned for name in told) else ""


def _told(prompt: Prompt, text: str) -> list[str]:
    """Return the names of a message's topics; moods are no topics."""
    return background_data().topics.situations(text, prompt.language)


def choose_module(prompt: Prompt) -> JsonObject:
    """Choose the first module, which the client's words call for; in a circular talk with a feeling the second."""
    options = prompt.tags("option")
    if not options:
        return {"module_id": "", "reason": ""}
    felt = feeling_of(prompt.text_of("newest_message")).intensity > 0
    turns = felt and _CIRCULAR in prompt.text_of("state")
    option = options[1] if turns and len(options) > 1 else options[0]
    name = option.title
    return {"module_id": option.attributes.get("id", ""), "reason": fill(_words(prompt).module, {"name": name})}


def read_answer(prompt: Prompt) -> JsonObject:
    """Agree only if the answer is clear."""
    text = prompt.text_of("newest_message").strip()
    agreed = has("agrees", text) and not has("wants_more", text) and not has("hesitant", text)
    return {"agreed": agreed, "quote": text if agreed else ""}


def _words(prompt: Prompt) -> ChoiceWords:
    data = load("choices", ChoiceData)
    return data.ko if prompt.is_korean else data.en
