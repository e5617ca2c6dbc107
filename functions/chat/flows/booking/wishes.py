"""Wishes for a booking that came beside something else, and short messages that go on with a booking just made."""

from dataclasses import dataclass

from functions.chat.flows.booking.desk import zone_of
from shared.content.catalogue import Content
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.readings import Answer, Reading, RequestKind, Wish
from shared.domain.booking.slots import Problem
from shared.domain.booking.state import BookingStage
from shared.domain.counseling.session import Session
from shared.engine.flow import Turn

NAME = "booking"
_COUNSELLING = "counseling"
_LONGEST_CHANGE = 60
"""Characters of a message that only changes a booking."""


@dataclass(frozen=True)
class Wishes:
    """Reads them by rule."""

    content: Content
    calendar: Calendar

    def beside(self, turn: Turn[Session]) -> Wish | None:
        """Return what a message that another service answers wishes for; a request in work is to go on later."""
        state, reader = turn.state, self.content.booking_reader
        if reader.claims(turn.text) or reader.answers.wishes_beside(turn.text):
            read = self._read(turn)
            if not read.shows:
                return Wish(kind=read.kind or RequestKind.BOOK, requests=read.requests, seq=turn.seq)
        interrupted = state.booking.mid_flow and state.answered_by == NAME
        return Wish(seq=turn.seq) if interrupted else None

    def tells_something_else(self, turn: Turn[Session]) -> bool:
        """Return whether a message to a ready request tells or asks something that has nothing to do with it.

        It is heard, and the request waits.
        """
        state, text = turn.state, turn.text
        ready = state.booking.stage is BookingStage.READY and state.booking.mid_flow and state.answered_by == NAME
        if not ready or self.content.booking_reader.answers.concerns_answer(text):
            return False
        read, words = self._read(turn), self.content.lexicon.read(text)
        # A day that has passed ("어제") belongs to what is told.
        valued = any(set(one.errors.values()) - {Problem.PAST} or not one.slots.empty for one in read.requests)
        answers = valued or read.answer is not Answer.UNCLEAR or read.number is not None or read.shift is not None
        asks = read.kind is not None or read.shows or read.changes_it or read.asks_free
        return not answers and not asks and bool(words.content_words) and not words.says_little

    def goes_on(self, turn: Turn[Session]) -> bool:
        """Return whether a message takes up the wish that the last reply offered, or goes on with what was just booked.

        Plain values go on with what booking said last, and in a conversation that was opened for it with its greeting;
        there thanks do, too.
        """
        state, answers = turn.state, self.content.booking_reader.answers
        wish = state.booking.wish
        if wish and wish.asked and wish.offered_seq == state.seq:
            return answers.answer(turn.text) is Answer.CONFIRM
        if self._returns(turn):
            return True
        spoke = state.answered_by == NAME or (state.flow == NAME and not state.answered_by)
        if spoke and self._answers_booking(turn):
            return True
        if self._requests(turn, spoke=spoke):
            return True
        if state.booking.executed is None or state.answered_by != NAME or len(turn.text) > _LONGEST_CHANGE:
            return False
        bare = self.content.booking_reader.only_asks(turn.text)
        return answers.changes_it(turn.text) and (bare or not self._read(turn).empty)

    def _returns(self, turn: Turn[Session]) -> bool:
        """Return whether a plain answer or values go back to a request that a question to a small service interrupted.

        What the counsellor has asked is not taken from it.
        """
        state = turn.state
        if state.flow != NAME or not state.booking.mid_flow or state.answered_by in ("", NAME, _COUNSELLING):
            return False
        read = self._read(turn)
        return read.answer is not Answer.UNCLEAR or (
            not read.empty and self.content.booking_reader.only_values(turn.text)
        )

    def _requests(self, turn: Turn[Session], *, spoke: bool) -> bool:
        """Return whether a message requests something of booking, without a word that names it.

        That is understood where booking has just spoken. In a conversation that was opened for booking, a whole time is
        understood after another service's reply, too.
        """
        read, reader, opened = self._read(turn), self.content.booking_reader, turn.state.flow == NAME
        asks = reader.only_asks(turn.text) and bool(read.kind or read.changes_it or not read.empty)
        if spoke:
            held = opened or turn.state.booking.executed is not None
            return held and (asks or (opened and read.shows))
        slots = read.first.slots
        whole = slots.date is not None and slots.time is not None
        return opened and whole and (asks or reader.only_values(turn.text))

    def drops(self, turn: Turn[Session]) -> bool:
        """Return whether a message declines the wish that was offered."""
        answer = self.content.booking_reader.answers.answer(turn.text)
        return answer in (Answer.CANCEL, Answer.CANCEL_ALL)

    def _answers_booking(self, turn: Turn[Session]) -> bool:
        """Return whether a message says nothing but what a booking is made of, or thanks."""
        read, reader = self._read(turn), self.content.booking_reader
        if not read.empty:
            return reader.only_values(turn.text)
        if turn.state.flow != NAME:
            return False
        thanks = read.answer is Answer.CONFIRM or reader.answers.thanks(turn.text)
        polite = thanks and bool(turn.state.booking.finished)
        return polite or ((read.asks_free or read.not_known) and not reader.says_more(turn.text))

    def _read(self, turn: Turn[Session]) -> Reading:
        now = turn.now.astimezone(zone_of(turn.state.booking.zone, self.calendar))
        return self.content.booking_reader.read(turn.text, now, self.calendar.open_at)
