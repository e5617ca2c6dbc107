"""Reads a whole message: values, wishes and answers."""

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from shared.domain.booking.readings import Reading, RequestKind
from shared.domain.booking.slots import Problem, SlotName, Way, valid_note, valid_phone_number
from shared.domain.slots import SlotKind
from shared.lexicon.booking.answers import BookingAnswers
from shared.lexicon.booking.dates import DateResolver, ReadDate
from shared.lexicon.booking.grouping import OpenAt, Piece, requests_of, way_piece
from shared.lexicon.booking.sino import sino_number
from shared.lexicon.booking.words_file import BookingWordsFile, Period, squeezed
from shared.lexicon.lexicon_file import BilingualPhrases
from shared.lexicon.plain_answers import PlainAnswers
from shared.lexicon.session_words import SessionWords

NOON, MIDNIGHT = dt.time(12), dt.time(0)
_HALF_DAY = 12
_HOURS, _MINUTES = 24, 60


@dataclass(frozen=True)
class ReadTime:
    """The times that may be meant, at most two; or why there is none."""

    candidates: tuple[dt.time, ...] = ()
    problem: Problem | None = None


IMPOSSIBLE = ReadTime(problem=Problem.IMPOSSIBLE_TIME)
_READ = "\x00"
"""Replaces what was read, so that no other pattern reads it again."""


class TokenKind(StrEnum):
    PHONE_NUMBER = "phone_number"
    NOTE = "note"
    LENGTH = "length"
    TIME = "time"
    DATE = "date"
    OPEN_TIME = "open_time"
    WAY_OTHER = "way_other"
    WAY_CHAT = "way_chat"
    WAY_PHONE = "way_phone"


@dataclass(frozen=True)
class Token:
    """A piece of the message.

    Attributes:
        said: The named groups that matched.
    """

    kind: TokenKind
    start: int
    end: int
    text: str
    said: dict[str, str] = field(default_factory=dict)


_LISTS = {
    TokenKind.PHONE_NUMBER: "phone_number",
    TokenKind.NOTE: "note",
    TokenKind.TIME: "times",
    TokenKind.LENGTH: "lengths",
    TokenKind.DATE: "dates",
    TokenKind.OPEN_TIME: "open_times",
    TokenKind.WAY_OTHER: "way_other",
    TokenKind.WAY_CHAT: "way_chat",
    TokenKind.WAY_PHONE: "way_phone",
}
"""In the order in which they are read."""


class Tokenizer:
    """The patterns, compiled on first use."""

    def __init__(self, words: BookingWordsFile) -> None:
        self._words = words

    def tokens(self, text: str) -> list[Token]:
        """Return the pieces in the order of the text."""
        left, found = text, []
        for kind, patterns in self._patterns.items():
            for pattern in patterns:
                for token in _matches(kind, pattern, left):
                    found.append(token)
                    left = left[: token.start] + _READ * (token.end - token.start) + left[token.end :]
        return sorted(found, key=lambda token: token.start)

    @cached_property
    def _patterns(self) -> dict[TokenKind, list[re.Pattern[str]]]:
        return {kind: list(self._compiled(getattr(self._words, name))) for kind, name in _LISTS.items()}

    def _compiled(self, phrases: BilingualPhrases) -> Iterator[re.Pattern[str]]:
        for pattern in phrases.all:
            yield re.compile(self._words.join(BilingualPhrases(ko=(pattern,))), re.IGNORECASE)


_ORDER = 3
"""Characters that may stand between two spellings of one date: "수요일(12/2)"."""
_WAYS = {TokenKind.WAY_CHAT: Way.CHAT, TokenKind.WAY_PHONE: Way.PHONE}
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
"""Full-width digits and marks, as ASCII."""
_DIGITS = re.compile(r"\d{3}")


@dataclass(frozen=True)
class Asked:
    """What the last reply asked, which short answers refer to.

    Attributes:
        slot: The slot asked for.
        days: The days that were left open.
        face: The time that was left open.
        cancelling: It asked whether to cancel a booking.
        base: The date of the booking that a change would move.
    """

    slot: SlotName | None = None
    days: tuple[dt.date, ...] = ()
    face: dt.time | None = None
    cancelling: bool = False
    base: dt.date | None = None


class BookingReader:
    """The words, compiled on first use."""

    def __init__(self, words: BookingWordsFile, plain: PlainAnswers, session: SessionWords) -> None:
        self._words = words
        self._tokens = Tokenizer(words)
        self._plain = plain
        self._session = session
        self.answers = BookingAnswers(words)

    def read(self, text: str, now: dt.datetime, open_at: OpenAt, asked: Asked = Asked()) -> Reading:
        """Read a message.

        Args:
            text: The message.
            now: The present, in the user's zone.
            open_at: Whether the operator is open at a time.
            asked: What the last reply asked.
        """
        said = normalised(text)
        cancels = RequestKind.CANCEL if self.answers.cancels_it(said) else None
        kind, changes = self.answers.wish(said) or cancels, self.answers.changes_it(said)
        moves = changes or kind is RequestKind.CHANGE
        shift, left = self.answers.shift(said) if moves else (None, said)
        if not moves and asked.slot is None:
            asked = replace(asked, base=None)
        pieces = list(self._pieces(left, now.date(), asked))
        none = self._plain.says_none(said)
        if none and asked.slot is SlotName.NOTE:
            pieces.append(Piece(SlotName.NOTE, ""))
        if asked.slot is not SlotName.PHONE_NUMBER and self.answers.declines_number(said):
            pieces.append(Piece(SlotName.WAY, Way.CHAT))
        return Reading(
            requests=requests_of(pieces, open_at),
            kind=kind,
            shows=self.answers.shows(said),
            answer=self.answers.answer(said, cancelling=asked.cancelling),
            number=self.answers.number(said),
            all=self.answers.all_of_them(said),
            declines=self._session.declines(said, SlotKind.TEXT) or self._without_number(said, asked, none=none),
            asks_free=self.answers.asks_free(said),
            says_none=none,
            not_known=self._plain.is_not_known(said.rstrip(".!~… ")),
            changes_it=changes,
            shift=shift,
        )

    def _without_number(self, said: str, asked: Asked, *, none: bool) -> bool:
        """Return whether the user gives no number to the question for one."""
        return asked.slot is SlotName.PHONE_NUMBER and (none or self.answers.declines_number(said))

    def claims(self, text: str) -> bool:
        """Return whether a message asks for booking, whatever service it is sent to."""
        return self.answers.claims(normalised(text))

    def names_a_time(self, text: str, today: dt.date) -> bool:
        """Return whether a message names a day or a time of day, whatever for."""
        return any(
            piece.slot in (SlotName.DATE, SlotName.TIME) for piece in self._pieces(normalised(text), today, Asked())
        )

    def says_more(self, text: str) -> bool:
        """Return whether a message says more than its wish and the values that were read."""
        return self.answers.leaves_words(self._without_values(normalised(text)))

    def only_values(self, text: str) -> bool:
        """Return whether a message says nothing but values, in plain and polite words."""
        return self.answers.only_beside_values(self._without_values(normalised(text)))

    def only_asks(self, text: str) -> bool:
        """Return whether a message is a request and its values, and says nothing else."""
        said = self._without_values(normalised(text))
        rest = self.answers.without_request(said)
        return rest != said and self.answers.only_beside_values(rest)

    def _without_values(self, said: str) -> str:
        for token in reversed(self._tokens.tokens(said)):
            said = said[: token.start] + " " + said[token.end :]
        return said

    def _pieces(self, said: str, today: dt.date, asked: Asked) -> Iterator[Piece]:
        resolver = DateResolver(self._words, today, asked.days, base=asked.base)
        before: Token | None = None
        kept: list[tuple[Token, Piece]] = []
        tokens = self._tokens.tokens(said)
        has_time = any(token.kind is TokenKind.TIME for token in tokens)
        for token in tokens:
            if token.kind is TokenKind.OPEN_TIME and has_time:
                continue
            read = self._piece(token, resolver, asked)
            if token.kind is TokenKind.DATE and isinstance(read.value, dt.date):
                resolver = replace(resolver, after=read.value, same_week="week_word" in token.said)
            if self.answers.rejects(said[token.end :]):
                continue
            piece = read if before is None else self._joined(said, before, token, read, kept)
            before = token
            if piece is not None:
                kept.append((token, self._open_ended(said, token, piece)))
        yield from (piece for _, piece in kept)
        if asked.slot is SlotName.PHONE_NUMBER and not kept and _DIGITS.search(said):
            yield Piece(SlotName.PHONE_NUMBER, problem=Problem.BAD_PHONE_NUMBER)

    def _piece(self, token: Token, resolver: DateResolver, asked: Asked) -> Piece:
        match token.kind:
            case TokenKind.DATE:
                found = _RANGED if "range" in token.said else resolver.resolve(token.said)
                return Piece(SlotName.DATE, found.value, found.problem, found.days)
            case TokenKind.TIME:
                return self._time_piece(token)
            case TokenKind.OPEN_TIME:
                return self._open_time(token, asked)
            case TokenKind.LENGTH:
                return Piece(SlotName.LENGTH, self._length(token))
            case TokenKind.PHONE_NUMBER:
                number = valid_phone_number(token.text)
                problem = None if number else Problem.BAD_PHONE_NUMBER
                return Piece(SlotName.PHONE_NUMBER, number, problem)
            case TokenKind.NOTE:
                note = token.said.get("note", "")
                return Piece(SlotName.NOTE, "" if self._plain.says_none(note) else valid_note(note))
            case _:
                return way_piece(_WAYS.get(token.kind))

    def _time_piece(self, token: Token) -> Piece:
        if "range" in token.said:
            return Piece(SlotName.TIME, problem=Problem.TIME_RANGE)
        found = resolve_time(self._words, token.said)
        return Piece(SlotName.TIME, problem=found.problem, candidates=found.candidates)

    def _open_time(self, token: Token, asked: Asked) -> Piece:
        if asked.face is None:
            return Piece(SlotName.TIME, problem=Problem.WHICH_TIME)
        found = in_period(self._words, token.said["open"], asked.face)
        return Piece(SlotName.TIME, problem=found.problem, candidates=found.candidates)

    def _length(self, token: Token) -> int:
        hours = token.said.get("hours")
        minutes = int(token.said.get("minutes", "0")) + (30 if "half" in token.said else 0)
        if hours is None:
            return minutes
        if hours.replace(".", "", 1).isdigit():
            return round(float(hours) * _MINUTES) + minutes
        table = "count_word" if hours.isascii() else "hour_word"
        return self._words.number(table, hours) * _MINUTES + minutes

    def _joined(
        self, said: str, before: Token, token: Token, piece: Piece, kept: list[tuple[Token, Piece]]
    ) -> Piece | None:
        """Return a piece with what the words before it say; None if it belongs to the piece before.

        "수요일 말고 목요일" drops Wednesday; "3시에서 5시" is a range; "수요일(12/2)" is one date.
        """
        between = said[before.end : token.start]
        last = next((one for _, one in reversed(kept) if one.slot is piece.slot), None)
        if last is None:
            return piece
        together = before.kind is token.kind
        touching = len(between) <= _ORDER and not between.strip(" ()（）,")
        if together and token.kind is TokenKind.DATE and touching:
            weekdays = any(name.startswith(("check", "weekday")) for one in (before, token) for name in one.said)
            return self._same_date(piece, kept, Problem.WEEKDAY_MISMATCH if weekdays else Problem.ALTERNATIVES)
        if self.answers.replaces(between):
            kept[:] = [(one, other) for one, other in kept if other is not last]
            return piece
        if together and (problem := self.answers.range_of(between, piece.slot)):
            kept[:] = [(one, other) for one, other in kept if other is not last]
            return Piece(piece.slot, problem=problem)
        if self.answers.is_other(between):
            kept[:] = [(one, other) for one, other in kept if other is not last]
            return Piece(piece.slot, problem=Problem.ALTERNATIVES)
        return replace(piece, joined=self.answers.joins(between))

    @staticmethod
    def _same_date(piece: Piece, kept: list[tuple[Token, Piece]], other_day: Problem) -> Piece | None:
        """Return None for a second spelling of the last date; an error if it is another day."""
        token, last = kept[-1]
        if piece.value == last.value and piece.problem is None:
            return None
        if last.days and piece.value in last.days:
            kept.pop()
            return piece
        if piece.days and last.value in piece.days:
            return None
        kept[-1] = (token, Piece(SlotName.DATE, problem=last.problem or piece.problem or other_day))
        return None

    def _open_ended(self, said: str, token: Token, piece: Piece) -> Piece:
        if piece.slot not in (SlotName.DATE, SlotName.TIME) or not self.answers.is_open_ended(said[token.end :]):
            return piece
        return Piece(piece.slot, problem=Problem.TIME_RANGE if piece.slot is SlotName.TIME else Problem.DATE_RANGE)


_RANGED = ReadDate(problem=Problem.DATE_RANGE)


def normalised(text: str) -> str:
    """Return a message in one spelling of letters, marks and blanks; single letters ("ㅇㅇ") stay as they are."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_FULL_WIDTH).split())


def resolve_time(words: BookingWordsFile, said: Mapping[str, str]) -> ReadTime:
    """Return the times of the named groups that matched.

    An hour above 12, and one with a leading zero, is of the 24-hour clock. Any other hour without a part of the day
    may be in the morning or in the afternoon.
    """
    if "fixed_noon" in said:
        return ReadTime((NOON,))
    if "fixed_midnight" in said:
        return ReadTime((MIDNIGHT,))
    written = _hour(words, said)
    minute = _minute(said)
    if written is None or minute is None or written[0] >= _HOURS or minute >= _MINUTES:
        return IMPOSSIBLE
    hour, on_24_hours = written
    period = _period(words, said)
    hours = (hour,) if on_24_hours and period is None else _hours(hour, period)
    earlier = "before" in said or "before_sino" in said
    return ReadTime(tuple(_time(one, minute, earlier=earlier) for one in hours)) if hours else IMPOSSIBLE


def in_period(words: BookingWordsFile, period: str, face: dt.time) -> ReadTime:
    """Return a time that was said before without its part of the day."""
    found = words.period_of.get(squeezed(period))
    hours = _hours((face.hour - 1) % _HALF_DAY + 1, found) if found else ()
    return ReadTime(tuple(face.replace(hour=one) for one in hours)) if hours else IMPOSSIBLE


def _hour(words: BookingWordsFile, said: Mapping[str, str]) -> tuple[int, bool] | None:
    """Return the hour as written, and whether it is of the 24-hour clock for sure."""
    for group in ("hour24", "hour"):
        if group in said and said[group].isdigit():
            hour = int(said[group])
            zero = group == "hour24" and said[group].startswith("0")
            return hour, hour > _HALF_DAY or hour == 0 or zero
    for group in ("hour_word", "english_hour"):
        if group in said:
            return words.number(group, said[group]), False
    return None


def _minute(said: Mapping[str, str]) -> int | None:
    if "half" in said:
        return 30
    if "minute_sino" in said:
        return sino_number(said["minute_sino"])
    return int(said.get("minute", "0"))


def _period(words: BookingWordsFile, said: Mapping[str, str]) -> Period | None:
    named = said.get("period") or said.get("period_after")
    return words.period_of[squeezed(named)] if named else None


def _hours(hour: int, period: Period | None) -> tuple[int, ...]:
    if hour > _HALF_DAY or hour == 0:
        # "오후 15시" says it twice; "오전 15시" contradicts itself.
        face = hour % _HALF_DAY or _HALF_DAY
        fits = period is None or face in (period.afternoon if hour else period.morning)
        return (hour,) if fits else ()
    morning, afternoon = hour % _HALF_DAY, hour % _HALF_DAY + _HALF_DAY
    if period is None:
        return (morning, afternoon)
    return (*((morning,) if hour in period.morning else ()), *((afternoon,) if hour in period.afternoon else ()))


def _time(hour: int, minute: int, *, earlier: bool) -> dt.time:
    whole = hour * _MINUTES + (-minute if earlier else minute)
    return dt.time(whole // _MINUTES % _HOURS, whole % _MINUTES)


def _matches(kind: TokenKind, pattern: re.Pattern[str], text: str) -> Iterator[Token]:
    for match in pattern.finditer(text):
        if match.end() > match.start():
            said = {name: value for name, value in match.groupdict().items() if value is not None}
            yield Token(kind, match.start(), match.end(), match.group(), said)
