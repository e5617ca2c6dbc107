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
from functions.chat.early_reply import LOOK_ENDS, LOOKS, SIGNS_END, EarlyReply, begins_at_once, decides, look_before
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


class _TurnSoFar:
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
        so_far = _TurnSoFar(turn, self._content, self._plans)
        outcome = await self._run(turn, so_far)
        if so_far.session.under_14 is not turn.state.under_14:
            await self._age_heard(so_far.session)
        return self._services.keep_wish(turn, outcome, so_far.heard) if outcome.flow == FLOW else outcome

    async def _run(self, turn: Turn[Session], so_far: _TurnSoFar) -> Outcome[Session]:
        danger = so_far.danger
        so_far.add(danger.by_rule())
        if so_far.session.under_14:  # No model reads the message: a weak sign is asked about.
            so_far.add(danger.unread(so_far.session))
        if answered := await danger.protocol(so_far.session, so_far.found):
            return self._fixed(so_far, answered)
        if so_far.session.ended:
            return self._farewell(so_far)
        so_far.plain = self._plain_answer(so_far)
        if so_far.plain is None:
            fixed = await danger.without_a_model(so_far.session, so_far.found)
            if isinstance(fixed, FixedReply):
                return self._fixed(so_far, fixed)
            so_far.add(fixed)
        early = EarlyReply(turn)
        try:
            heard = so_far.heard = self._plainly(so_far) if so_far.plain else await self._read(so_far, early)
            if answered := await danger.protocol(so_far.session, so_far.found):
                await early.take_back()
                return self._fixed(so_far, answered)
            service, reason = self._route(so_far, heard)
            turn.scope.ledger.ruled("intent", service.name if service else FLOW, reason)
            if service is not None:
                await early.take_back()
                return await self._elsewhere(so_far, heard, service)
            return await self._answer(so_far, heard, early)
        finally:
            await early.stop()

    # Room 11: route

    def _route(self, so_far: _TurnSoFar, heard: Heard) -> tuple[Manifest[Session] | None, str]:
        in_danger = so_far.danger.keeps() or so_far.danger.concerned(so_far.found)
        return self._services.choose(so_far.turn, heard, in_danger=in_danger, plain=so_far.plain is not None)

    async def _elsewhere(self, so_far: _TurnSoFar, heard: Heard, service: Manifest[Session]) -> Outcome[Session]:
        """Let another service answer; behind the help lines if no model could read the message."""
        turn = so_far.turn
        so_far.add(apply_beside(so_far.moment(unread=so_far.unread), heard, so_far.session, so_far.found))
        lines = so_far.danger.unread_lines(so_far.session) if so_far.unread else ""
        prefix = ReplyPrefix(lines, turn.scope.emit)
        scope, stops = replace(turn.scope, emit=prefix.emit), so_far.session.stop_wished_seq is not None
        outcome = await self._services.run(replace(turn, scope=scope), service, stops=stops)
        found = so_far.found
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

    def _plain_answer(self, so_far: _TurnSoFar) -> Plain | None:
        """Return the plain answer to a question that code worded; outside a risk no model is asked then."""
        turn, asked = so_far.turn, set(asked_last(so_far.turn.state))
        if not turn.answers or not asked:
            return None
        leaves = WrapUpAim.END.value in asked and so_far.danger.agrees_to_leave(so_far.session)
        kind = Plain.YES.value if leaves else self._content.plain_words.kind(turn.text)
        offers = asked & {WrapUpAim.WRAP_UP.value, WrapUpAim.END.value, CHOICE, BOOKING}
        skips = kind == Plain.SKIP and turn.state.last_asked is not None
        answers = skips or (offers and kind not in (Plain.SKIP, Plain.AI))
        if kind is None or not answers or so_far.danger.may_be or so_far.session.risk.last_seq == turn.seq:
            return None
        turn.scope.ledger.ruled("plain_answer", kind, "a whole message of plain words, after a question of code")
        return Plain(kind)

    def _plainly(self, so_far: _TurnSoFar) -> Heard:
        """Return what a plain answer says without a reading: who skips what was asked declines it."""
        skips = so_far.plain is Plain.SKIP
        return replace(NOTHING_HEARD, signs={"declines": so_far.turn.text}) if skips else NOTHING_HEARD

    def _asks_ai(self, so_far: _TurnSoFar, heard: Heard) -> bool:
        """Return whether the user asks if a person speaks: as the reader heard it, or in plain words."""
        return Effect.SAY_AI in heard.effects or self._content.plain_words.kind(so_far.turn.text) == Plain.AI

    # Rooms 7 and 8: read and trust

    async def _read(self, so_far: _TurnSoFar, early: EarlyReply) -> Heard:
        """Ask the reader, and let what counts of its answer into the turn so far; the Counselor may begin meanwhile."""
        turn, content = so_far.turn, self._content
        given = reader_input(turn.state, turn.text, content.modules(turn.state.locale), booking_offered=True)
        looks = {ends: asyncio.get_running_loop().create_future() for ends in LOOKS}

        def arrived(text: str) -> None:
            for ends, looked in looks.items():
                if not looked.done() and (look := look_before(ends, text)) is not None:
                    looked.set_result(look)

        calm = so_far.session.risk.level is RiskLevel.NONE and not so_far.danger.may_be
        task = so_far.session.task_in_progress
        steps = task is not None and task.completion_rule is CompletionRule.STEPS  # of a safety plan, taken after this
        tries = self._early and calm and not steps and self._route(so_far, NOTHING_HEARD)[0] is None
        asking = asyncio.ensure_future(turn.runner.ask(READER, given, turn.scope, unquoted(given), arrived))
        try:
            if tries and begins_at_once(turn.state) and (guess := self._expected(so_far, NOTHING_HEARD)):
                await early.begin(guess)
            for ends, looked in looks.items() if tries else ():
                await asyncio.wait((looked, asking), return_when=asyncio.FIRST_COMPLETED)
                look = looked.result() if looked.done() else None
                if look is None or look.danger or (look.signs and ends == SIGNS_END):
                    continue
                if expected := self._expected(so_far, self._trusted(look, given)):
                    await early.begin(expected)
                    if ends == LOOK_ENDS and decides(look, given, expected):
                        early.show()
            reading = await asking
        finally:
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        nothing = reading.model_copy(update={"danger": ()}) == NOTHING_READ
        so_far.unread = turn.scope.ledger.failed(AGENT) and nothing  # One whose quotes alone were wrong was read.
        if so_far.unread and turn.answers and content.plain_words.kind(turn.text) == Plain.STOP:
            so_far.plain = Plain.STOP  # Who wants to leave is asked whether to end, also where no model can read it.
        heard = NOTHING_HEARD if reading == NOTHING_READ else self._trusted(reading, given)
        for agent, output in ledger_entries(heard).items():
            turn.scope.ledger.ruled(agent, dict(output), "as the reader heard it")
        if so_far.unread:
            so_far.add(so_far.danger.unread(so_far.session))
        found, so_far.risk = so_far.danger.by_reader(so_far.session, heard)
        so_far.add(found)
        return heard

    def _trusted(self, reading: Reading, given: ReaderInput) -> Heard:
        return without_orders(trust(reading, given), self._content.text_rules.instructive)

    def _expected(self, so_far: _TurnSoFar, heard: Heard) -> Prepared | None:
        """Return the reply that a guess or a first look leads to, none at the end; the turn so far does not change."""
        moment, content = so_far.moment(), self._content
        if self._route(so_far, heard)[0] is not None:
            return None
        applied = apply(moment, heard, so_far.session, so_far.found, content)
        session = after(so_far.session, applied.events, so_far.turn.now)
        if session.ended:
            return None
        decision = decide(moment, heard, session, so_far.found + applied, content)
        found = so_far.found + applied + decision.found
        asks_ai = self._asks_ai(so_far, heard)
        return prepare(so_far.turn, so_far.danger, decision, found, content, asks_ai=asks_ai)

    # Rooms 10, 12 and 13: apply, decide, speak

    async def _answer(self, so_far: _TurnSoFar, heard: Heard, early: EarlyReply) -> Outcome[Session]:
        turn, danger, content = so_far.turn, so_far.danger, self._content
        moment = so_far.moment(unread=so_far.unread)
        so_far.add(apply(moment, heard, so_far.session, so_far.found, content))
        if so_far.session.ended:
            await early.take_back()
            return self._farewell(so_far)
        if danger.concerned(so_far.found):
            await early.take_back()  # A danger that came after the first look is asked about by a reply of its own.
        if fixed := await self._safety_answer(so_far, heard):
            await early.take_back()
            return self._fixed(so_far, fixed)
        decision = decide(moment, heard, so_far.session, so_far.found, content)
        so_far.add(decision.found)
        asks_ai = self._asks_ai(so_far, heard)
        prepared = prepare(turn, danger, decision, so_far.found, content, asks_ai=asks_ai)
        begun = await early.settle(prepared)
        if begun is not None:
            prepared, prefix, words = begun
            spoken = (prefix, words)
        else:
            spoken = await speak(turn, prepared)
        said = complete(turn, danger, prepared, spoken, so_far.found, content, unread=so_far.unread)
        so_far.add(said.found)
        return self._outcome(so_far, said, prepared.decision)

    async def _safety_answer(self, so_far: _TurnSoFar, heard: Heard) -> FixedReply | None:
        """Return the fixed reply for a child, or that a wish to leave, a denial or a finished safety plan calls for."""
        danger, session = so_far.danger, so_far.session
        if session.under_14:  # who gave a plain answer to the question whether to end; no model is asked
            return danger.without_any_model(session, so_far.found)
        if session.risk.follow_through and Effect.ASK_END in heard.effects and not danger.concerned(so_far.found):
            return danger.ask_whether_to_leave(session)
        so_far.add(danger.plan_step(session, so_far.found))
        believed = await danger.believed(so_far.session, so_far.found)
        if isinstance(believed, FixedReply):
            return believed
        so_far.add(believed)
        finished = danger.finished_plan(so_far.session, so_far.found)
        if isinstance(finished, FixedReply):
            return finished
        so_far.add(finished)
        return None

    # What the turn ends with

    def _outcome(self, so_far: _TurnSoFar, said: Said, decision: Decision | None = None) -> Outcome[Session]:
        so_far.add(so_far.danger.said(said.text, so_far.session))
        found = so_far.found
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

    def _fixed(self, so_far: _TurnSoFar, reply: FixedReply) -> Outcome[Session]:
        """Emit a fixed reply, followed by an AI notice if one is due; it asks for no slot unless it says so."""
        turn = so_far.turn
        so_far.add(reply.found)
        if not reply.found.of(SlotAsked):
            so_far.add(Findings(events=(SlotAsked(slot=None, seq=turn.seq),)))
        turn.scope.ledger.ruled("counselor", None, reply.reason)
        turn.scope.emit(Token(text=reply.text))
        notice, given = disclosure_due(so_far.session, turn.now, self._content, asked=so_far.danger.asks_what_it_is)
        so_far.add(Findings(events=given))
        text = reply.text
        if notice:
            turn.scope.emit(Token(text=BETWEEN + notice))
            text += BETWEEN + notice
        return self._outcome(so_far, Said(text, Findings(), (text,)))

    def _farewell(self, so_far: _TurnSoFar) -> Outcome[Session]:
        turn, content = so_far.turn, self._content
        over = turn.state.ended
        if not over:
            so_far.add(so_far.danger.left(so_far.session))
        words = after_the_end(content, so_far.session) if over else farewell(content, so_far.session)
        turn.scope.ledger.ruled("counselor", None, "the session has ended" if over else "the user ended the session")
        turn.scope.emit(Token(text=words))
        return self._outcome(so_far, Said(words, Findings(), (words,)))

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        """Answer a turn that failed; the crisis rules still apply."""
        content = self._content
        so_far = _TurnSoFar(turn, content, self._plans)
        danger = so_far.danger
        so_far.add(danger.by_rule())
        if (service := self._services.holder(turn.state)) and not (danger.keeps() or danger.concerned(so_far.found)):
            return replace(service.flow.apologize(turn), flow=service.name)
        so_far.add(danger.unread(so_far.session))
        if fixed := danger.without_any_model(so_far.session, so_far.found):
            return self._fixed(so_far, fixed)
        notice, given = disclosure_due(so_far.session, turn.now, content, asked=so_far.danger.asks_what_it_is)
        so_far.add(Findings(events=given))
        reply = danger.fallback(so_far.session, so_far.found) or danger.unread_reply(so_far.session)
        so_far.add(reply.found)
        text = BETWEEN.join(filter(None, (notice, reply.text)))
        turn.scope.emit(Replace(text=text))
        return self._outcome(so_far, Said(text, Findings(), (text,)))
