"""Extracts slot values from a message, each with a quote."""

import re
from functools import cache
from typing import NamedTuple

from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.messages import has, is_a, is_small_talk
from local.gemini.counsellor.name_changes import corrected_name
from local.gemini.counsellor.names import name_in, without_introduction
from local.gemini.counsellor.themes import is_pleasant, themes_of

_ASKS_BACK = re.compile(r"\?\s*$")
_SHORTEST_REASON = 8
SHORTEST_ASKED_REASON = 4
SHORT_REST = 10
"""Characters up to which a message counts as an answer to the question before it."""
_YES_OR_NO_FIRST = re.compile(
    r"^(?:(?:네+|넵|예|응|어|음+|아|아니(?:요|오)?|아뇨|yes|yeah|yep|no|nope)(?:[ ,.!~…]+|$))+", re.IGNORECASE
)
_COUNTED = re.compile(r"-?\d{1,9}|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|하나|둘|셋|넷)(?=[ 가-힣]|$)")


class SlotHint(Data):
    """See data/slots.yaml."""

    asked: str
    said: str | None = None
    about: str | None = None
    only: bool = False
    weak: bool = False


class SlotData(Data):
    """See data/slots.yaml."""

    slots: dict[str, SlotHint]
    wish: str
    of_now: str
    reported: str
    numbers: dict[str, int]


class Wanted(NamedTuple):
    """A slot in the prompt."""

    name: str
    kind: str
    label: str
    choices: tuple[str, ...] = ()


class Found(NamedTuple):
    """A value, and the user's exact words for it."""

    name: str
    value: str
    quote: str


def slot_asked(question: str, wanted: tuple[Wanted, ...] = ()) -> str:
    """Return the name of the slot that a question asks for, or ""."""
    for name, hint in _data().slots.items():
        if re.search(hint.asked, question, re.IGNORECASE):
            return name
    unknown = [slot for slot in wanted if slot.name not in _data().slots]
    named = [slot for slot in unknown if any(word in question for word in slot.label.split() if len(word) > 1)]
    return (named or [Wanted("", "", "")])[0].name


def slots_in(text: str, wanted: tuple[Wanted, ...], question: str, *, asked_by_product: bool = False) -> list[Found]:
    """Return the values that a message gives.

    Args:
        text: The user's message.
        wanted: The open slots.
        question: The counsellor's last question, or "".
        asked_by_product: The question is one of a listed slot's.
    """
    asked = slot_asked(question, wanted)
    if not asked and asked_by_product and len(wanted) == 1:
        asked = wanted[0].name
    answers_other = asked not in {"", "name", "reason"}
    asked_now = [slot for slot in wanted if not (answers_other and slot.name == "reason")]
    found = [_value(slot, text, asked=slot.name == asked) for slot in asked_now]
    return [one for one in found if one is not None]


def answer_to(name: str, text: str, *, asked: bool = True) -> str | None:
    """Return a message's value for a known slot; `asked`: it follows that slot's question."""
    kind = {"name": "name", "prior_counseling": "boolean"}.get(name, "text")
    found = _value(Wanted(name, kind, ""), text, asked=asked)
    return found.value if found else None


def is_wish(text: str) -> bool:
    """Tell whether a text wishes for something missing ("친구 한 명만 있었으면 좋겠어요")."""
    return bool(re.search(_data().wish, text))


def corrections(text: str, given: dict[str, str], *, denied_before: bool = False) -> list[Found]:
    """Return known values that a message corrects; `denied_before`: the previous message denied the name."""
    found: list[Found] = []
    for name, known in given.items():
        if name == "name":
            changed = corrected_name(text, known, denied_before=denied_before)
            if changed:
                found.append(Found(name, changed.name, changed.quote))
        elif known in {"True", "False"}:
            now = _boolean(Wanted(name, "boolean", ""), text, asked=False)
            if now and now.value != known.lower():
                found.append(now)
    return found


def _value(slot: Wanted, text: str, *, asked: bool) -> Found | None:
    match slot.kind:
        case "name":
            given = name_in(text, asked=asked)
            return Found(slot.name, given.name, given.quote) if given else None
        case "boolean":
            return _boolean(slot, text, asked=asked)
        case "integer":
            return _number(slot, text) if asked else None
        case "choice":
            chosen = next((choice for choice in slot.choices if choice and choice.casefold() in text.casefold()), None)
            return Found(slot.name, chosen, chosen) if chosen and chosen in text else None
        case _:
            return _words(slot, text, asked=asked)


def _boolean(slot: Wanted, text: str, *, asked: bool) -> Found | None:
    if is_a("dont_know", text) or not (_says(slot.name, text) or (asked and _answers_yes_or_no(slot, text))):
        return None
    for sentence in sentences(text):
        told = _says(slot.name, sentence) or (asked and not re.search(_data().wish, sentence))
        if told and not _ASKS_BACK.search(sentence) and not re.search(_data().reported, sentence):
            if has("prior_no", sentence):
                return Found(slot.name, "false", sentence)
            if has("prior_yes", sentence):
                return Found(slot.name, "true", sentence)
    return None


def _answers_yes_or_no(slot: Wanted, text: str) -> bool:
    """Tell whether a message without its yes or no is short or stays on the question."""
    hint = _data().slots.get(slot.name)
    rest = _YES_OR_NO_FIRST.sub("", text.strip()).strip(" ,.!~…ㅎㅋㅠ")
    if not rest or (hint and hint.about and re.search(hint.about, rest, re.IGNORECASE)):
        return True
    other = themes_of(rest) or feeling_of(rest).intensity or re.search(_data().of_now, rest) or _elsewhere(slot, rest)
    return len(rest) <= SHORT_REST and not other


def _says(name: str, text: str) -> bool:
    """Tell whether a text mentions a slot without being asked."""
    hint = _data().slots.get(name)
    return bool(hint and hint.said and re.search(hint.said, text, re.IGNORECASE))


def _elsewhere(slot: Wanted, text: str) -> bool:
    """Tell whether a text clearly answers another slot."""
    return any(_says(name, text) for name in _data().slots if name != slot.name)


def _number(slot: Wanted, text: str) -> Found | None:
    found = _COUNTED.search(text)
    if not found:
        return None
    return Found(slot.name, str(_data().numbers.get(found[0], found[0])), found[0])


def _words(slot: Wanted, text: str, *, asked: bool) -> Found | None:
    hint = _data().slots.get(slot.name)
    story = without_introduction(text)
    if has("refusal_strong", text) or _only_asks(story):
        return None
    if is_a("dont_know", story):
        return Found(slot.name, story, story) if asked and hint and hint.weak else None
    if slot.name == "reason":
        return _reason(slot, story, asked=asked)
    if asked:
        return _answer(slot, story)
    if hint and hint.said:
        told = [one for one in sentences(story) if re.search(hint.said, one, re.IGNORECASE) and not _only_asks(one)]
        return Found(slot.name, told[0], told[0]) if told else None
    return None


def _answer(slot: Wanted, story: str) -> Found | None:
    if not story or is_a("greeting", story) or is_a("thanks", story) or not _fits(slot, story):
        return None
    if is_a("yes", story) and not has("prior_yes", story.replace("네", "")):
        return None
    return Found(slot.name, story, story)


def _fits(slot: Wanted, story: str) -> bool:
    """Tell whether a text may answer an open question: it is about it, or at least not about something else."""
    hint = _data().slots.get(slot.name)
    if hint and hint.about and re.search(hint.about, story, re.IGNORECASE):
        return True
    if re.search(_data().of_now, story) or _elsewhere(slot, story):
        return False
    return not (hint and hint.only) or len(story) <= SHORT_REST


def _reason(slot: Wanted, story: str, *, asked: bool) -> Found | None:
    told = [one for one in sentences(story) if not is_small_talk(one) and not name_in(one, asked=True)]
    troubles = [one for one in told if _tells_trouble(one)]
    if troubles:
        quote = story[story.find(troubles[0]) : story.rfind(troubles[-1]) + len(troubles[-1])]
        return Found(slot.name, quote, quote)
    if asked and told and len("".join(told)) >= SHORTEST_ASKED_REASON:
        return Found(slot.name, told[0], told[0])
    return None


def _tells_trouble(sentence: str) -> bool:
    themes = themes_of(sentence)
    return bool(
        len(sentence) >= _SHORTEST_REASON
        and (themes or feeling_of(sentence).intensity)
        and not is_pleasant(themes)
        and not _only_asks(sentence)
        and not has("about_cbot", sentence)
    )


def _only_asks(text: str) -> bool:
    return bool(_ASKS_BACK.search(text)) and len(sentences(text)) == 1 and not themes_of(text)


@cache
def _data() -> SlotData:
    return load("slots", SlotData)
