"""What the selectors' models and the reader of a wrap-up answer would say."""

import re

from local.gemini.counsellor.background_data import background_data
from local.gemini.counsellor.clauses import gist
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.hangul import fill
from local.gemini.counsellor.messages import has
from local.gemini.counsellor.prompt import Prompt, Tag
from local.gemini.counsellor.themes import themes_of
from local.gemini.json_types import JsonObject

_RANK = {"high": 0, "medium": 1, "low": 2}
_MAY_REFUSE = '"none"'
_TOPIC_CHANGED = "topic_change"
_ABOUT_FEELINGS = re.compile(r"마음|감정|feel")


class ChoiceWords(Data):
    """Sentences by language; see data/choices.yaml."""

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
    """Take what waits, by priority, then as listed; a feeling that shows goes first among equals."""
    words, text = _words(prompt), prompt.text_of("newest_message")
    felt = feeling_of(text).intensity > 0
    if missing := _not_planned(prompt, text):
        feedback = fill(words.missing, {"topic": missing})
        return {"task_id": "none", "execution_guide": "", "selection_reason": "", "feedback_to_task_planner": feedback}

    def rank(candidate: Tag) -> tuple[bool, int, bool]:
        covered = candidate.attributes.get("covered") == "true"
        suits = felt and bool(_ABOUT_FEELINGS.search(_title(candidate)))
        return covered, _RANK.get(candidate.attributes.get("priority", ""), 3), not suits

    ordered = sorted(prompt.tags("candidate"), key=rank)
    if not ordered:
        return {"task_id": "", "execution_guide": "", "selection_reason": "", "feedback_to_task_planner": ""}
    title, said = _title(ordered[0]), gist(text, korean=prompt.is_korean).said
    guide = fill(words.guide if said else words.guide_plain, {"said": said, "title": title})
    return {
        "task_id": ordered[0].attributes.get("id", ""),
        "execution_guide": guide,
        "selection_reason": fill(words.reason, {"title": title}),
        "feedback_to_task_planner": "",
    }


def _not_planned(prompt: Prompt, text: str) -> str:
    """Return the new topic's name when the user has changed to one that neither goal nor tasks hold, else nothing."""
    if _MAY_REFUSE not in prompt.told or _TOPIC_CHANGED not in prompt.text_of("state"):
        return ""
    topics = background_data().topics
    names = topics.ko if prompt.is_korean else topics.en
    told = [names[theme] for theme in themes_of(text) if theme in names and theme not in topics.moods]
    planned = " ".join((prompt.text_of("goal"), *(_title(candidate) for candidate in prompt.tags("candidate"))))
    return told[0] if told and not any(name in planned for name in told) else ""


def choose_module(prompt: Prompt) -> JsonObject:
    """Take the first option, or for a circle that has a feeling in it the second."""
    options = prompt.tags("option")
    if not options:
        return {"module_id": "", "reason": ""}
    felt = feeling_of(prompt.text_of("newest_message")).intensity > 0
    option = options[1] if felt and len(options) > 1 else options[0]
    name = option.text.partition(" — ")[0]
    return {"module_id": option.attributes.get("id", ""), "reason": fill(_words(prompt).module, {"name": name})}


def read_answer(prompt: Prompt) -> JsonObject:
    """Agreed only when it is plain."""
    text = prompt.text_of("newest_message").strip()
    agreed = has("agrees", text) and not has("wants_more", text) and not has("hesitant", text)
    return {"agreed": agreed, "quote": text if agreed else ""}


def _title(candidate: Tag) -> str:
    return candidate.text.partition(" — ")[0]


def _words(prompt: Prompt) -> ChoiceWords:
    data = load("choices", ChoiceData)
    return data.ko if prompt.is_korean else data.en
