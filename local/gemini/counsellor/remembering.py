"""Answers of the summariser and the closer, in the user's own words."""

import re
import zlib

from local.gemini.counsellor.background_data import (
    background_data,
    told_without_danger,
    user_sentences,
    weightiest,
)
from local.gemini.counsellor.clauses import gist
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.hangul import fill, names_in
from local.gemini.counsellor.messages import danger_in
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.themes import themes_of
from local.gemini.counsellor.wishes import is_a_goal
from local.gemini.json_types import JsonObject, JsonValue
from shared.prompts.data import decoded

LONGEST = 1100
_QUOTE = 80
_HIGHEST = 5
"""The highest counselling level."""
_KEPT = re.compile(r"\[(?P<seq>\d+)\] (?P<text>.*) \([^()“]*“(?P<quote>.*)”\)")
"""One sentence of the summary so far, with the words that it rests on."""
_SHORT = 4
"""Characters up to which a message is taken for a mere answer."""
_GOALS = 2
_LIGHTER = "relief"
NEWEST = 8
"""Messages of the user that may tell how they feel now."""


def summarize(prompt: Prompt) -> JsonObject:
    """Merge the newest messages into the summary: known facts first; the oldest entries are dropped."""
    words = background_data().summary[prompt.language]
    given = prompt.known
    known = [fill(words["known"], {"label": label, "value": value}) for label, value in given.items()]
    before = [_entry(line) for line in prompt.text_of("summary").splitlines() if line.strip()]
    older = [one for one in before if _text(one).partition(": ")[0] not in given]
    told = [one[:_QUOTE].strip() for one in user_sentences(prompt) if _matters(one)]
    fresh = [one for one in dict.fromkeys(told) if not any(one in line for line in (*known, *map(_text, older)))]
    later = [*_once(older), *(_sentence(prompt, one, fill(words["told"], {"quote": one})) for one in fresh)]
    while later and len(" ".join([*known, *map(_text, later)])) > LONGEST:
        later.pop(0)
    names = [_sentence(prompt, value, line) for value, line in zip(given.values(), known, strict=True)]
    return {"sentences": [*names, *later] or [_sentence(prompt, newest_words(prompt), words["nothing"])]}


def close(prompt: Prompt) -> JsonObject:
    """Summarise the session for the user, with their wishes."""
    data = background_data()
    voice = "ko_casual" if prompt.casual else prompt.language
    quotes = weightiest(told_without_danger(prompt), korean=prompt.is_korean)
    values = dict(zip(("first", "second"), quotes, strict=False))
    wishes = [one for one in user_sentences(prompt) if is_a_goal(one)]
    goals: list[JsonValue] = [{"goal": one[:60], "quote": one} for one in list(dict.fromkeys(wishes))[-_GOALS:]]
    words = data.closing[voice]
    told = [(fill(line, values), names_in(line)) for line in words.told if names_in(line) <= values.keys()]
    lines = [line for line, _ in told]
    lighter = _LIGHTER in themes_of(" ".join(told_without_danger(prompt)[-NEWEST:]))
    seen = [words.lighter] * lighter + [words.wished] * bool(goals)
    # The last sentence varies between conversations.
    other = words.others[zlib.crc32(" ".join(lines).encode(errors="replace")) % len(words.others)]
    newest = newest_words(prompt)
    messages = {gist(text, korean=prompt.is_korean).said: text for text in told_without_danger(prompt)}
    quoted = [_sentence(prompt, messages[values[min(names)]], line) for line, names in told]
    return {
        "suggested_level": min(_HIGHEST, prompt.level + (lighter and bool(goals))),
        "goals": goals,
        "sentences": [*quoted, *(_sentence(prompt, newest, line) for line in (seen or [other]))],
        "next_session": fill(data.next_session[voice]["told" if values else "untold"], values),
    }


def newest_words(prompt: Prompt) -> str:
    """Return the beginning of the user's newest message that says something, or ""."""
    said = [line.text for line in prompt.dialogue if line.by_user and len(line.text) > _SHORT]
    return said[-1][:_QUOTE] if said else ""


def _sentence(prompt: Prompt, quote: str, text: str) -> JsonObject:
    """Return a sentence with the number of the newest message that has the quote."""
    turns = [line.seq for line in prompt.dialogue if line.by_user and quote in line.text]
    return {"seq": turns[-1] if turns else 0, "quote": quote, "text": text}


def _entry(line: str) -> JsonObject:
    """Read a line of the summary so far; one without a number was written before sentences had sources."""
    found = _KEPT.fullmatch(line.strip())
    if found is None:
        return {"seq": 0, "quote": "", "text": decoded(line.strip())}
    return {"seq": int(found["seq"]), "quote": decoded(found["quote"]), "text": decoded(found["text"])}


def _text(sentence: JsonObject) -> str:
    return str(sentence["text"])


def _once(entries: list[JsonObject]) -> list[JsonObject]:
    return list({_text(one): one for one in entries}.values())


def _matters(text: str) -> bool:
    return bool(themes_of(text)) or feeling_of(text).intensity > 0 or danger_in(text) != "none"
