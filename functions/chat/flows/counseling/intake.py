"""Where a question must wait, also the model's own: of intake, or for the details of violence just told."""

from functions.chat.flows.counseling.asking import feeling_first, wants_no_questions
from functions.chat.flows.counseling.detectors.matters import is_worded_alike
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.directive import Directive
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import CompletionRule
from shared.engine.flow import Turn
from shared.lexicon.asking import asks_of
from shared.safety.levels import CrisisOutcome

AGENT = "intake"
_STILL_FRESH = 2
"""Earlier messages in which a violence told is as fresh as in the newest."""


def asks_out_of_turn(
    turn: Turn[Session], message: UserMessage, session: Session, directive: Directive, spoken: str, content: Content
) -> bool:
    """Return whether a reply asks for intake while a feeling, a hard fact or the user's safety goes first.

    A question that a rule asks stays, and so does one about the user's safety.
    """
    if directive.ask is not None or not _barred(turn, message, session, content):
        return False
    safety = session.risk.intake_rests(turn.seq) or message.tells_hard_fact
    asks = [one for one in asks_of(spoken) if not (safety and content.session_words.asks_about_safety(one))]
    out_of_turn = any(_is_intake(one, session, content) for one in asks)
    if out_of_turn:
        turn.scope.ledger.ruled(AGENT, False, "a feeling, a hard fact or the user's safety goes first")
    return out_of_turn


def probes_for_details(message: UserMessage, session: Session, spoken: str, content: Content) -> bool:
    """Return whether a reply asks what exactly was done to the user, right after they told of it.

    Whether it goes on, and whether they are safe or hurt, may be asked.
    """
    words = content.session_words
    if not session.risk.hurt_by or not _just_told(message, session, content):
        return False
    return any(words.asks_for_details(one) and not words.asks_about_safety(one) for one in asks_of(spoken))


def _barred(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> bool:
    if session.risk.intake_rests(turn.seq) or wants_no_questions(turn, message, content):
        return True
    return session.safety_plan.stage is not PlanStage.BUILDING and feeling_first(turn, message, session)


def _is_intake(question: str, session: Session, content: Content) -> bool:
    """Return whether a question is one of intake, or about a slot of the session that is still open."""
    if content.intake_words.matters(question):
        return True
    tasks = (task for task in session.tasks if task.completion_rule is not CompletionRule.STEPS)
    wanted = (slot for task in tasks for slot in task.slots if slot.name not in session.user_info)
    return any(is_worded_alike(question, slot, content) for slot in wanted)


def _just_told(message: UserMessage, session: Session, content: Content) -> bool:
    if message.screened.abuse.outcome is not CrisisOutcome.NONE:
        return True
    before = [one.text for one in session.recent if one.role is Role.USER][-_STILL_FRESH:]
    return any(content.screening.screen(text).abuse.outcome is not CrisisOutcome.NONE for text in before)
