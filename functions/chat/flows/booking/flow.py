"""One turn of booking: read, take in, gate, carry out what was confirmed, reply.

Danger and users under 14 never reach this flow: the router gives their messages to counselling.

A model words a question when there is something to explain: a first question without an error needs none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from functions.chat.flows.booking import targets, wording
from functions.chat.flows.booking.desk import Desk
from functions.chat.flows.booking.execution import HOOKS, Booked, carried_out
from functions.chat.flows.booking.extractor import PROMPTS, extracted
from functions.chat.flows.booking.wishes import NAME
from functions.chat.flows.booking.wording import Question
from shared.content.booking import BookingVoice
from shared.content.catalogue import Content
from shared.content.crisis_protocol import Voice
from shared.content.schemas.voice import Voiced
from shared.content.wordings import nth
from shared.contracts.events import Replace, Token
from shared.domain.booking import steps
from shared.domain.booking.appointment import booking_id_of
from shared.domain.booking.calendar import Calendar
from shared.domain.booking.events import BookingConfirmed, BookingExecuted, BookingRejected, BookingUpdated
from shared.domain.booking.readings import Answer, Reading, ReadRequest, RequestKind
from shared.domain.booking.slots import Problem, SlotName, Way
from shared.domain.booking.state import MOST_ASKS, BookingStage, BookingState
from shared.domain.booking.validation import Situation, problems
from shared.domain.counseling.session import Session
from shared.domain.errors import StoreError
from shared.domain.event import Event
from shared.domain.turn import Hook
from shared.engine.agent import Speaker
from shared.engine.flow import Outcome, Turn
from shared.engine.memory import dialogue
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.speech import speak
from shared.lexicon.booking.reader import Asked
from shared.locale import Locale
from shared.model import Model
from shared.ports.appointments import Appointments
from shared.prompts.catalogue import Prompt
from shared.safety.output_guard.situation import Situation as ReplySituation
from shared.services.booking import card_of, view_of
from shared.services.counseling.honesty import disclosure_due
from shared.services.output_guard import AGENT as GUARD
from shared.services.output_guard import reply_guard

_CALLS_OFF = (Answer.CANCEL, Answer.CANCEL_ALL)


@dataclass(frozen=True)
class Heard:
    """The outcome of a message.

    Attributes:
        state: The state before the gate.
        confirms: The ready request is to be carried out.
        unclear: The ready request was not answered.
        idle: The message asks for nothing, and nothing is in work.
    """

    state: BookingState
    confirms: bool = False
    unclear: bool = False
    idle: bool = False


AGENT = "booking_asker"


class AskerInput(Model):
    """Prompt variables.

    Attributes:
        parse_error: The user's message could not be understood.
        slot_errors: Why values were not taken, in the user's language.
        facts: Free times, days that may be meant.
        question: The fixed wording of the question.
        known: What is known so far.
    """

    speech_register: str
    parse_error: bool
    slot_errors: tuple[str, ...]
    facts: tuple[str, ...]
    question: str
    known: str


ASKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 1, AskerInput))
CARD = "booking_card"
"""Hook with the `BookingCard` of every turn."""
GATE = "booking_gate"
"""Agent name of the rule in the turn record."""


@dataclass
class _Course:
    """What the turn has done so far.

    Attributes:
        told: What the reply says before its question.
    """

    state: BookingState
    events: list[Event[Session]] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    hooks: list[Hook] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)


class BookingFlow:
    """The flow."""

    def __init__(self, content: Content, appointments: Appointments, calendar: Calendar, booked: Booked) -> None:
        self._content = content
        self._appointments = appointments
        self._calendar = calendar
        self._booked = booked

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        """Answer one message."""
        asked_if_human = self._content.lexicon.read(turn.text).asks_if_human
        notice, given = disclosure_due(turn.state, turn.now, self._content, asked=asked_if_human)
        state = turn.state.booking
        try:
            desk = await Desk.opened(self._appointments, self._calendar, state, turn.state.user_id, turn.now)
        except StoreError:
            return self._unreadable(turn)
        voice = self._voice(turn, desk)
        course = _Course(state, told=[notice] if notice else [], events=list(given))
        try:
            question = await self._advance(turn, course, desk, voice)
        except StoreError:
            return self._unreadable(turn)
        course.state = steps.offering(course.state, question.offered if question else ())
        reply = await self._reply(turn, course, question, voice)
        card = Hook(type=CARD, data=card_of(course.state, voice).model_dump(mode="json"))
        events = (*course.events, BookingUpdated(booking=course.state))
        return Outcome(reply=reply, events=events, hooks=(*course.hooks, card), flags=tuple(course.flags))

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        """Say that there is no answer, with the help lines; what was in work stays."""
        state = turn.state
        voice = Voice(locale=state.locale, register_=state.register_, minor=state.minor)
        reply = self._content.crisis_replies.unread_reply(voice, nth(0))
        turn.scope.emit(Replace(text=reply))
        return Outcome(reply=reply, flags=("degraded",))

    async def _advance(
        self, turn: Turn[Session], course: _Course, desk: Desk, voice: BookingVoice
    ) -> wording.Question | None:
        """Take the message in and carry out what is confirmed; return the question that is left.

        Raises:
            StoreError: The calendar cannot be read.
        """
        reading = self._read(turn.text, course.state, desk)
        if turn.state.answered_by not in ("", NAME) and not self._content.booking_reader.claims(turn.text):
            reading = behind_another_reply(course.state, reading)
        if course.state.wish is not None:
            course.state, reading = taking_up(
                course.state, reading, confirms=self._content.booking_reader.answers.confirms_it(turn.text)
            )
        if reading.shows:
            self._show(course, desk, voice)
        elif self._has_none(course, reading, desk):
            course.told.append(voice.say(voice.written.list_empty))
        else:
            await self._take_in(turn, course, reading, desk, voice)
        turn.scope.ledger.ruled(GATE, course.state.stage.value, "required slots")
        return await wording.question_of(course.state, voice, desk, reading)

    async def _take_in(
        self, turn: Turn[Session], course: _Course, reading: Reading, desk: Desk, voice: BookingVoice
    ) -> None:
        reading, failed = await self._with_model(turn, course.state, reading, desk, voice)
        agrees = self._content.answers.says_yes(turn.text, proposed=True)
        before = course.state
        found = heard(before, reading, turn.seq, desk, agrees=agrees)
        course.state = found.state.model_copy(update={"parse_error": failed})
        _tell_ended(course, before, voice)
        if wording.by_chat_now(before, course.state):
            course.told.append(voice.say(voice.written.by_chat_then))
        if found.confirms and self._still_possible(turn, course.state, desk):
            await self._carry_out(turn, course, desk, voice)
        elif found.idle:
            course.told.append(voice.say(self._said_idly(turn, course.state, reading, voice)))
            return
        await self._settle(course, found, desk, voice)

    def _said_idly(self, turn: Turn[Session], state: BookingState, reading: Reading, voice: BookingVoice) -> Voiced:
        """Return the text for a message that asks for nothing; thanks or a yes after a request are met warmly."""
        polite = reading.answer is Answer.CONFIRM or self._content.booking_reader.answers.thanks(turn.text)
        if not polite or not state.finished:
            return voice.written.idle
        return voice.written.looks_forward if state.executed else voice.written.welcome

    async def _with_model(
        self, turn: Turn[Session], state: BookingState, reading: Reading, desk: Desk, voice: BookingVoice
    ) -> tuple[Reading, bool]:
        if not self._needs_model(turn.text, state, reading):
            return reading, False
        found = await extracted(turn, state, desk, voice, lambda words: self._read(words, state, desk))
        if found is None:
            return reading, True
        first = reading.first
        both = first.model_copy(
            update={"slots": first.slots.over(found.slots), "errors": {**found.errors, **first.errors}}
        )
        return reading.model_copy(update={"requests": (both, *reading.requests[1:])}), False

    def _needs_model(self, text: str, state: BookingState, reading: Reading) -> bool:
        """Return whether the rules left words unread that may hold a value.

        A ready request needs none: an unclear answer keeps it ready. Plain answers need none, and neither does a
        message in which the rules read what was asked.
        """
        if state.stage is BookingStage.READY or reading.answer is not Answer.UNCLEAR:
            return False
        if reading.answers_without_a_value:
            return False
        if reading.kind is RequestKind.CANCEL or len(reading.requests) > 1:
            return False
        if state.stage is BookingStage.FILLING:
            return reading.empty
        first = reading.first
        whole = first.slots.date is not None and first.slots.time is not None
        return not whole and not first.errors and self._content.booking_reader.says_more(text)

    def _read(self, text: str, state: BookingState, desk: Desk) -> Reading:
        ready = state.request if state.stage is BookingStage.READY else None
        cancelling = ready is not None and ready.kind is RequestKind.CANCEL
        base = targets.to_move(state, desk)
        open_question = Asked(state.last_asked, state.days, state.face, cancelling, base.date if base else None)
        return self._content.booking_reader.read(text, desk.local_now, desk.open_at, open_question)

    @staticmethod
    def _has_none(course: _Course, reading: Reading, desk: Desk) -> bool:
        about_one = reading.kind in (RequestKind.CHANGE, RequestKind.CANCEL)
        return about_one and not desk.bookings and not course.state.stage.open

    @staticmethod
    def _show(course: _Course, desk: Desk, voice: BookingVoice) -> None:
        """List the bookings; a request in work stays, and its question is repeated."""
        course.told.append(voice.listed(desk.bookings))
        course.state = course.state.model_copy(update={"listed": tuple(one.booking_id for one in desk.bookings)})
        if course.state.stage is BookingStage.READY:
            course.told.append(voice.ready(course.state))

    @staticmethod
    def _still_possible(turn: Turn[Session], state: BookingState, desk: Desk) -> bool:
        """Return whether the time has not passed since the request was ready; a repeated turn has booked already."""
        request = state.request
        if request is None or desk.booking(booking_id_of(turn.state.conversation_id, request.request_id)):
            return True
        alone = Situation(desk.calendar, desk.now, desk.zone)
        return not problems(request, alone)

    async def _carry_out(self, turn: Turn[Session], course: _Course, desk: Desk, voice: BookingVoice) -> None:
        """Confirm and execute the ready request.

        If the store does not answer, the request fails: whether it was booked is not known, and the list shows it.
        """
        request = course.state.request
        if request is None:
            return
        course.state = steps.confirmed(course.state)
        course.events.append(BookingConfirmed(request_id=request.request_id))
        try:
            result = await carried_out(request, turn.state, desk, self._booked)
        except StoreError:
            course.told.append(voice.say(voice.written.not_saved))
            course.flags.append("degraded")
            course.state = steps.ended(course.state, BookingStage.FAILED)
            return
        if isinstance(result, Problem):
            self._refused(course, request.request_id, result, voice)
            return
        course.state = steps.executed(course.state, result.booking_id)
        course.events.append(BookingExecuted(request_id=request.request_id, booking_id=result.booking_id))
        course.told.append(voice.done(request))
        course.hooks.append(Hook(type=HOOKS[request.kind], data=view_of(result).model_dump(mode="json")))

    @staticmethod
    def _refused(course: _Course, request_id: str, problem: Problem, voice: BookingVoice) -> None:
        """Ask for another time, or say that there is nothing to change any more, or no room for another booking."""
        if problem in (Problem.NO_BOOKING, Problem.TOO_MANY):
            course.state = steps.ended(course.state, BookingStage.FAILED, problem=problem)
            course.told.append(voice.problem(problem))
            return
        course.state = steps.rejected(course.state, problem)
        course.events.append(BookingRejected(request_id=request_id, problem=problem))

    async def _settle(self, course: _Course, found: Heard, desk: Desk, voice: BookingVoice) -> None:
        desk = await desk.again() if found.confirms else desk
        while course.state.stage.open:
            before = course.state
            allowed = steps.turned_away(before, len(desk.bookings))
            course.state = steps.settled(allowed, await desk.situation(allowed.request))
            _tell_ended(course, before, voice)
            if len(course.state.finished) == len(before.finished):
                break
        if course.state.stage is not BookingStage.READY:
            return
        if course.state.paused:
            course.told.append(voice.say(voice.written.waits))
            return
        if found.unclear:
            course.told.append(voice.say(voice.written.still_open))
        course.told += [wording.notices(course.state, voice), voice.ready(course.state)]

    async def _reply(
        self, turn: Turn[Session], course: _Course, question: wording.Question | None, voice: BookingVoice
    ) -> str:
        told = " ".join(filter(None, course.told))
        if question is None:
            return ReplyPrefix(told, turn.scope.emit).before("")
        progress = voice.batch(course.state) if question.first else ""
        prefix = ReplyPrefix(" ".join(filter(None, (told, progress))), turn.scope.emit)
        if question.needs_words:
            text, flags = await asked(turn, question, prefix, self._content)
            course.flags += flags
            return prefix.before(text)
        prefix.emit(Token(text=question.fixed))
        return prefix.before(question.fixed)

    def _unreadable(self, turn: Turn[Session]) -> Outcome[Session]:
        reply = self._content.booking_replies.not_readable.at(turn.state.locale, turn.state.register_)
        turn.scope.emit(Replace(text=reply))
        return Outcome(reply=reply, flags=("degraded",))

    def _voice(self, turn: Turn[Session], desk: Desk) -> BookingVoice:
        state = turn.state
        today = desk.local_now.date()
        replies = self._content.booking_replies
        return BookingVoice(replies, self._calendar, state.locale, state.register_, today, desk.zone)


def _tell_ended(course: _Course, before: BookingState, voice: BookingVoice) -> None:
    known = before.finished if len(course.state.finished) >= len(before.finished) else ()
    ended: Sequence[str] = [wording.ended_words(one, voice) for one in course.state.finished[len(known) :]]
    course.told += dict.fromkeys(ended)
    if ended and course.state.stage is BookingStage.CANCELLED:
        course.told.append(wording.what_stays(course.state, voice))


def heard(state: BookingState, reading: Reading, seq: int, desk: Desk, *, agrees: bool) -> Heard:
    """Take a message in.

    Args:
        state: The state before it.
        reading: What the rules, or the extractor, read.
        seq: The turn, for the ids of new requests.
        desk: The calendar.
        agrees: The message begins with a yes, whatever else it says.
    """
    if not state.stage.open:
        return _begun(state, reading, seq, desk)
    if reading.reminded and reading.kind is None:
        return Heard(state)
    if reading.kind is RequestKind.CANCEL and state.request and state.request.kind is not RequestKind.CANCEL:
        return Heard(_cancelling(state, reading, seq, desk))
    if reading.answer in _CALLS_OFF and reading.first.empty:
        if reading.answer is Answer.CANCEL_ALL:
            return Heard(steps.all_cancelled(state))
        return Heard(steps.ended(state, BookingStage.CANCELLED))
    if state.stage is BookingStage.READY:
        return _ready(state, reading, agrees=agrees)
    return Heard(_filling(state, reading, seq, desk))


def behind_another_reply(state: BookingState, reading: Reading) -> Reading:
    """Return a reading in which a bare yes or no decides no booking: another service has just spoken.

    A wish that was offered again is answered.
    """
    return reading if state.wish is not None else reading.model_copy(update={"answer": Answer.UNCLEAR})


def taking_up(state: BookingState, reading: Reading, *, confirms: bool) -> tuple[BookingState, Reading]:
    """Return the state without its wish, and what the wish says if the message says nothing of its own.

    `confirms`: the message names the confirmation, which a yes to another service does not.
    """
    wish, own = state.wish, not reading.empty or reading.shows or reading.answer in _CALLS_OFF or confirms
    state = state.model_copy(update={"wish": None, "paused": False})
    if wish is None or own or reading.kind in (RequestKind.CHANGE, RequestKind.CANCEL):
        return state, reading
    return state, Reading(requests=wish.requests, kind=wish.kind, reminded=True)


def _begun(state: BookingState, reading: Reading, seq: int, desk: Desk) -> Heard:
    kind = reading.kind
    if reading.changes_it and kind in (None, RequestKind.BOOK) and desk.booking(state.executed):
        kind = RequestKind.CHANGE
    looks = reading.asks_free or (reading.not_known and state.stage is BookingStage.INIT)
    kind = kind or (None if reading.empty and not looks else RequestKind.BOOK)
    if kind is None:
        return Heard(state, idle=True)
    if kind is not RequestKind.BOOK:
        return Heard(targets.begun(state, reading, kind, seq, desk))
    first, *_ = reading.requests
    begun = steps.begun(state, steps.new_requests(kind, reading.requests, seq))
    return Heard(steps.filled(begun, first))


def _ready(state: BookingState, reading: Reading, *, agrees: bool) -> Heard:
    if reading.first.empty and reading.shift is None:
        if reading.answer is Answer.CONFIRM:
            return Heard(state, confirms=True)
        return Heard(steps.unclear(state), unclear=True)
    changed = steps.shifted(steps.filled(state, reading.first), reading.shift)
    same = state.request is not None and changed.request is not None and changed.request.whole == state.request.whole
    if same and agrees and not reading.first.errors:
        return Heard(state, confirms=True)
    return Heard(changed)


def _filling(state: BookingState, reading: Reading, seq: int, desk: Desk) -> BookingState:
    if reading.declines:
        return steps.declined(state)
    if state.last_asked is SlotName.TARGET:
        return targets.aimed(state, reading, desk)
    if _agrees_to_chat(state, reading):
        return steps.filled(state, ReadRequest(slots=reading.first.slots.model_copy(update={"way": Way.CHAT})))
    first, *others = reading.requests
    filled = steps.shifted(steps.filled(state, steps.chosen(state, first, reading.number)), reading.shift)
    more = steps.new_requests(RequestKind.BOOK, others, seq, first=1)
    return steps.queued(filled, more)


def _cancelling(state: BookingState, reading: Reading, seq: int, desk: Desk) -> BookingState:
    """Return the state after a word to cancel in another request: it cancels the booking that it names, or the request.

    All that is to be cancelled includes what is in work.
    """
    day = reading.first.slots.date
    named = day is not None and any(one.slots(desk.zone).date == day for one in desk.bookings)
    if named or reading.number is not None:
        return targets.begun(state, reading, RequestKind.CANCEL, seq, desk)
    return steps.all_cancelled(state) if reading.all else steps.ended(state, BookingStage.CANCELLED)


def _agrees_to_chat(state: BookingState, reading: Reading) -> bool:
    offered = state.last_asked is SlotName.PHONE_NUMBER and state.asked.get(SlotName.PHONE_NUMBER, 0) >= MOST_ASKS
    return offered and reading.answer is Answer.CONFIRM


async def asked(
    turn: Turn[Session], question: Question, prefix: ReplyPrefix, content: Content
) -> tuple[str, list[str]]:
    """Stream a question; return it with the flags of the turn.

    A model that fails, asks nothing or something else, or says that the booking is made is replaced by the fixed text.
    """
    state = turn.state
    given = AskerInput(
        speech_register=state.register_.value if state.locale is Locale.KO else "",
        parse_error=question.parse_error,
        slot_errors=question.errors,
        facts=question.facts,
        question=question.text,
        known=question.known,
    )
    scope = replace(turn.scope, emit=prefix.emit)
    guard = reply_guard(
        turn, state, content.safe_endings, content.guard_rules, ReplySituation(noticed=bool(prefix.text))
    )
    spoken = await speak(turn.runner, ASKER, given, dialogue(state, turn.text), scope, guard)
    if spoken is not None and spoken.guarded.category is None and _asks_only(spoken.text, question, content):
        return spoken.text, ["shortened"] if spoken.shortened else []
    flags = ["degraded"] if spoken is None else []
    if spoken is not None and spoken.guarded.category is not None:
        turn.scope.ledger.ruled(GUARD, spoken.guarded.category.value, spoken.guarded.rule)
        flags.append("guarded")
    prefix.emit(Replace(text=question.fixed))
    return question.fixed, flags


def _asks_only(text: str, question: Question, content: Content) -> bool:
    answers = content.booking_reader.answers
    return answers.asks_alike(question.text, text) and not answers.claims_done(text)
