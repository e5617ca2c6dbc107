"""Reads wishes about bookings, and answers to the question whether to go through with one."""

import datetime as dt
import re
from functools import cache

from shared.domain.booking.readings import Answer, RequestKind
from shared.domain.booking.slots import Problem, SlotName
from shared.lexicon.asking import asks_of
from shared.lexicon.booking.words_file import BookingWordsFile, squeezed
from shared.lexicon.clause_text import LONGEST_CLAUSE
from shared.lexicon.lexicon_file import BilingualPhrases

_MATTERS = ("asks_date", "asks_time", "asks_number", "asks_target")
_CLAUSE_END = re.compile(r"[.!?,;~…。\n]+")
_TO_BOOKING = (("cancels_all", Answer.CANCEL_ALL), ("cancels", Answer.CANCEL), ("confirms", Answer.CONFIRM))
"""The lists of answers, in the order in which they are tried."""
_TO_CANCELLING = (
    ("confirms_cancelling", Answer.CONFIRM),
    ("books", Answer.UNCLEAR),
    ("cancels", Answer.CANCEL),
    ("confirms", Answer.CONFIRM),
)
_MARKS = ".,!?~…"
_LEFT_OVER = 8
"""Characters of endings and particles that may be left of a wish ("싶어요")."""
_LONGEST_WISH = 120
"""Maximum characters of a message that wishes for nothing else; a longer one tells something."""


class BookingAnswers:
    """The lists, each compiled on first use."""

    def __init__(self, words: BookingWordsFile) -> None:
        self._words = words
        self._pattern = cache(self._compiled)

    def claims(self, text: str) -> bool:
        """Return whether a message asks for booking, whatever service it is sent to; it must name what is booked."""
        if len(text) > _LONGEST_WISH:
            return False
        wished = self.shows(text) or self.wish(text) is not None
        if self._pattern("goes_on").search(text) or self.confirms_it(text) or self._plain_wish(text) is not None:
            return True
        return wished and self.names_booking(text)

    def names_booking(self, text: str) -> bool:
        """Return whether a message names a session with CBot as something to be booked."""
        named = self._pattern("names_booking").search(text) and not self._pattern("other_booking").search(text)
        return len(text) <= _LONGEST_WISH and bool(named)

    def wish(self, said: str) -> RequestKind | None:
        """Return the kind of request that the words name."""
        for name, kind in (
            ("wants_cancel", RequestKind.CANCEL),
            ("wants_change", RequestKind.CHANGE),
            ("wants_booking", RequestKind.BOOK),
        ):
            if self._pattern(name).search(said):
                return kind
        return None if self.shows(said) else self._plain_wish(said)

    def _plain_wish(self, said: str) -> RequestKind | None:
        plain = said.strip(_MARKS + " ")
        if self._pattern("cannot_come").fullmatch(plain):
            return RequestKind.CANCEL
        return RequestKind.BOOK if self._pattern("asks_plainly").fullmatch(plain) else None

    def shows(self, said: str) -> bool:
        """Return whether the user asks to see their bookings."""
        return bool(self._pattern("wants_list").search(said))

    def answer(self, said: str, *, cancelling: bool = False) -> Answer:
        """Return the answer; unclear if a clause says anything else, or asks.

        `cancelling`: the question is whether to cancel a booking, so that "취소해 주세요" is a yes.
        """
        if self._pattern("asks").search(said):
            return Answer.UNCLEAR
        clauses = [one for part in _CLAUSE_END.split(said) if (one := part.strip())]
        found = {self._answer_of(clause, cancelling=cancelling) for clause in clauses} - {None}
        if len(found) != 1:
            return Answer.UNCLEAR
        return found.pop() or Answer.UNCLEAR

    def _answer_of(self, clause: str, *, cancelling: bool) -> Answer | None:
        """Return what a clause answers; None for one that says nothing."""
        if len(clause) > LONGEST_CLAUSE:
            return Answer.UNCLEAR
        for name, answer in _TO_CANCELLING if cancelling else _TO_BOOKING:
            if self._pattern(name).fullmatch(clause):
                return answer
        words = [word for word in clause.split() if not self._pattern("fillers").fullmatch(word)]
        if not words:
            return None
        left = " ".join(words)
        return Answer.UNCLEAR if left == clause else self._answer_of(left, cancelling=cancelling)

    def leaves_words(self, said: str) -> bool:
        """Return whether words are left that neither wish, nor address, nor thank."""
        for name in ("wants_cancel", "wants_change", "wants_booking", "wants_list"):
            said = self._pattern(name).sub(" ", said)
        words = [one for word in said.split() if (one := word.strip(_MARKS))]
        return sum(len(word) for word in words if not self._pattern("fillers").fullmatch(word)) > _LEFT_OVER

    def only_beside_values(self, said: str) -> bool:
        """Return whether the words that are left of a message only carry its values."""
        words = [one for word in said.split() if (one := word.strip(_MARKS))]
        plain = (self._pattern("beside_a_value"), self._pattern("fillers"))
        return all(any(one.fullmatch(word) for one in plain) for word in words)

    def declines_number(self, said: str) -> bool:
        """Return whether the user does not want to give a phone number."""
        return bool(self._pattern("declines_number").search(said))

    def asks_free(self, said: str) -> bool:
        """Return whether the user asks when there is room."""
        return bool(self._pattern("asks_free").search(said))

    def thanks(self, said: str) -> bool:
        """Return whether a message only thanks."""
        return bool(self._pattern("thanks").fullmatch(said.strip(_MARKS + " ")))

    def wishes_beside(self, text: str) -> bool:
        """Return whether one clause of a message wishes for a booking, and the others tell something else."""
        named = self._pattern("wish_beside").search(text)
        return bool(named) and not self._pattern("other_booking").search(text)

    def changes_it(self, said: str) -> bool:
        """Return whether the user wants something other than what was named before."""
        return bool(self._pattern("changes_it").search(said))

    def confirms_it(self, said: str) -> bool:
        """Return whether a message confirms a booking, in words that mean nothing else."""
        return bool(self._pattern("confirms_it").search(said))

    def concerns_answer(self, said: str) -> bool:
        """Return whether a message has to do with whether, or when, there is to be a session."""
        return bool(self._pattern("concerns_answer").search(said))

    def cancels_it(self, said: str) -> bool:
        """Return whether the user wants what was named before to be cancelled."""
        return bool(self._pattern("cancels_it").search(said))

    def without_request(self, said: str) -> str:
        """Return a message without the verb of its request."""
        return self._pattern("asks_here").sub(" ", said)

    def shift(self, said: str) -> tuple[dt.timedelta | None, str]:
        """Return by how much a booking is to be moved, and the message without those words."""
        for pattern in self._words.shifts.all:
            found = re.search(self._words.join(BilingualPhrases(ko=(pattern,))), said, re.IGNORECASE)
            if found is not None:
                told = {name: value for name, value in found.groupdict().items() if value}
                span = self._span(told)
                return -span if "earlier" in told else span, said[: found.start()] + said[found.end() :]
        return None, said

    def _span(self, told: dict[str, str]) -> dt.timedelta:
        if "native_days" in told:
            return dt.timedelta(days=self._words.number("native_days", told["native_days"]))
        counts = {unit: self._count(told[unit]) for unit in ("minutes", "hours", "days", "weeks") if unit in told}
        return dt.timedelta(minutes=30 if "half" in told else 0) + dt.timedelta(**counts)

    def _count(self, word: str) -> int:
        return self._words.number("hour_word" if word in self._words.tables["hour_word"] else "count_word", word)

    def all_of_them(self, said: str) -> bool:
        return bool(self._pattern("all_of_them").search(said))

    def number(self, said: str) -> int | None:
        """Return the place in a list that a message names."""
        for pattern in self._words.list_number.all:
            found = re.search(pattern, said, re.IGNORECASE)
            if found:
                groups = {name: value for name, value in found.groupdict().items() if value}
                if "number" in groups:
                    return int(groups["number"])
                (word,) = groups.values()
                return self._words.ordinals[squeezed(word)]
        return None

    def replaces(self, between: str) -> bool:
        """Return whether the words between two values take the first one back."""
        return bool(self._pattern("between_replaces").search(between))

    def range_of(self, between: str, slot: SlotName) -> Problem | None:
        """Return the error of a range, if the words between two values make one."""
        if not self._pattern("between_range").fullmatch(between.strip()):
            return None
        return Problem.DATE_RANGE if slot is SlotName.DATE else Problem.TIME_RANGE

    def is_other(self, between: str) -> bool:
        """Return whether the words between two values leave the choice open."""
        return bool(self._pattern("between_other").search(between))

    def joins(self, between: str) -> bool:
        """Return whether the words between two values join them."""
        return bool(self._pattern("between_joins").match(between))

    def rejects(self, behind: str) -> bool:
        """Return whether the words behind a value take it back."""
        return bool(self._pattern("rejects").match(behind))

    def is_open_ended(self, behind: str) -> bool:
        """Return whether the words behind a value make it the bound of a range."""
        return bool(self._pattern("open_ended").match(behind))

    def asks_alike(self, fixed: str, said: str) -> bool:
        """Return whether a wording asks for what the fixed wording of a question asks for."""
        matters = [pattern for name in _MATTERS if (pattern := self._pattern(name)).search(fixed)]
        return any(pattern.search(question) for pattern in matters for question in asks_of(said))

    def claims_done(self, reply: str) -> bool:
        """Return whether a text says that a booking is made, changed or cancelled."""
        return bool(self._pattern("claims_done").search(reply))

    def _compiled(self, name: str) -> re.Pattern[str]:
        return re.compile(self._words.join(getattr(self._words, name)), re.IGNORECASE)
