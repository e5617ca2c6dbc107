"""Finds numbers, dates and times in a text, in one spelling: "두 번" and "2번" are the same figure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TENS = {
    "열": 10,
    "스무": 20,
    "스물": 20,
    "서른": 30,
    "마흔": 40,
    "쉰": 50,
    "예순": 60,
    "일흔": 70,
    "여든": 80,
    "아흔": 90,
}
_ONES = dict(zip(["한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉"], range(1, 10), strict=True))
_ONES |= {"하나": 1, "둘": 2, "셋": 3, "석": 3, "넷": 4, "넉": 4}
_SINO = {"일": 1, "이": 2, "삼": 3, "사": 4, "오": 5, "육": 6, "유": 6, "칠": 7, "팔": 8, "구": 9}
_PLACES = {"십": 10, "시": 10, "백": 100, "천": 1000, "만": 10_000}
_DAYS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "열흘": 10, "보름": 15}
_NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ENGLISH = dict(zip(_NUMERALS, range(1, 13), strict=True))
_ENGLISH |= {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "dozen": 12}
_ENGLISH |= {"once": 1, "twice": 2, "couple": 2, "first": 1, "second": 2, "third": 3}
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_UNITS_KO = (
    "개월|학년|학기|시간|만 ?원|천 ?원|킬로|퍼센트|프로|등급|가지|년|월|일|시|분|살|세|명|번|주|달|원|점|등|층|회|차|"
    "알|개|잔|병|대|호|박|끼|째|kg|cm|mg|%"
)
_UNITS_EN = (
    "a\\.?m\\.?|p\\.?m\\.?|o'clock|percent|years?|months?|weeks?|days?|hours?|minutes?|times?|kg|kilos?|pounds?|dollars?|"
    "people|kids?|children|sessions?|pills?|grade|mg|%"
)
_DIGITS = r"\d+(?:,\d{3})*(?:\.\d+)?"
_NATIVE = f"(?:{'|'.join(_TENS)})?(?:{'|'.join(sorted(_ONES, key=len, reverse=True))})|{'|'.join(_TENS)}"
_FIGURE = re.compile(
    rf"(?<![\d.])(?P<digits>{_DIGITS})(?!\d) ?(?P<unit>{_UNITS_KO}|(?i:(?:{_UNITS_EN})(?![a-z])))?"
    rf"|(?<![가-힣])(?P<native>{_NATIVE}) ?(?P<counter>시간|학기|가지|시|살|명|번|달|개|잔|병|끼|번째)"
    rf"|(?P<day>[월화수목금토일]요일)"
    rf"|(?i:\b(?P<weekday>{'|'.join(_WEEKDAYS)})s?\b)"
    rf"|\b(?P<month>(?i:{'|'.join(name for name in _MONTHS if name != 'may')})|May)\b"
    rf"|(?i:\b(?P<english>{'|'.join(_ENGLISH)})[ -](?P<measure>(?:{_UNITS_EN})(?![a-z])))"
)
_SAID_LOOSELY = re.compile(r"1(?:번|개|가지|명|time|one)")
"""A manner of speaking rather than a figure ("한번 해 볼게요")."""
_SINO_RUN = re.compile(f"[{''.join(_SINO)}{''.join(_PLACES)}]+")
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Figure:
    """One figure and its position.

    Attributes:
        value: Digits, or the name of a weekday or month.
        unit: What is counted; empty if no known unit follows.
    """

    value: str
    unit: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """The figure in its one spelling."""
        return self.value + self.unit


def figures(text: str) -> tuple[Figure, ...]:
    """Return the dates, times and numbers of a text, in order."""
    found = (_figure(match) for match in _FIGURE.finditer(text))
    return tuple(each for each in found if not _SAID_LOOSELY.fullmatch(each.key))


def keys(text: str) -> frozenset[str]:
    """Return the figures of a text in their one spelling."""
    return frozenset(each.key for each in figures(text))


def unfounded(text: str, grounds: frozenset[str]) -> bool:
    """Return whether a text has a number in digits that is not among `grounds` (from `values`)."""
    return any(_plain(found) not in grounds for found in re.findall(rf"(?<![\d.]){_DIGITS}", text))


def values(text: str) -> frozenset[str]:
    """Return every number that can be read in a text, in digits; generous, since other texts are checked against it."""
    found = {_plain(digits) for digits in re.findall(_DIGITS, text)}
    found |= {part for digits in re.findall(r"[\d,.]+", text) for part in re.findall(r"\d+", digits)}
    found |= {str(value) for value in _in_words(text)}
    hours = {str(int(value) + 12) for value in found if value.isdigit() and len(value) <= 2 and int(value) < 12}
    return frozenset(found | hours)


def _figure(match: re.Match[str]) -> Figure:
    got = match.groupdict()
    if got["digits"]:
        value, unit = _plain(got["digits"]), got["unit"] or ""
    elif got["native"]:
        value, unit = str(_native(got["native"])), got["counter"]
    elif got["english"]:
        value, unit = str(_ENGLISH[got["english"].casefold()]), got["measure"]
    else:
        value, unit = next((got[name], name) for name in ("day", "weekday", "month") if got[name])
    return Figure(value.casefold(), _one_spelling(unit), match.start(), match.end())


def _one_spelling(unit: str) -> str:
    plain = unit.casefold().replace(" ", "").replace(".", "")
    return plain[:-1] if plain.isascii() and plain.endswith("s") else plain


def _plain(digits: str) -> str:
    return digits.replace(",", "").lstrip("0") or "0"


def _native(word: str) -> int:
    tens = next((name for name in _TENS if word.startswith(name)), "")
    return _TENS.get(tens, 0) + _ONES.get(word.removeprefix(tens), 0)


def _in_words(text: str) -> Iterator[int]:
    for match in re.finditer(_NATIVE, text):
        yield _native(match[0])
    for match in _SINO_RUN.finditer(text):
        yield from _sino(match[0])
    yield from (value for word, value in _DAYS.items() if word in text)
    yield from (_ENGLISH[word] for word in _WORD.findall(text.casefold()) if word in _ENGLISH)
    yield from (number for number, name in enumerate(_MONTHS, start=1) if name in text.casefold())
    if "반" in text or "half" in text:
        yield 30
    if "일주일" in text or "week" in text:
        yield 7


def _sino(run: str) -> Iterator[int]:
    """Yield the readings of a run of number syllables ("십오" is 15) and of its parts."""
    for start in range(len(run)):
        total, digit = 0, 0
        for char in run[start:]:
            if char in _PLACES and not (char == "시" and not digit and not total and len(run) == 1):
                total += (digit or 1) * _PLACES[char]
                digit = 0
            else:
                digit = _SINO.get(char, 0)
            yield total + digit
