"""What is decided about a reply before the Counselor speaks: its prompt, its guard and the notice before it."""

from dataclasses import dataclass, replace

from functions.chat.danger.help_seeking import next_inquiry
from functions.chat.danger.output_guard import guard_of
from functions.chat.findings import Findings
from functions.chat.flows.counseling.plan_of_reply import Directive
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.legacy.asked_before import unheard
from functions.chat.legacy.demands import answer_due, asks_what_it_is
from functions.chat.legacy.user_message import UserMessage
from functions.chat.legacy.voice import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.directive import Stance
from shared.domain.counseling.session import Session
from shared.engine.agent import Speaker
from shared.engine.flow import Turn
from shared.engine.memory import LONGEST_SUMMARY, dialogue
from shared.engine.prose import excerpt
from shared.engine.reply_prefix import BETWEEN
from shared.engine.speech import Speech
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.help_seeking import Inquiry
from shared.safety.output_guard.guard import OutputGuard
from shared.services.counseling.honesty import disclosure_due

AGENT = "counselor"


class CounselorInput(Model):
    """Prompt variables; the dialogue follows as messages.

    Attributes:
        unclear: An example of how to say that the message was not understood.
        fears_home: The user fears their home or family: it is no place and no help to point to.
        in_questionnaire: What may mean danger was an answer to the questionnaire, and no message.
        due: What is still to be asked of a user whose life is in danger.
    """

    directive: Directive
    speech_register: str
    summary: str
    first_turn: bool
    unclear: str = ""
    fears_home: bool = False
    in_questionnaire: bool = False
    due: Inquiry | None = None


SPEAKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 3, CounselorInput))
CARE = Speaker(name=AGENT, prompt=Prompt(PROMPTS, "counselor_care", 3, CounselorInput))
"""Speaks while a danger is followed up: a prompt about safety alone."""


def speaker_of(stance: Stance) -> Speaker[CounselorInput]:
    """Return the speaker whose prompt fits what the reply is for."""
    return CARE if stance is Stance.CARE else SPEAKER


@dataclass(frozen=True)
class PreparedReply:
    """A reply that is decided and not spoken yet.

    Attributes:
        session: The session after the steps so far.
        found: Their findings.
        notice: What rules say before the reply: the AI notice, an answer to what the AI cannot do; may be empty.
        given: The event of the AI notice.
        in_danger: A risk is open: nothing of what the model says is left out or replaced, but by the guard.
    """

    directive: Directive
    session: Session
    found: Findings
    notice: str
    given: Findings
    speech: Speech
    guard: OutputGuard
    in_danger: bool = False

    def sounds_like(self, other: "PreparedReply") -> bool:
        """Return whether the model is asked for the same reply, which the same guard checks."""
        same_danger = self.session.risk.outcome is other.session.risk.outcome
        return same_danger and self.speech == other.speech and self.guard.situation == other.guard.situation

    def over(self, session: Session, found: Findings) -> "PreparedReply":
        """Return the reply over another course of the turn; it announces no Part that the session is not in."""
        directive = self.directive
        if directive.part != session.current_part:
            directive = directive.model_copy(update={"part_changed": False})
        return replace(self, session=session, found=found, directive=directive)


def prepare(
    turn: Turn[Session],
    message: UserMessage,
    session: Session,
    found: Findings,
    directive: Directive,
    content: Content,
) -> PreparedReply:
    disclosure, given = disclosure_due(session, turn.now, content, asked=asks_what_it_is(message, session))
    notice = BETWEEN.join(filter(None, (disclosure, answer_due(message, session, content))))
    voice = voice_of(session)
    asked_for = CounselorInput(
        directive=directive,
        speech_register=session.register_.value,
        summary=excerpt(turn.state.summary_text, LONGEST_SUMMARY),
        first_turn=turn.state.seq == 0,
        unclear=_unclear(session, turn.seq, directive, content),
        fears_home=voice.hurt_at_home or voice.fears_home,
        in_questionnaire=any(one.highest_self_harm and one.seq == session.risk.last_seq for one in session.measures),
        due=next_inquiry(turn, message, session, found, content),
    )
    speaker = speaker_of(directive.stance)
    in_danger = session.risk.is_open or directive.stance is Stance.CARE
    return PreparedReply(
        directive=directive,
        session=session,
        found=found,
        notice=notice,
        given=Findings(events=given),
        speech=Speech.of(speaker, asked_for, dialogue(turn.state, message.text), session.locale),
        guard=guard_of(turn, message, session, content, speaker.prompt, noticed=bool(notice)),
        in_danger=in_danger,
    )


def _unclear(session: Session, seq: int, directive: Directive, content: Content) -> str:
    """Return how to say that the message was not understood; with a request to repeat it unless a question follows."""
    if not directive.parse_error:
        return ""
    messages = content.messages(session.locale, session.register_)
    keys = ("not_understood",) if directive.ask else ("not_understood", "say_again")
    return " ".join(unheard(wordings, session, seq) for key in keys if (wordings := messages.variants(key)))
