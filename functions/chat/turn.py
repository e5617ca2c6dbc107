"""One turn, told top to bottom: danger → plain answer → read → trust → danger → route → apply → decide → speak.

The model reads, the code decides, the model speaks (docs/decisions/0057): nobody reads the user's text after `trust`,
and nobody rewrites the reply after `speak`. The engine received and claimed the message, and commits the outcome.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from functions.chat.applying import Moment, Plain, apply, apply_beside
from functions.chat.danger.kept_plan import NoSafetyPlans, SafetyPlans
from functions.chat.danger.rooms import Danger
from functions.chat.deciding import Decision, decide
from functions.chat.early_reply import EarlyReply, begins_at_once, decides, first_look
from functions.chat.findings import Findings, FixedReply, after
from functions.chat.flows.counseling.farewell import after_the_end, farewell
from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import FLOW
from functions.chat.reading import (
    AGENT,
    CHOICE,
    NOTHING_HEARD,
    NOTHING_READ,
    READER,
    Heard,
    ReaderInput,
    Reading,
    asked_last,
    ledger_entries,
    reader_input,
    trust,
    unquoted,
    without_orders,
)
from functions.chat.services import Services
from functions.chat.speaking import Prepared, Said, complete, prepare, speak
from shared.content.catalogue import Content
from shared.content.conditions import Effect
from shared.contracts.events import Replace, Token
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.task import CompletionRule
from shared.domain.counseling.task_events import SlotAsked
from shared.domain.errors import ModelBlocked, ModelEmpty
from shared.engine.flow import Manifest, Outcome, Turn
from shared.engine.hooks import Hooks
from shared.engine.reply_prefix import BETWEEN, ReplyPrefix
from shared.safety.levels import RiskLevel
from shared.services.counseling.honesty import disclosure_due

BOOKING = "booking"
SHORT = 6
"""Letters of a message, without spaces and marks, up to which it says little."""

AgeHeard = Callable[[Session], Awaitable[None]]
"""Called before the commit of a turn in which the user stated or corrected an age under 14."""


async def ignore_age(_state: Session) -> None:
    """Do nothing."""


class _Course:
    """The session after the rooms so far, and all their findings."""

    def __init__(self, turn: Turn[Session], content: Content, plans: SafetyPlans) -> None:
        self.turn = turn
        self.danger = Danger(turn, content, plans)
        self.session = turn.state
        self.found = Findings()
        self.risk = RiskLevel.NONE
        self.unread = False
        self.plain: Plain | None = None
        self.heard = NOTHING_HEARD

    def add(self, found: Findings) -> None:
        self.session = after(self.session, found.events, self.turn.now)
        self.found += found

    def moment(self, *, unread: bool = False) -> Moment:
        turn = self.turn
        return Moment(
            before=turn.state,
            seq=turn.seq,
            now=turn.now,
            answers=turn.answers,
            plain=self.plain,
            declines=turn.declines,
            short=len([one for one in turn.text if one.isalnum()]) <= SHORT,
            unread=unread,
            refused=isinstance(turn.scope.ledger.errors.get(AGENT), ModelBlocked | ModelEmpty),
            risk=self.risk,
            evades=self.danger.evades(self.found),
            may_need_help=self.danger.asked_if_urgent,
        )


class ChatTurn:
    """The rooms of a turn in order: the counselling, and the way to the services beside it.

    Args:
        content: All content.
        others: The services beside the counselling.
        age_heard: Called when the user states or corrects an age under 14.
        plans: The kept safety plans; None keeps none.
        early: The Counselor may begin before the reading is in.
    """

    def __init__(
        self,
        content: Content,
        others: Sequence[Manifest[Session]] = (),
        age_heard: AgeHeard = ignore_age,
        plans: SafetyPlans | None = None,
        *,
        early: bool = True,
    ) -> None:
        self._content = content
        self._services = Services(counseling(self), others, content)
        self._age_heard = age_heard
        self._plans: SafetyPlans = plans or NoSafetyPlans()
        self._early = early

    @property
    def hooks(self) -> Hooks[Session]:
        """What runs after the commit, of all services."""
        return self._services.hooks

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        """Run one turn; all its rooms see the same snapshot."""
        course = _Course(turn, self._content, self._plans)
        outcome = await self._run(turn, course)
        if course.session.under_14 is not turn.state.under_14:
            await self._age_heard(course.session)
        return self._services.keep_wish(turn, outcome, course.heard) if outcome.flow == FLOW else outcome

    async def _run(self, turn: Turn[Session], course: _Course) -> Outcome[Session]:
        danger = course.danger
        course.add(danger.by_rule())
        if course.session.under_14:  # No model reads the message: a weak sign is asked about.
            course.add(danger.unread(course.session))
        if answered := await danger.protocol(course.session, course.found):
            return self._fixed(course, answered)
        if course.session.ended:
            return self._farewell(course)
        course.plain = self._plain_answer(course)
        if course.plain is None:
            fixed = await danger.without_a_model(course.session, course.found)
            if isinstance(fixed, FixedReply):
                return self._fixed(course, fixed)
            course.add(fixed)
        early = EarlyReply(turn)
        try:
            heard = course.heard = NOTHING_HEARD if course.plain else await self._read(course, early)
            if answered := await danger.protocol(course.session, course.found):
                await early.take_back()
                return self._fixed(course, answered)
            service, reason = self._route(course, heard)
            turn.scope.ledger.ruled("intent", service.name if service else FLOW, reason)
            if service is not None:
                await early.take_back()
                return await self._elsewhere(course, heard, service)
            return await self._answer(course, heard, early)
        finally:
            await early.stop()

    # Room 11: route

    def _route(self, course: _Course, heard: Heard) -> tuple[Manifest[Session] | None, str]:
        in_danger = course.danger.keeps() or course.danger.concerned(course.found)
        return self._services.choose(course.turn, heard, in_danger=in_danger)

    async def _elsewhere(self, course: _Course, heard: Heard, service: Manifest[Session]) -> Outcome[Session]:
        """Let another service answer; behind the help lines if no model could read the message."""
        turn = course.turn
        course.add(apply_beside(course.moment(unread=course.unread), heard, course.session, course.found))
        lines = course.danger.unread_lines(course.session) if course.unread else ""
        prefix = ReplyPrefix(lines, turn.scope.emit)
        scope = replace(turn.scope, emit=prefix.emit)
        outcome = await self._services.run(replace(turn, scope=scope), service)
        found = course.found
        return replace(
            outcome,
            reply=prefix.before(outcome.reply),
            events=(*found.events, *outcome.events),
            records=(*found.records, *outcome.records),
            audit=(*found.audit, *outcome.audit),
            hooks=(*found.hooks, *outcome.hooks),
            flags=(*found.flags, *outcome.flags),
            fixed=(*filter(None, (lines,)), *outcome.fixed),
        )

    # Room 6: plain answer

    def _plain_answer(self, course: _Course) -> Plain | None:
        """Return the plain answer to a question that code worded; outside a risk no model is asked then."""
        turn, asked = course.turn, set(asked_last(course.turn.state))
        if not turn.answers or not asked & {WrapUpAim.WRAP_UP.value, WrapUpAim.END.value, CHOICE, BOOKING}:
            return None
        leaves = WrapUpAim.END.value in asked and course.danger.agrees_to_leave(course.session)
        kind = Plain.YES.value if leaves else self._content.plain_words.kind(turn.text)
        if kind is None or course.danger.may_be or course.session.risk.last_seq == turn.seq:
            return None
        turn.scope.ledger.ruled("plain_answer", kind, "a whole message of plain words, after a question of code")
        return Plain(kind)

    # Rooms 7 and 8: read and trust

    async def _read(self, course: _Course, early: EarlyReply) -> Heard:
        """Ask the reader, and let what counts of its answer into the course; the Counselor may begin meanwhile."""
        turn, content = course.turn, self._content
        given = reader_input(turn.state, turn.text, content.modules(turn.state.locale), booking_offered=True)
        looked: asyncio.Future[Reading] = asyncio.get_running_loop().create_future()

        def arrived(text: str) -> None:
            if not looked.done() and (look := first_look(text)) is not None:
                looked.set_result(look)

        calm = course.session.risk.level is RiskLevel.NONE and not course.danger.may_be
        task = course.session.task_in_progress
        steps = task is not None and task.completion_rule is CompletionRule.STEPS  # of a safety plan, taken after this
        begins = self._early and calm and not steps and self._route(course, NOTHING_HEARD)[0] is None
        asking = asyncio.ensure_future(turn.runner.ask(READER, given, turn.scope, unquoted(given), arrived))
        try:
            if begins and begins_at_once(turn.state) and (guess := self._expected(course, NOTHING_HEARD)):
                await early.begin(guess)
            if begins:
                await asyncio.wait((looked, asking), return_when=asyncio.FIRST_COMPLETED)
            look = looked.result() if begins and looked.done() else None
            expected = self._expected(course, self._trusted(look, given)) if look and not look.danger else None
            if look and expected:
                await early.begin(expected)
                if decides(look, given, expected):
                    early.show()
            reading = await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        nothing = reading.model_copy(update={"danger": ()}) == NOTHING_READ
        course.unread = turn.scope.ledger.failed(AGENT) and nothing  # One whose quotes alone were wrong was read.
        if course.unread and turn.answers and content.plain_words.kind(turn.text) == Plain.STOP:
            course.plain = Plain.STOP  # Who wants to leave is asked whether to end, also where no model can read it.
        heard = NOTHING_HEARD if reading == NOTHING_READ else self._trusted(reading, given)
        for agent, output in ledger_entries(heard).items():
            turn.scope.ledger.ruled(agent, dict(output), "as the reader heard it")
        if course.unread:
            course.add(course.danger.unread(course.session))
        found, course.risk = course.danger.by_reader(course.session, heard)
        course.add(found)
        return heard

    def _trusted(self, reading: Reading, given: ReaderInput) -> Heard:
        return without_orders(trust(reading, given), self._content.text_rules.instructive)

    def _expected(self, course: _Course, heard: Heard) -> Prepared | None:
        """Return the reply that a guess or a first look leads to, none at the end; the course does not change."""
        moment, content = course.moment(), self._content
        if self._route(course, heard)[0] is not None:
            return None
        applied = apply(moment, heard, course.session, course.found, content)
        session = after(course.session, applied.events, course.turn.now)
        if session.ended:
            return None
        decision = decide(moment, heard, session, course.found + applied, content)
        found = course.found + applied + decision.found
        return prepare(course.turn, course.danger, heard, decision, found, content)

    # Rooms 10, 12 and 13: apply, decide, speak

    async def _answer(self, course: _Course, heard: Heard, early: EarlyReply) -> Outcome[Session]:
        turn, danger, content = course.turn, course.danger, self._content
        moment = course.moment(unread=course.unread)
        course.add(apply(moment, heard, course.session, course.found, content))
        if course.session.ended:
            await early.take_back()
            return self._farewell(course)
        if danger.concerned(course.found):
            await early.take_back()  # A danger that came after the first look is asked about by a reply of its own.
        if fixed := await self._safety_answer(course, heard):
            await early.take_back()
            return self._fixed(course, fixed)
        decision = decide(moment, heard, course.session, course.found, content)
        course.add(decision.found)
        prepared = prepare(turn, danger, heard, decision, course.found, content)
        begun = await early.settle(prepared)
        if begun is not None:
            prepared, prefix, words = begun
            spoken = (prefix, words)
        else:
            spoken = await speak(turn, prepared)
        said = complete(turn, danger, prepared, spoken, course.found, content, unread=course.unread)
        course.add(said.found)
        return self._outcome(course, said, prepared.decision)

    async def _safety_answer(self, course: _Course, heard: Heard) -> FixedReply | None:
        """Return the fixed reply for a child, or that a wish to leave, a denial or a finished safety plan calls for."""
        danger, session = course.danger, course.session
        if session.under_14:  # who gave a plain answer to the question whether to end; no model is asked
            return danger.without_any_model(session, course.found)
        if session.risk.follow_through and Effect.ASK_END in heard.effects and not danger.concerned(course.found):
            return danger.ask_whether_to_leave(session)
        course.add(danger.plan_step(session, course.found))
        believed = await danger.believed(course.session, course.found)
        if isinstance(believed, FixedReply):
            return believed
        course.add(believed)
        finished = danger.finished_plan(course.session, course.found)
        if isinstance(finished, FixedReply):
            return finished
        course.add(finished)
        return None

    # What the turn ends with

    def _outcome(self, course: _Course, said: Said, decision: Decision | None = None) -> Outcome[Session]:
        course.add(course.danger.said(said.text, course.session))
        found = course.found
        return Outcome(
            reply=said.text,
            events=found.events,
            records=found.records,
            audit=found.audit,
            hooks=found.hooks,
            flags=found.flags,
            fixed=said.fixed,
            directive=None if decision is None else decision.directive.for_record(),
            flow=FLOW,
        )

    def _fixed(self, course: _Course, reply: FixedReply) -> Outcome[Session]:
        """Emit a fixed reply, followed by an AI notice if one is due; it asks for no slot unless it says so."""
        turn = course.turn
        course.add(reply.found)
        if not reply.found.of(SlotAsked):
            course.add(Findings(events=(SlotAsked(slot=None, seq=turn.seq),)))
        turn.scope.ledger.ruled("counselor", None, reply.reason)
        turn.scope.emit(Token(text=reply.text))
        asked = course.danger.asks_what_it_is
        notice, given = disclosure_due(course.session, turn.now, self._content, asked=asked)
        course.add(Findings(events=given))
        text = reply.text
        if notice:
            turn.scope.emit(Token(text=BETWEEN + notice))
            text += BETWEEN + notice
        return self._outcome(course, Said(text, Findings(), (text,)))

    def _farewell(self, course: _Course) -> Outcome[Session]:
        turn, content = course.turn, self._content
        over = turn.state.ended
        if not over:
            course.add(course.danger.left(course.session))
        words = after_the_end(content, course.session) if over else farewell(content, course.session)
        turn.scope.ledger.ruled("counselor", None, "the session has ended" if over else "the user ended the session")
        turn.scope.emit(Token(text=words))
        return self._outcome(course, Said(words, Findings(), (words,)))

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        """Answer a turn that failed; the crisis rules still apply."""
        content = self._content
        course = _Course(turn, content, self._plans)
        danger = course.danger
        course.add(danger.by_rule())
        if (service := self._services.holder(turn.state)) and not (danger.keeps() or danger.concerned(course.found)):
            return replace(service.flow.apologize(turn), flow=service.name)
        course.add(danger.unread(course.session))
        if fixed := danger.without_any_model(course.session, course.found):
            return self._fixed(course, fixed)
        notice, given = disclosure_due(course.session, turn.now, content, asked=danger.asks_what_it_is)
        course.add(Findings(events=given))
        reply = danger.fallback(course.session, course.found) or danger.unread_reply(course.session)
        course.add(reply.found)
        text = BETWEEN.join(filter(None, (notice, reply.text)))
        turn.scope.emit(Replace(text=text))
        return self._outcome(course, Said(text, Findings(), (text,)))
