"""One counselling turn: safety gate → Part check → detect → select → counsel."""

import asyncio
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import replace
from typing import TypeAlias

from functions.chat.danger import safety_gate
from functions.chat.danger.denial import believe_denial
from functions.chat.danger.help_seeking import hear
from functions.chat.danger.kept_plan import NoSafetyPlans, SafetyPlans, opened_plan, own_words
from functions.chat.danger.risk_detection import concern_from_hints, detect_risk, may_be_danger
from functions.chat.danger.safety_plan import ask_to_keep, hear_plan, take_step
from functions.chat.findings import Findings, FixedReply, after
from functions.chat.flows.counseling.counselor import apologize, counsel
from functions.chat.flows.counseling.detectors.corrections import hear_decision
from functions.chat.flows.counseling.detectors.covered_tasks import cover_tasks
from functions.chat.flows.counseling.detectors.message_analysis import (
    ANALYST,
    Asking,
    MessageAnalysis,
    analyse,
    expected_after,
    expected_at_first,
)
from functions.chat.flows.counseling.detectors.slot_reading import declined_by_client, read_by_name
from functions.chat.flows.counseling.detectors.task_completion import Checked
from functions.chat.flows.counseling.detectors.user_state import DETECTOR, none_meant, read_state
from functions.chat.flows.counseling.directive import draw_up
from functions.chat.flows.counseling.farewell import after_the_end, farewell
from functions.chat.flows.counseling.going_on import go_on
from functions.chat.flows.counseling.misread import hear_correction
from functions.chat.flows.counseling.part_check import check_part, count_short_answers
from functions.chat.flows.counseling.plan_of_reply import Directive
from functions.chat.flows.counseling.prepared_reply import PreparedReply, prepare
from functions.chat.flows.counseling.selectors import module_selector, task_selector
from functions.chat.flows.counseling.selectors.module_selector import select_module
from functions.chat.flows.counseling.selectors.task_selector import Selection, ask_planner, select_task
from functions.chat.flows.counseling.speculation import Speculation
from functions.chat.flows.counseling.stop_wish import keep_stop_wish
from functions.chat.flows.counseling.turn_options import DEFAULT, Speculating, SpeculationPolicy, TurnOptions
from functions.chat.flows.counseling.wrap_up import read_answer
from functions.chat.legacy.asked_before import fixed_openings, unheard
from functions.chat.legacy.harm_done import answer_harm_done
from functions.chat.legacy.user_message import UserMessage
from functions.chat.legacy.voice import voice_of
from shared.content.catalogue import Content
from shared.content.schemas.state_words import STRONG_RESISTANCE, StateWords
from shared.contracts.events import Token
from shared.domain.booking.state import BookingStage
from shared.domain.conversation import Role
from shared.domain.counseling.questions_said import QuestionsSaid, digest
from shared.domain.counseling.readings import PERSISTING_WITHIN, before, resisting
from shared.domain.counseling.records import FeedbackSource, PlannerFeedback
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import StateFeedbackGiven, UserStateObserved
from shared.domain.counseling.state_feedback import StateKind, worth_telling
from shared.domain.counseling.task_events import SlotAsked, WordsSetAside
from shared.domain.counseling.user_state import Resistance, UserState
from shared.engine.asking_ahead import AskingAheadRunner
from shared.engine.flow import Outcome, Turn
from shared.engine.rehearsal import RehearsingRunner, rehearsed
from shared.engine.reply_prefix import BETWEEN
from shared.engine.runner import Partial
from shared.lexicon.asking import asks_of
from shared.lexicon.session_words import questions_of
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.reassurance import Reassurance
from shared.services.counseling.honesty import disclosure_due


class Course:
    """The session after the steps so far, and all their findings."""

    def __init__(self, turn: Turn[Session], content: Content) -> None:
        self.turn = turn
        self._content = content
        self.message = UserMessage(turn, content)
        self.session = turn.state
        self.found = Findings()

    def fork(self, turn: Turn[Session]) -> "Course":
        """Return a course that goes on from here by itself, with another turn of the same message."""
        fork = copy(self)
        fork.turn = turn
        return fork

    def take(self, other: "Course") -> None:
        """Go on from where a fork stands."""
        self.session, self.found = other.session, other.found

    def apply(self, found: Findings) -> None:
        self.session = after(self.session, found.events, self.turn.now)
        self.found += found

    def outcome(self, reply: str, directive: Directive | None = None) -> Outcome[Session]:
        if said := (*asks_of(reply), *fixed_openings(reply, self.session, self._content)):
            self.apply(Findings(events=(QuestionsSaid(digests=tuple(map(digest, said))),)))
        return Outcome(
            reply=reply,
            events=self.found.events,
            records=self.found.records,
            audit=self.found.audit,
            hooks=self.found.hooks,
            flags=self.found.flags,
            directive=None if directive is None else directive.for_record(),
        )


AgeHeard = Callable[[Session], Awaitable[None]]
"""Called before the commit of a turn in which the user stated or corrected an age under 14."""


async def ignore_age(_state: Session) -> None:
    """Do nothing."""


SELECTORS = (task_selector.AGENT, module_selector.AGENT)
_Decided: TypeAlias = PreparedReply | FixedReply | CrisisOutcome
"""What a turn replies: a reply of the Counselor, a fixed one, or the protocol for a danger."""


class CounselingFlow:
    """The steps of a turn in order; each returns its findings."""

    def __init__(
        self,
        content: Content,
        age_heard: AgeHeard = ignore_age,
        plans: SafetyPlans | None = None,
        options: TurnOptions = DEFAULT,
    ) -> None:
        self._content = content
        self._age_heard = age_heard
        self._plans: SafetyPlans = plans or NoSafetyPlans()
        self._options = options
        self._policy = SpeculationPolicy(options.speculation)
        self.answers: Callable[[Turn[Session]], Awaitable[Outcome[Session]]] = self.run
        """Answers what was overheard; another turn of counselling may take its place."""

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        """Run one turn; all agents read the same snapshot."""
        course = Course(turn, self._content)
        outcome = await self._run(turn, course.message, course)
        if course.session.under_14 is not turn.state.under_14:
            await self._age_heard(course.session)
        return outcome

    async def _run(self, turn: Turn[Session], message: UserMessage, course: Course) -> Outcome[Session]:
        content = self._content
        self._hear_by_rule(course)
        if not safety_gate.needs_protocol(course.found):
            course.apply(await self._judge_signs(course))
        if danger := safety_gate.needs_protocol(course.found):
            return await self._protocol(course, danger)

        concerned = safety_gate.concerned(course.found)
        if not concerned:
            course.apply(await read_answer(turn, message, course.session, content))
        if course.session.ended:
            return self._farewell(course)
        if fixed := await self._without_a_model(course, concerned=concerned):
            return self._fixed(course, fixed)

        course.apply(hear_correction(turn, message, course.session, course.found, content))
        course.apply(hear_decision(turn, message, course.session, content))
        course.apply(go_on(turn, message, course.session, course.found, content))
        return await self._reply(course)

    async def overhear(self, turn: Turn[Session]) -> Outcome[Session] | str | None:
        """Hear a message that another service answers, as in a turn of counselling: by rules, then by the model.

        Danger is answered by the crisis gate, and a strong unpleasant feeling by a turn, unless the message asks. To a
        message that nobody could read the service answers behind the help lines.
        """
        content, course = self._content, Course(turn, self._content)
        self._hear_by_rule(course)
        if not safety_gate.concerned(course.found):
            course.apply(await read_state(turn, course.message, course.session, content))
        if danger := safety_gate.needs_protocol(course.found):
            return await self._protocol(course, danger)
        asked = safety_gate.fixed_safety_reply(turn, course.message, course.session, course.found, content)
        if asked is not None:
            reply = FixedReply(asked.text, "a concern in another service", asked.found)
            return self._fixed(course, reply)
        distressed = any(one.user_state.distressed for one in course.found.of(UserStateObserved))
        if distressed and not questions_of(turn.text):
            return await self.answers(turn)
        unread = turn.scope.ledger.failed(DETECTOR.name) and not _answers_a_confirmation(course, content)
        wordings = content.crisis_replies.unread(voice_of(course.session), course.session.risk.needs)
        return unheard(wordings, course.session, turn.seq) if unread else None

    def _hear_by_rule(self, course: Course) -> None:
        turn, message, content = course.turn, course.message, self._content
        course.apply(detect_risk(turn, message, content))
        course.apply(set_words_aside(turn, message, course.session, content))
        course.apply(hear(turn, message, course.session, course.found, content))
        course.apply(declined_by_client(message, course.session))

    async def _judge_signs(self, course: Course) -> Findings:
        """Return what is made of weak signs before a rule may answer the message or end the session on it."""
        turn, message, session, content = course.turn, course.message, course.session, self._content
        if session.under_14:
            return concern_from_hints(turn, message, session, content)
        if (
            not may_be_danger(message, session, content)
            or session.wrap_up is None
            or safety_gate.concerned(course.found)
        ):
            return Findings()
        return await read_state(turn, message, session, content)

    async def _reply(self, course: Course) -> Outcome[Session]:
        """Decide what the turn replies, and reply; the Counselor begins with the reply that is expected."""
        turn, content = course.turn, self._content
        speculation = Speculation(turn, course.message, self._policy, read_by_name(course.session))
        runner = AskingAheadRunner(turn.runner, turn.scope, once=(module_selector.AGENT,))
        wanted = self._options.speculation is not Speculating.OFF and speculation.wanted()
        decided = course.fork(replace(turn, runner=runner))
        deciding = asyncio.ensure_future(self._decide(decided, speculation.arrived if wanted else None))
        try:
            if wanted:
                await self._begin_early(course, speculation, runner, deciding)
            reply = await deciding
            begun = await speculation.settle(reply if isinstance(reply, PreparedReply) else None)
        finally:
            deciding.cancel()
            await asyncio.gather(deciding, return_exceptions=True)
            await speculation.stop()
            await runner.stop()
        if begun is not None and (isinstance(reply, CrisisOutcome) or safety_gate.concerned(decided.found)):
            await begun.take_back(turn.scope.emit)  # The first answer was unusable, and the next one found the danger.
            begun = None
        if isinstance(reply, CrisisOutcome):
            course.take(decided)
            return await self._protocol(course, reply)
        if begun is not None and not (isinstance(reply, PreparedReply) and reply.sounds_like(begun.reply)):
            # Late evidence contradicts the look: what is shown stays, and what was decided is kept.
            reply = begun.reply.over(decided.session, decided.found)
        course.take(decided)
        if isinstance(reply, FixedReply):
            return self._fixed(course, reply)
        spoken = await counsel(turn, course.message, reply, begun, content)
        course.apply(spoken.found)
        return course.outcome(spoken.text, reply.directive)

    async def _begin_early(
        self, course: Course, speculation: Speculation, runner: AskingAheadRunner, deciding: asyncio.Future[_Decided]
    ) -> None:
        async def expect(likely: MessageAnalysis) -> None:
            rehearsing = RehearsingRunner(runner, {ANALYST.name: likely}, SELECTORS)
            reply = await self._decide(course.fork(rehearsed(course.turn, rehearsing)))
            if isinstance(reply, PreparedReply):
                await speculation.expect(reply, sure=not rehearsing.guessed)

        at_first = expected_at_first(course.session, course.turn.text)
        await expect(at_first)
        look = await speculation.first_look(deciding)
        if look is None:
            return
        likely = expected_after(look, course.turn.text)
        if likely != at_first:
            await expect(likely)
        while not speculation.sure and await runner.next_answer(deciding):
            await expect(likely)
        speculation.show_early()

    async def _decide(self, course: Course, partial: Partial | None = None) -> _Decided:
        turn, message, content = course.turn, course.message, self._content
        asking = Asking(self._options.jointly, partial)
        checked, read = await analyse(turn, message, course.session, course.found, content, asking)
        course.apply(checked.found)
        course.apply(read)
        if danger := safety_gate.needs_protocol(course.found):
            return danger

        self._weigh(course, checked)
        believed = await believe_denial(
            turn, message, course.session, course.found, content, lambda was, text: none_meant(turn, was, text)
        )
        if isinstance(believed, FixedReply):
            return believed
        course.apply(believed)
        settled = ask_to_keep(turn, course.session, course.found, content)
        if isinstance(settled, FixedReply):
            return settled
        course.apply(settled)
        course.apply(check_part(turn, message, course.session))
        selection = await select_task(turn, message, course.session, course.found, content)
        course.apply(selection.found)
        course.apply(request_replan_for_state(turn, course.session, selection, content))
        course.apply(await select_module(turn, message, course.session, content))
        directive = draw_up(turn, message, course.session, course.found, content)
        return prepare(turn, message, course.session, course.found, directive, content)

    def _weigh(self, course: Course, checked: Checked) -> None:
        turn, message = course.turn, course.message
        course.apply(take_step(turn, message, course.session, course.found, self._content))
        course.apply(keep_stop_wish(turn, message, course.session, course.found))
        course.apply(count_short_answers(turn, message, course.session, course.found))
        course.apply(cover_tasks(message, course.session, checked, turn.seq, self._content.lexicon))

    async def _without_a_model(self, course: Course, *, concerned: bool) -> FixedReply | None:
        turn, message, content = course.turn, course.message, self._content
        if safety_gate.asks_to_leave(message, course.session, concerned=concerned):
            return safety_gate.ask_whether_to_leave(turn, course.session, content)
        if course.session.under_14:
            return safety_gate.answer_under_14(turn, message, course.session, course.found, content)
        urgent = safety_gate.needs_help_now(course.found)
        if urgent and (now := safety_gate.fixed_safety_reply(turn, message, course.session, course.found, content)):
            return FixedReply(now.text, "the user needs help at once", now.found)
        if may_be_danger(message, course.session, content):
            return None
        if not concerned and (harm := answer_harm_done(turn, message, course.session, content)):
            return harm
        planned = await hear_plan(turn, message, course.session, course.found, self._plans, content)
        if isinstance(planned, FixedReply):
            return planned
        course.apply(planned)
        return None

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        """Answer a turn that failed; the crisis rules still apply."""
        content, course = self._content, Course(turn, self._content)
        message = course.message
        self._hear_by_rule(course)
        course.apply(concern_from_hints(turn, message, course.session, content))
        if danger := safety_gate.needs_protocol(course.found):
            plan = "" if course.session.under_14 else own_words(course.session, danger, {}, content)
            return self._fixed(course, safety_gate.answer(turn, message, course.session, course.found, content, plan))
        if course.session.under_14:
            return self._fixed(
                course, safety_gate.answer_under_14(turn, message, course.session, course.found, content)
            )
        reply = apologize(turn, message, course.session, course.found, content)
        course.apply(reply.found)
        return course.outcome(reply.text)

    async def _protocol(self, course: Course, danger: CrisisOutcome) -> Outcome[Session]:
        turn, content = course.turn, self._content
        plan, looked_up = await opened_plan(turn, course.session, danger, self._plans, content)
        course.apply(looked_up)
        return self._fixed(
            course, safety_gate.answer(turn, course.message, course.session, course.found, content, plan)
        )

    def _fixed(self, course: Course, reply: FixedReply) -> Outcome[Session]:
        """Emit a fixed reply, followed by an AI notice if one is due; it asks for no slot unless it says so."""
        course.apply(reply.found)
        if not reply.found.of(SlotAsked):
            course.apply(Findings(events=(SlotAsked(slot=None, seq=course.turn.seq),)))
        text = _say(course.turn, reply)
        asked = course.message.words.asks_if_human
        notice, given = disclosure_due(course.session, course.turn.now, self._content, asked=asked)
        course.apply(Findings(events=given))
        if notice:
            course.turn.scope.emit(Token(text=BETWEEN + notice))
            text += BETWEEN + notice
        return course.outcome(text)

    def _farewell(self, course: Course) -> Outcome[Session]:
        if course.turn.state.ended:
            words = after_the_end(self._content, course.session)
            return course.outcome(_say(course.turn, FixedReply(words, "the session has ended", Findings())))
        course.apply(safety_gate.exit_findings(course.turn, course.session))
        reply = FixedReply(farewell(self._content, course.session), "the user ended the session", Findings())
        return course.outcome(_say(course.turn, reply))


def _answers_a_confirmation(course: Course, content: Content) -> bool:
    asked, answers, said = course.turn.state.booking, content.crisis_answers, course.message.screened
    plain = answers.says_only_yes(said) or answers.says_only_no(said)
    return plain and asked.stage is BookingStage.READY and course.message.answers


def _say(turn: Turn[Session], reply: FixedReply) -> str:
    turn.scope.ledger.ruled("counselor", None, reply.reason)
    turn.scope.emit(Token(text=reply.text))
    return reply.text


def request_replan_for_state(turn: Turn[Session], session: Session, selection: Selection, content: Content) -> Findings:
    """Ask for a re-plan if the user's state calls for one; the Task Selector's own feedback goes first."""
    told = any(isinstance(record, PlannerFeedback) for record in selection.found.records)
    kind = None if told else worth_telling(session, turn.seq, served=selection.served)
    if kind is None:
        return Findings()
    reason = _reason(kind, session, turn.seq, content.state_words(session.locale))
    asked = ask_planner(turn, session, FeedbackSource.USER_STATE, kind.value, reason)
    return asked + Findings(events=(StateFeedbackGiven(kind=kind.value, seq=turn.seq),))


def _reason(kind: StateKind, state: Session, seq: int, words: StateWords) -> str:
    now, earlier = state.user_state, before(state.readings, seq)
    refused = kind is StateKind.RESISTANCE and now.resistance is Resistance.STRONG
    return words.feedback(
        STRONG_RESISTANCE if refused else kind,
        emotion=words.emotion(now.emotion),
        intensity=now.intensity,
        before=_feeling(earlier[-1] if earlier else UserState(), words),
        count=resisting(state.readings),
        within=min(PERSISTING_WITHIN, len(state.readings)),
    )


def _feeling(state: UserState, words: StateWords) -> str:
    return f"{words.emotion(state.emotion)} {state.intensity}/10"


def set_words_aside(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> Findings:
    """Return that the message is about a danger: told now, followed through or attended until now, or answered."""
    before, now = turn.state.risk, session.risk
    told = now.level is not RiskLevel.NONE and now.last_seq == turn.seq
    followed = before.follow_through or before.attended
    newest = before.level is not RiskLevel.NONE and before.last_seq == turn.state.seq
    asked = before.asked_seq is not None and before.asked_seq == turn.state.seq
    if told or followed or newest or asked or _is_about_safety(turn, message, content):
        return Findings(events=(WordsSetAside(seq=turn.seq),))
    return Findings()


def _is_about_safety(turn: Turn[Session], message: UserMessage, content: Content) -> bool:
    """Return whether the message answers a question about safety, or says that a danger known before is over.

    What follows the question of a failed reply may be anything, since the message before it was not read. Company and
    calm are no such statement by themselves: users tell of them in any talk.
    """
    replied = turn.state.recent[-1] if turn.state.recent else None
    reply = replied.text if replied is not None and replied.role is Role.COUNSELOR else ""
    asked = content.session_words.asks_about_safety(reply) or content.crisis_answers.asks_directly(reply)
    if message.answers and asked and not message.answers_if_urgent:
        return True
    risk = turn.state.risk
    known = risk.level is not RiskLevel.NONE or risk.hurt_by or risk.over_seq is not None or risk.asked_seq is not None
    said = set(content.crisis_answers.reassurances(message.screened)) - {Reassurance.SUPPORT}
    return bool(known) and bool(said)
