"""Finds the most telling quotable clause of a message."""

import re
from functools import cache
from typing import NamedTuple

from local.gemini.counsellor.endings import addressed, as_quoted_speech, ending_data, quotable
from local.gemini.counsellor.english import quotable_english
from local.gemini.counsellor.feelings import feeling_of
from local.gemini.counsellor.messages import is_small_talk
from local.gemini.counsellor.names import without_introduction
from local.gemini.counsellor.themes import themes_of

LONGEST_QUOTE = 36
"""Characters; a longer quotation would be a copy instead of a reflection."""
SHORTEST_QUOTE = 4
MOST_TAILS = 6


class Gist(NamedTuple):
    """The gist of a message in its own words.

    Attributes:
        said: Quotable: 는 or 고 can follow ("잠을 못 잔다"); in English it follows "that".
        because: The reason for coming, ending in 서 ("회사 일이 힘들어서").
        weight: How much it tells.
    """

    said: str = ""
    because: str = ""
    weight: int = 0


def sentences(text: str) -> tuple[str, ...]:
    """Split a message into sentences; a question keeps its mark."""
    broken = _break().sub("\n", text.replace("?", "?\n"))
    return tuple(part.strip() for part in _SENTENCE_KEEPING_ASK.split(broken) if part.strip(" ,"))


_POINTING = re.compile(r"(?:그거|그건|그게|그걸|그 말|그 생각|그때|그러면|그래서)(?:[가-힣]* |$)")
"""Start of a clause that refers to the previous sentence and says little alone."""
_SENTENCE_KEEPING_ASK = re.compile(r"[.!~…。\n]+\s*|(?:[ㅠㅜㅋㅎ]{2,})\s*")


def gist(text: str, *, korean: bool = True, called: str = "") -> Gist:
    """Return the most telling quotable clause, the later of equals; empty if there is none.

    Args:
        text: The message.
        korean: Whether the session is Korean.
        called: Form of address of the user; without it their "나" stays.
    """
    best = Gist()
    for sentence in sentences(without_introduction(text)):
        if is_small_talk(sentence):
            continue
        found = _of_sentence(sentence, called) if korean else _english(sentence)
        if _POINTING.match(found.said):
            found = found._replace(weight=max(0, found.weight - 2))
        if found.weight >= best.weight and (found.said or found.because):
            best = found
    return best


def _of_sentence(sentence: str, called: str) -> Gist:
    because = re.match(ending_data().because, as_quoted_speech(sentence))
    if because and len(because[1]) <= LONGEST_QUOTE:
        return Gist(because=addressed(because[1], called), weight=_weight(sentence) + 1)
    for candidate in _tails(sentence):
        found = quotable(candidate, called)
        if SHORTEST_QUOTE <= len(found) <= LONGEST_QUOTE:
            return Gist(said=found, weight=_weight(candidate))
    return Gist()


def _english(sentence: str) -> Gist:
    said = quotable_english(sentence)
    return Gist(said=said, weight=_weight(sentence)) if said else Gist()


def _tails(sentence: str) -> list[str]:
    """Return the sentence, then shorter ends of it, cut at clauses."""
    parts = _connective().split(sentence)
    starts = range(max(0, len(parts) - MOST_TAILS), len(parts))
    tails = [" ".join(part.strip(" ,") for part in parts[start:]) for start in starts]
    commas = [part.strip() for part in sentence.split(",") if part.strip()]
    return [*tails, *([commas[-1]] if len(commas) > 1 else [])]


def _weight(text: str) -> int:
    return 1 + 2 * len(themes_of(text)[:2]) + (2 if feeling_of(text).intensity else 0) + (len(text) >= 8)


@cache
def _break() -> re.Pattern[str]:
    return re.compile(ending_data().sentence_break)


@cache
def _connective() -> re.Pattern[str]:
    return re.compile(ending_data().connective)
