"""Tells which slot a question asks for, and what a message answers."""

import re
from functools import cache

from local.gemini.counsellor.clauses import sentences
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.messages import has, is_a
from local.gemini.counsellor.names import without_introduction
from local.gemini.counsellor.themes import themes_of

_ASKS_BACK = re.compile(r"\?\s*$")
SHORT_REST = 10
"""Characters up to which a message counts as an answer to the question before it."""
_YES_OR_NO_FIRST = re.compile(
    r"^(?:(?:네+|넵|예|응|어|음+|아|아니(?:요|오)?|아뇨|yes|yeah|yep|no|nope)(?:[ ,.!~…]+|$))+", re.IGNORECASE
)


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


def slot_asked(question: str) -> str:
    """Return the name of the known slot that a question asks for, or ""."""
    asked = (name for name, hint in _data().slots.items() if re.search(hint.asked, question, re.IGNORECASE))
    return next(asked, "")


def answer_to(name: str, text: str, *, asked: bool = True) -> str | None:
    """Return a message's value for a known slot; `asked`: it follows that slot's question."""
    return _boolean(name, text, asked=asked) if name == "prior_counseling" else _words(name, text, asked=asked)


def is_wish(text: str) -> bool:
    """Tell whether a text wishes for something missing ("친구 한 명만 있었으면 좋겠어요")."""
    return bool(re.search(_data().wish, text))


def _boolean(name: str, text: str, *, asked: bool) -> str | None:
    if is_a("dont_know", text) or not (_says(name, text) or (asked and _answers_yes_or_no(name, text))):
        return None
    for sentence in sentences(text):
        told = _says(name, sentence) or (asked and not re.search(_data().wish, sentence))
        if told and not _ASKS_BACK.search(sentence) and not re.search(_data().reported, sentence):
            if has("prior_no", sentence):
                return "false"
            if has("prior_yes", sentence):
                return "true"
    return None


def _answers_yes_or_no(name: str, text: str) -> bool:
    """Tell whether a message without its yes or no is short or stays on the question."""
    hint = _data().slots.get(name)
    rest = _YES_OR_NO_FIRST.sub("", text.strip()).strip(" ,.!~…ㅎㅋㅠ")
    if not rest or (hint and hint.about and re.search(hint.about, rest, re.IGNORECASE)):
        return True
    other = themes_of(rest) or feeling_of(rest).intensity or re.search(_data().of_now, rest) or _elsewhere(name, rest)
    return len(rest) <= SHORT_REST and not other


def _says(name: str, text: str) -> bool:
    """Tell whether a text mentions a slot without being asked."""
    hint = _data().slots.get(name)
    return bool(hint and hint.said and re.search(hint.said, text, re.IGNORECASE))


def _elsewhere(name: str, text: str) -> bool:
    """Tell whether a text clearly answers another slot."""
    return any(_says(other, text) for other in _data().slots if other != name)


def _words(name: str, text: str, *, asked: bool) -> str | None:
    hint = _data().slots.get(name)
    story = without_introduction(text)
    if has("refusal_strong", text) or _only_asks(story):
        return None
    if is_a("dont_know", story):
        return story if asked and hint and hint.weak else None
    if asked:
        return _answer(name, story)
    if hint and hint.said:
        told = [one for one in sentences(story) if re.search(hint.said, one, re.IGNORECASE) and not _only_asks(one)]
        return told[0] if told else None
    return None


def _answer(name: str, story: str) -> str | None:
    if not story or is_a("greeting", story) or is_a("thanks", story) or not _fits(name, story):
        return None
    if is_a("yes", story) and not has("prior_yes", story.replace("네", "")):
        return None
    return story


def _fits(name: str, story: str) -> bool:
    """Tell whether a text may answer an open question: it is about it, or at least not about something else."""
    hint = _data().slots.get(name)
    if hint and hint.about and re.search(hint.about, story, re.IGNORECASE):
        return True
    if re.search(_data().of_now, story) or _elsewhere(name, story):
        return False
    return not (hint and hint.only) or len(story) <= SHORT_REST


def _only_asks(text: str) -> bool:
    return bool(_ASKS_BACK.search(text)) and len(sentences(text)) == 1 and not themes_of(text)


@cache
def _data() -> SlotData:
    return load("slots", SlotData)
