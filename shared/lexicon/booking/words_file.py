"""`booking.yaml`: how users write about a booking."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import Field, model_validator

from shared.lexicon.lexicon_file import BilingualPhrases, ExemplifiedPhrases
from shared.lexicon.session_words_file import WordFile
from shared.model import Model

_SINO = "[일이삼사오육유칠팔구시십]{1,3}"


class Period(Model):
    """A part of the day, with the hours of a clock's face that belong to it.

    Attributes:
        morning: Hours that are meant as they are; 12 is midnight.
        afternoon: Hours that mean twelve more; 12 is noon.
    """

    words: tuple[str, ...] = Field(min_length=1)
    morning: tuple[int, ...] = ()
    afternoon: tuple[int, ...] = ()


class BookingWordsFile(WordFile):
    """The file.

    Attributes:
        tables: Words that stand for a number; each table is a fragment, too.
        periods: Parts of the day; their words are the fragment `period`.
    """

    tables: Mapping[str, Mapping[str, int]]
    periods: tuple[Period, ...] = Field(min_length=1)
    ordinals: Mapping[str, int]
    dates: BilingualPhrases
    times: BilingualPhrases
    open_times: BilingualPhrases
    lengths: BilingualPhrases
    between_range: ExemplifiedPhrases
    between_other: ExemplifiedPhrases
    between_replaces: ExemplifiedPhrases
    between_joins: ExemplifiedPhrases
    rejects: ExemplifiedPhrases
    open_ended: ExemplifiedPhrases
    way_chat: ExemplifiedPhrases
    way_phone: ExemplifiedPhrases
    way_other: ExemplifiedPhrases
    phone_number: BilingualPhrases
    note: ExemplifiedPhrases
    wants_booking: ExemplifiedPhrases
    wants_change: ExemplifiedPhrases
    wants_cancel: ExemplifiedPhrases
    confirms_it: ExemplifiedPhrases
    concerns_answer: ExemplifiedPhrases
    changes_it: ExemplifiedPhrases
    cancels_it: ExemplifiedPhrases
    asks_here: ExemplifiedPhrases
    shifts: ExemplifiedPhrases
    wish_beside: ExemplifiedPhrases
    thanks: ExemplifiedPhrases
    wants_list: ExemplifiedPhrases
    goes_on: ExemplifiedPhrases
    asks_plainly: ExemplifiedPhrases
    cannot_come: ExemplifiedPhrases
    names_booking: ExemplifiedPhrases
    other_booking: ExemplifiedPhrases
    confirms: ExemplifiedPhrases
    cancels: ExemplifiedPhrases
    books: ExemplifiedPhrases
    confirms_cancelling: ExemplifiedPhrases
    cancels_all: ExemplifiedPhrases
    fillers: BilingualPhrases
    beside_a_value: BilingualPhrases
    asks: ExemplifiedPhrases
    declines_number: ExemplifiedPhrases
    asks_free: ExemplifiedPhrases
    all_of_them: ExemplifiedPhrases
    list_number: ExemplifiedPhrases
    claims_done: ExemplifiedPhrases
    asks_date: ExemplifiedPhrases
    asks_time: ExemplifiedPhrases
    asks_number: ExemplifiedPhrases
    asks_target: ExemplifiedPhrases

    @model_validator(mode="before")
    @classmethod
    def _tables_are_fragments(cls, data: Any) -> Any:
        """Add a fragment for every table, unless something is missing, which the fields then tell."""
        if not isinstance(data, dict) or not isinstance(data.get("tables"), dict):
            return data
        words = {name: list(table) for name, table in data["tables"].items() if isinstance(table, dict)}
        words["period"] = [word for one in data.get("periods", ()) for word in one.get("words", ())]
        made = {name: _alternation(found) for name, found in words.items()}
        return {**data, "fragments": {**data.get("fragments", {}), **made, "sino": _SINO}}

    @model_validator(mode="after")
    def _patterns_compile(self) -> Self:
        for name in type(self).model_fields:
            phrases = getattr(self, name)
            for pattern in phrases.all if isinstance(phrases, BilingualPhrases) else ():
                try:
                    re.compile(self.join(BilingualPhrases(ko=(pattern,))))
                except re.error as error:
                    raise ValueError(f"{name}: {pattern!r} is no pattern: {error}") from error
        return self

    @cached_property
    def period_of(self) -> Mapping[str, Period]:
        """The part of the day that a word names, in lower case and without blanks."""
        return {squeezed(word): one for one in self.periods for word in one.words}

    def number(self, table: str, word: str) -> int:
        """Return the number of a table's word; digits are themselves."""
        if word.isdigit():
            return int(word)
        return self._squeezed[table][squeezed(word)]

    @cached_property
    def _squeezed(self) -> Mapping[str, Mapping[str, int]]:
        return {name: {squeezed(word): n for word, n in table.items()} for name, table in self.tables.items()}


def squeezed(word: str) -> str:
    """Return a word in lower case and without blanks."""
    return "".join(word.split()).casefold()


def _alternation(words: list[str]) -> str:
    longest_first = sorted(words, key=len, reverse=True)
    escaped = (" ?".join(map(re.escape, word.split())) for word in longest_first)
    return f"(?:{'|'.join(escaped)})"
