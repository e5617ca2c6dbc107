"""Answers of the summariser and the closer, in the user's own words."""

import re
import zlib

from local.gemini.counsellor.background_data import (
    background_data,
    told_without_danger,
    topic,
    user_sentences,
    weightiest,
)
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.hangul import fill, names_in
from local.gemini.counsellor.messages import danger_in
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.themes import themes_of
from local.gemini.counsellor.wishes import is_a_goal
from local.gemini.json_types import JsonObject, JsonValue

LONGEST = 1100
_QUOTE = 80
_ENTRY = re.compile(r"(?:“[^”]*”|[^.“])+\.?")
"""One entry of a summary; a full stop inside a quotation does not end it."""
_GOALS = 2
_LIGHTER = "relief"
NEWEST = 8
"""Messages of the user that may tell how they feel now."""


def summarize(prompt: Prompt) -> JsonObject:
    """Merge the newest messages into the summary: known facts first; the oldest entries are dropped."""
    words = background_data().summary[prompt.language]
    given = prompt.known
    known = [fill(words["known"], {"label": label, "value": value}) for label, value in given.items()]
    before = [part.strip() for part in _ENTRY.findall(prompt.text_of("summary"))]
    older = [part for part in before if part != words["nothing"] and part.partition(": ")[0] not in given]
    told = [one[:_QUOTE].strip() for one in user_sentences(prompt) if _matters(one)]
    fresh = [one for one in dict.fromkeys(told) if not any(one in line for line in (*known, *older))]
    later = [*dict.fromkeys(older), *(fill(words["told"], {"quote": one}) for one in fresh)]
    while later and len(" ".join([*known, *later])) > LONGEST:
        later.pop(0)
    return {"summary": " ".join([*known, *later])[:LONGEST] or words["nothing"]}


def close(prompt: Prompt) -> JsonObject:
    """Summarise the session for the user, with their wishes."""
    data = background_data()
    voice = "ko_casual" if prompt.casual else prompt.language
    quotes = weightiest(told_without_danger(prompt), korean=prompt.is_korean)
    values = dict(zip(("first", "second"), quotes, strict=False))
    wishes = [one for one in user_sentences(prompt) if is_a_goal(one)]
    goals: list[JsonValue] = [{"goal": one[:60], "quote": one} for one in list(dict.fromkeys(wishes))[-_GOALS:]]
    words = data.closing[voice]
    lines = [fill(line, values) for line in words.told if names_in(line) <= values.keys()]
    lighter = _LIGHTER in themes_of(" ".join(told_without_danger(prompt)[-NEWEST:]))
    seen = [words.lighter] * lighter + [words.wished] * bool(goals)
    # The last sentence varies between conversations.
    other = words.others[zlib.crc32(" ".join(lines).encode(errors="replace")) % len(words.others)]
    return {
        "suggested_level": prompt.level,
        "goals": goals,
        "summary": " ".join([*lines, *(seen or [other])]),
        "next_session": fill(data.next_session[voice], {"topic": topic(prompt)}),
    }


def _matters(text: str) -> bool:
    return bool(themes_of(text)) or feeling_of(text).intensity > 0 or danger_in(text) != "none"
