"""Finds the name that a user gives, as opposed to a job, a mood or an answer."""

import re
from functools import cache, cached_property
from typing import NamedTuple

from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.hangul import is_closed
from local.gemini.counsellor.name_forms import BARE, DENIAL, DENIED, LIKELY, MISTAKEN, PLAIN, SWAPPED

_SHORTEST_REST = 3
"""Characters up to which the rest of a text with a name is a mere sound ("아", "네", "저기")."""


class Introduction(NamedTuple):
    """A name, its quote and their place."""

    name: str
    quote: str
    start: int
    end: int


class NameData(Data):
    """See data/names.yaml."""

    surnames: str
    given: str
    words: str
    not_names: str
    english_words: str

    @cached_property
    def stopped(self) -> frozenset[str]:
        return frozenset(self.words.split()) | frozenset(self.english_words.split())


def name_in(text: str, *, asked: bool) -> Introduction | None:
    """Return the name that a text gives; `asked`: the counsellor asked for it, so a bare word may be one."""
    wrong = MISTAKEN.search(text)
    if wrong:
        given = _name_in(text[wrong.end() :], asked=True)
        if given:
            return given._replace(start=given.start + wrong.end(), end=given.end + wrong.end())
        text = text[: wrong.start()]
    return _name_in(text, asked=asked)


def swapped_name(text: str) -> Introduction | None:
    """Return the name that replaces another ("지훈이 아니라 지은이에요" → 지은)."""
    for pattern in SWAPPED:
        for found in pattern.finditer(text):
            new = _trimmed(found["name"], found["end"])
            old = _trimmed(found["old"], "")
            named = bool(found["own"]) or "불" in found["end"] or "부르" in found["end"]
            likely = (is_likely(new), is_likely(old))
            if may_be(new) and may_be(old) and (any(likely) if named else all(likely)):
                return Introduction(new, found[0].strip(" ,.!~…"), found.start(), found.end())
    return None


def without_introduction(text: str) -> str:
    """Return the text without words that only give, deny or correct a name."""
    given = name_in(text, asked=False)
    left = f"{text[: given.start]} {text[given.end :]}" if given else text
    left = DENIAL.sub(lambda found: " " if denies_a_name(found) else found[0], left)
    left = MISTAKEN.sub(" ", left)
    if left == text:
        return text
    left = left.strip(" ,.!~")
    return left if len(left) > _SHORTEST_REST else ""


def denies_a_name(found: re.Match[str]) -> bool:
    """Tell whether a match of `DENIAL` is about a name ("지훈이 아니에요"), not about a role."""
    return "이름" in (found["own"] or "") or is_likely(_trimmed(found["old"], ""))


def _name_in(text: str, *, asked: bool) -> Introduction | None:
    if swapped := swapped_name(text):
        return swapped
    for patterns, strict in ((PLAIN, False), (LIKELY, not asked)):
        for pattern in patterns:
            for hit in pattern.finditer(text):
                if made := _introduction(hit, strict=strict):
                    return made
    return _bare_name(text) if asked else None


def _bare_name(text: str) -> Introduction | None:
    for part in re.finditer(r"[^.!?\n,]+[.!~]*", text):
        found = BARE.match(part[0].strip())
        made = _introduction(found, strict=False) if found else None
        if made:
            return made
    return None


def _introduction(found: re.Match[str], *, strict: bool) -> Introduction | None:
    name = _trimmed(found["name"], found.string[found.end("name") : found.end()])
    after = found.string[found.end("name") :]
    if DENIED.match(after) or (name != found["name"] and DENIED.match(found["name"][len(name) :] + after)):
        return None
    # "제 이름은 할머니가 지어 주셨어요": the word need not be the name.
    loose = found.end("name") == found.end() and after.startswith(" ") and not name.isascii()
    fits = is_likely(name) if strict or loose else may_be(name)
    return Introduction(name, found[0].strip(" ,.!~…"), found.start(), found.end()) if fits else None


def _trimmed(name: str, rest: str) -> str:
    """지훈이 → 지훈; 제이(라고), whose 이 follows a vowel, keeps it."""
    if rest.startswith("이") and not is_closed(name) and not rest.startswith(("이에요", "이야")):
        return name + "이"
    if len(name) > 2 and name.endswith("이") and is_closed(name[:-1]) and not rest:
        return name[:-1]
    return name


def may_be(name: str) -> bool:
    """Tell whether a word can be a name."""
    data = _data()
    if name.lower() in data.stopped or re.search(data.not_names, name):
        return False
    return bool(re.fullmatch(r"[가-힣]{1,6}|[A-Za-z][A-Za-z'-]{1,19}", name))


def is_likely(name: str) -> bool:
    """Tell whether a word's syllables look like a name; used if no name was asked for."""
    if not may_be(name):
        return False
    if re.fullmatch(r"[A-Za-z'-]+", name):
        return name[0].isupper()
    data = _data()
    given = name[1:] if len(name) == 3 and name[0] in data.surnames else name
    return len(given) == 2 and all(syllable in data.given for syllable in given)


@cache
def _data() -> NameData:
    return load("names", NameData)
