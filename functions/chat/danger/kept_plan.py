"""The user's kept safety plan in a talk: shown first in a crisis, and to a user who asks to see it. Rules only."""

from collections.abc import Mapping
from typing import Protocol

from functions.chat.findings import Findings, FixedReply
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.safety_plan import PlanStep, StoredPlan
from shared.domain.counseling.safety_plan_events import SafetyPlanLookedUp, SafetyPlanOffered
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import SlotAsked
from shared.domain.event import Event
from shared.domain.ids import UserId
from shared.engine.flow import Turn
from shared.safety.follow_through import needs_now
from shared.safety.levels import CrisisOutcome


class SafetyPlans(Protocol):
    """The kept plans of users."""

    async def stored(self, user_id: UserId) -> StoredPlan:
        """Return the user's plan; not known if it cannot be read in time: a crisis reply never waits."""

    async def keep(self, session: Session) -> bool:
        """Keep the session's plan with its user, who agreed; return whether that was possible.

        Raises:
            StoreUnavailable: The store does not answer. The turn is then not committed, and its retry repeats this.
        """


class NoSafetyPlans:
    """Keeps nothing."""

    async def stored(self, user_id: UserId) -> StoredPlan:
        """See `SafetyPlans`."""
        return StoredPlan()

    async def keep(self, session: Session) -> bool:
        """See `SafetyPlans`."""
        return False


async def opened_plan(
    turn: Turn[Session], session: Session, outcome: CrisisOutcome, plans: SafetyPlans, content: Content
) -> tuple[str, Findings]:
    """Return what the reply to a crisis shows of the user's plan; empty if nothing, and when it was just shown."""
    before = turn.state.risk
    again = before.follow_through and before.outcome is session.risk.outcome and not session.safety_plan.unread
    if session.under_14 or again:
        return "", Findings()
    stored = await plans.stored(session.user_id)
    looked_up = SafetyPlanLookedUp(unread=not stored.known)
    return own_words(session, outcome, stored.steps, content), Findings(events=(looked_up,))


def own_words(session: Session, outcome: CrisisOutcome, kept: Mapping[PlanStep, str], content: Content) -> str:
    """Return what a crisis reply shows: of the kept plan, else of this session's own."""
    steps, plan = kept or session.safety_plan.steps, session.safety_plan
    return content.safety_plan.opened(steps, outcome, voice_of(session), kept=bool(kept) or plan.kept)


async def see_plan(
    turn: Turn[Session], session: Session, plans: SafetyPlans, content: Content
) -> Findings | FixedReply:
    """Show the plan to a user who asks to see it; in a danger as a crisis reply does, with the lines of help."""
    words, voice = content.safety_plan, voice_of(session)
    stored = await plans.stored(session.user_id)
    if session.risk.follow_through:
        outcome = CrisisOutcome.IMMINENT if session.risk.outcome is CrisisOutcome.IMMINENT else CrisisOutcome.CRISIS
        shown = own_words(session, outcome, stored.steps, content)
        lines = content.crisis_replies.resource_block(voice, needs_now(session.risk))
        text = "\n\n".join((shown, lines))
        return FixedReply(text, "the user asks to see the plan", Findings()) if shown else Findings()
    steps = stored.steps or session.safety_plan.steps
    if steps:
        nothing_asked = Findings(events=(SlotAsked(slot=None, seq=turn.seq),))
        return FixedReply(words.read_out(steps, voice), "the user asks to see the plan", nothing_asked)
    if not stored.known:
        return FixedReply(words.text(words.written.unread, voice), "the kept plan could not be read", Findings())
    offered = SafetyPlanOffered(seq=turn.seq)
    return FixedReply(words.text(words.written.none_yet, voice), "there is no plan to see", Findings(events=(offered,)))


async def erase_plan(session: Session, plans: SafetyPlans, content: Content, *events: Event[Session]) -> FixedReply:
    """Tell a user who asks to delete the plan where the page does it: a turn never erases."""
    stored = await plans.stored(session.user_id)
    written = content.safety_plan.written
    text = written.erased_where if stored.steps or not stored.known else written.nothing_to_erase
    reason = "the user asks to delete the plan"
    return FixedReply(content.safety_plan.text(text, voice_of(session)), reason, Findings(events=events))
