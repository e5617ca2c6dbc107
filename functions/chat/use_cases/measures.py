"""Takes a user's answers to a self-report measure, and shows the results over time."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from functions.chat.use_cases.conversation_lifecycle import require_owner
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.content.schemas.measures import RESOURCES
from shared.content.wordings import nth
from shared.contracts.chat import ResourceView, StateSnapshot
from shared.contracts.measures import MeasureTakenView, MyMeasures, OwnResult, TakeMeasure
from shared.contracts.rating import HelpNamed
from shared.domain.consents import lacking
from shared.domain.counseling.measure_events import GreetingExtended, MeasureTaken, open_moment, open_until
from shared.domain.counseling.measures import (
    MeasureAnswers,
    MeasureId,
    MeasureResult,
    Moment,
    Score,
    answers_of,
    outcome_of,
    score,
)
from shared.domain.counseling.profile import Profile, endangered
from shared.domain.counseling.risk_events import DangerAsked, ProtocolReplied, RiskRaised
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review import FlagReason
from shared.domain.counseling.staff_review_events import FlaggedAfterSessionEnd, FlaggedForReview
from shared.domain.counseling.task_events import SlotAsked
from shared.domain.errors import ConsentRequired, GuardianRequired, MeasureClosed, NotFound
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.records import AuditEntry, Rewritten
from shared.engine.extra_writes import DocumentUpdate, ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.unit_of_work import Decision, change
from shared.locale import Locale
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.safety.follow_through import needs_now
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import Need, needs_of
from shared.safety.protocol_questions import Topic
from shared.services.counseling.policy import result_view

SELF_HARM_RULE = "phq9-self-harm"
"""Stands for a rule id in flags and in the audit trail."""
ACTION = "measure_self_harm"
NEWEST_CONVERSATIONS = 100
"""Conversations whose results are shown."""

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Measures:
    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    clock: Clock
    content: Content

    async def take(self, caller: Caller, conversation_id: ConversationId, given: TakeMeasure) -> MeasureTakenView:
        """Score and store a user's answers; the same answers again change nothing.

        An answer above 0 about self-harm raises the session's risk, is asked about directly and goes to reviewers.

        Raises:
            NotFound: The conversation does not exist or belongs to another user.
            GuardianRequired: The user stated an age under 14.
            ConsentRequired: A consent is missing.
            MeasureClosed: The conversation is under way, ended long ago, or the moment is another one.
            AnswersDoNotFit: An item has no answer. Nothing is stored in any of these cases.
        """
        measure, moment = MeasureId(given.measure), Moment(given.moment)
        answers, scored = self._scored(given)
        kept = await self.store.record(conversation_id, MeasureAnswers.collection, _record_id(measure, moment))
        repeated = kept is not None and kept["answers"] == answers

        def decide(state: Session) -> Decision[Session, bool]:
            self._admit(caller, state, moment)
            known = state.measured(measure, moment)
            if known is not None and repeated:
                return Decision(value=False)
            before = known.highest_self_harm if known else 0
            result = MeasureResult(
                **scored.model_dump(),
                measure=measure,
                moment=moment,
                seq=state.seq,
                at=self.clock.now(),
                highest_self_harm=max(before, scored.self_harm),
            )
            record = _record(result, answers, Locale(given.locale), state)
            writes = ExtraWrites(records=(Rewritten(record) if known else record,))
            if outcome_of(result.highest_self_harm) is outcome_of(before):
                return Decision(value=False, events=(MeasureTaken(result=result),), extra_writes=lambda _: writes)
            events = (MeasureTaken(result=result), *self._danger(state, result))
            return Decision(value=True, events=events, extra_writes=partial(_of_danger, writes, result))

        taken = await change(self.store, self.policy, self.clock, conversation_id, decide)
        if taken is None:
            raise NotFound("conversation")
        state, outcome = taken.state, outcome_of(scored.self_harm)
        if taken.value and outcome.needs_protocol:
            log_event(log, LogEvent.CRISIS, level=outcome.value, conversation=conversation_id)
        return await self._view(caller, state, measure, moment)

    def needs(self, given: TakeMeasure) -> tuple[Need, ...]:
        """Return the needs of the answer about self-harm, whether or not the answers are taken; none for 0.

        Raises:
            AnswersDoNotFit: An item has no answer.
        """
        return needs_of(outcome_of(self._scored(given)[1].self_harm))

    async def mine(self, caller: Caller) -> MyMeasures:
        """Return the caller's results, oldest first."""
        views = await self.store.views_of(caller.user_id, None, NEWEST_CONVERSATIONS)
        found = [
            OwnResult.model_validate({**result, "conversation_id": view.conversation_id})
            for view in views
            for result in view.measures
        ]
        return MyMeasures(results=tuple(sorted(found, key=lambda result: result.at)))

    def _scored(self, given: TakeMeasure) -> tuple[dict[str, int], Score]:
        scale = self.content.measures.measure(MeasureId(given.measure)).scale(Locale(given.locale))
        answers = answers_of(scale, given.answers)
        return answers, score(scale, answers)

    def _admit(self, caller: Caller, state: Session, moment: Moment) -> None:
        require_owner(state, caller)
        if state.under_14:
            raise GuardianRequired("under 14, as they stated in a talk")
        if missing := lacking(state.consents, self.content.consents.required):
            raise ConsentRequired(missing, self.content.consents.versions)
        until = open_until(state)
        if open_moment(state) is not moment or (until is not None and self.clock.now() > until):
            raise MeasureClosed(f"no measure is taken at the {moment.value} now")

    def _danger(self, state: Session, result: MeasureResult) -> tuple[Event[Session], ...]:
        """Return the events of an answer about self-harm above those before.

        The question is open until the next message: a yes to it is a crisis.
        """
        outcome, rules = outcome_of(result.self_harm), (SELF_HARM_RULE,)
        raised = RiskRaised(outcome=outcome, rule_ids=rules, seq=state.seq)
        asked = DangerAsked(seq=state.seq)
        if result.moment is Moment.END:
            return raised, asked, FlaggedAfterSessionEnd(reason=FlagReason.SELF_HARM_ITEM, rules=rules)
        flagged = FlaggedForReview(reason=FlagReason.SELF_HARM_ITEM, seq=state.seq, rules=rules)
        question = self._question(raised.apply(state, result.at), result)
        replied = (ProtocolReplied(),) if outcome.needs_protocol else ()
        return raised, asked, flagged, GreetingExtended(text=question), SlotAsked(slot=None), *replied

    def _question(self, state: Session, result: MeasureResult) -> str:
        """Return the direct question with sources of help, for an answer above 0 about self-harm."""
        voice, outcome, written = voice_of(state), outcome_of(result.self_harm), self.content.measures.self_harm
        if result.moment is Moment.START and outcome.needs_protocol:
            # The first wording at every repetition, so that the same answers get the same reply.
            reply = self.content.crisis_replies.reply(outcome, voice, nth(0), needs=needs_now(state.risk))
            return f"{reply}\n\n{self.content.crisis_replies.questions(Topic.INTENT, voice)[0]}"
        if result.moment is Moment.START:
            text = written.start_concern
        else:
            text = written.end_crisis if outcome.needs_protocol else written.end_concern
        lines = self.content.crisis_replies.resource_lines(voice, needs_now(state.risk))
        return text.at(state.locale, state.register_).format(**{RESOURCES: lines})

    async def _view(self, caller: Caller, state: Session, measure: MeasureId, moment: Moment) -> MeasureTakenView:
        result = state.measured(measure, moment)
        if result is None:
            raise NotFound("measure")
        text, own = self.content.measures.measure(measure), (state.conversation_id, moment.value)
        before = [
            one
            for one in (await self.mine(caller)).results
            if one.measure == measure.value and (one.conversation_id, one.moment) != own and one.at < result.at
        ]
        return MeasureTakenView(
            result=result_view(result),
            words=text.words(result.band).at(state.locale, state.register_),
            about=self.content.measures.about.at(state.locale, state.register_),
            earlier=before[-1] if before else None,
            help=self._help(state, result),
            state_snapshot=StateSnapshot.model_validate(self.policy.view(state).state_snapshot),
        )

    def _help(self, state: Session, result: MeasureResult) -> HelpNamed | None:
        if outcome_of(result.self_harm) is CrisisOutcome.NONE:
            return None
        lines = self.content.crisis_replies.resources(state.locale, needs_now(state.risk), minor=state.minor)
        shown = tuple(ResourceView(name=line.name, number=line.number, hours=line.hours) for line in lines)
        return HelpNamed(message=self._question(state, result), resources=shown)


def _record(result: MeasureResult, answers: Mapping[str, int], locale: Locale, state: Session) -> MeasureAnswers:
    return MeasureAnswers(
        record_id=_record_id(result.measure, result.moment),
        created_at=result.at,
        expire_at=state.expire_at,
        measure=result.measure,
        moment=result.moment,
        locale=locale,
        answers=answers,
        result=Score.model_validate(result.model_dump(include=set(Score.model_fields))),
        seq=result.seq,
    )


def _of_danger(writes: ExtraWrites, result: MeasureResult, after: Session) -> ExtraWrites:
    line = AuditEntry(
        audit_id=f"{after.conversation_id}-v{after.state_version}-{ACTION}",
        at=result.at,
        conversation_id=after.conversation_id,
        rule=SELF_HARM_RULE,
        level=outcome_of(result.self_harm).value,
        action=ACTION,
    )
    if result.moment is Moment.START:
        return replace(writes, audit=(line,), messages=after.recent[:1])
    remembered = DocumentUpdate(after.user_id, Profile, partial(_remembered, after)) if after.closing_made else None
    return replace(writes, audit=(line,), user=remembered)


def _record_id(measure: MeasureId, moment: Moment) -> str:
    return f"{measure.value}-{moment.value}"


def _remembered(session: Session, profile: Profile | None) -> Profile:
    known = profile or Profile(user_id=session.user_id, updated_at=session.updated_at, expire_at=session.expire_at)
    return endangered(known, session.conversation_id, session.updated_at)
