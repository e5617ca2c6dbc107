"""Finds the name that a person gives, and tells it from a job, a mood or an answer."""

import re
from functools import cache, cached_property
from typing import NamedTuple

from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.hangul import is_closed

_KO = r"(?P<name>[가-힣]{1,6}?|[A-Za-z][A-Za-z'-]{0,19})"
_CALLED = (
    r"이?라고(?:요| ?(?:합니다|해요?|하는데요?|하고요?|불러 ?(?:주세요|주시면 ?(?:돼요|됩니다)|줘요?)|불러요?|"
    r"부르시면 ?(?:돼요|됩니다)|부르면 ?돼요?|불리고 ?싶어요?|불려요))"
)
_IS = r"(?:이에요|예요|에요|입니다|이야|야|이고요?|고요?|인데요?|이구요|구요|이요|요)"
_EDGE = r"(?=$|[\s,.!?~…ㅎㅋ^])"
_TITLE = r"(?: ?(?:님|씨))?"
_BEFORE = r"(?<![가-힣A-Za-z])"

_PLAIN = (
    re.compile(
        rf"{_BEFORE}(?:(?:제|내|저의|나의) ?)?(?:이름|성함|별명|닉네임)[은는이]? ?(?:그냥 )?{_KO}"
        rf"(?:{_CALLED}|{_IS})?{_EDGE}"
    ),
    re.compile(rf"{_BEFORE}(?:(?:저는|전|나는|난|저를|나를|그냥|편하게) )*{_KO}{_CALLED}{_EDGE}"),
    re.compile(
        r"\b(?:my (?:name|nickname)(?: is|'s)|(?:you can |please |just )?call me|i go by|people call me) "
        r"(?P<name>[A-Za-z][A-Za-z'-]{0,19})",
        re.IGNORECASE,
    ),
)
_LIKELY = (
    re.compile(
        rf"{_BEFORE}(?:저는|전|나는|난|저|나) {_KO}{_TITLE}"
        rf"(?:이에요|예요|입니다|이야|야|이고요?|고요?|인데요?|이구요)?{_EDGE}"
    ),
    re.compile(r"\b(?:[Ii]'m|[Ii] am|[Ii]m) (?P<name>[A-Z][a-z'-]{1,19})\b"),
    re.compile(rf"^(?:안녕하세요[,.!~ ]*|네[,. ]+)?{_KO}{_TITLE}(?:이에요|예요|입니다|이요){_EDGE}"),
)
_BARE = re.compile(
    rf"^(?:(?:안녕하세요|네|음+|아|그냥|저는|전|나는|난|저|나|편하게|그럼|hi|hello|i'm|i am|it's|just)[,.!~… ]+)*"
    rf"{_KO}{_TITLE}(?:{_CALLED}|{_IS})?(?:[.!~ㅎㅋ^ ]*)$",
    re.IGNORECASE,
)


class Introduction(NamedTuple):
    """A name and the words in which it was given, with their place."""

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
        """Words that are no names."""
        return frozenset(self.words.split()) | frozenset(self.english_words.split())


def name_in(text: str, *, asked: bool) -> Introduction | None:
    """Return the name that a text gives; `asked`: the counsellor has just asked for it, so a bare word may be one."""
    for patterns, strict in ((_PLAIN, False), (_LIKELY, not asked)):
        for pattern in patterns:
            for hit in pattern.finditer(text):
                if made := _introduction(hit, strict=strict):
                    return made
    if not asked:
        return None
    for part in re.finditer(r"[^.!?\n,]+[.!~]*", text):
        found = _BARE.match(part[0].strip())
        made = _introduction(found, strict=False) if found else None
        if made:
            return made
    return None


def without_introduction(text: str) -> str:
    """Return the text without the words that only give a name."""
    given = name_in(text, asked=False)
    return f"{text[: given.start]} {text[given.end :]}".strip(" ,.!~") if given else text


def _introduction(found: re.Match[str], *, strict: bool) -> Introduction | None:
    name = _trimmed(found["name"], found.string[found.end("name") : found.end()])
    fits = _is_likely(name) if strict else _may_be(name)
    return Introduction(name, found[0].strip(" ,.!~…"), found.start(), found.end()) if fits else None


def _trimmed(name: str, rest: str) -> str:
    """지훈이 → 지훈; 제이(라고), where the 이 follows a vowel, keeps it."""
    if rest.startswith("이") and not is_closed(name) and not rest.startswith(("이에요", "이야")):
        return name + "이"
    if len(name) > 2 and name.endswith("이") and is_closed(name[:-1]) and not rest:
        return name[:-1]
    return name


def _may_be(name: str) -> bool:
    data = _data()
    if name.lower() in data.stopped or re.search(data.not_names, name):
        return False
    return bool(re.fullmatch(r"[가-힣]{1,6}|[A-Za-z][A-Za-z'-]{1,19}", name))


def _is_likely(name: str) -> bool:
    """Tell whether it looks like a name by its syllables: nobody asked, so a common noun is likelier."""
    if not _may_be(name):
        return False
    if re.fullmatch(r"[A-Za-z'-]+", name):
        return name[0].isupper()
    data = _data()
    given = name[1:] if len(name) == 3 and name[0] in data.surnames else name
    return len(given) == 2 and all(syllable in data.given for syllable in given)


@cache
def _data() -> NameData:
    return load("names", NameData)
