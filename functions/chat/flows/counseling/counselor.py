"""Counselor: speaks what the directive plans, token by token; when no model can speak, says so honestly."""

from collections.abc import Callable
from dataclasses import replace

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.safety_gate import MINOR
from shared.content.catalogue import Content
from shared.content.crisis_protocol import asks_resources, resource_block
from shared.contracts.events import Replace, StreamEvent, Token
from shared.domain.counseling.directive import Directive
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import PartAnnounced, ReplyDegraded, WrapUpProposed
from shared.domain.counseling.task_events import SlotAsked
from shared.domain.model import Model
from shared.domain.safety.follow_through import resources_due
from shared.domain.safety.levels import RiskLevel
from shared.engine.agent import Speaker
from shared.engine.memory import LONGEST_SUMMARY, dialogue
from shared.engine.prose import excerpt
from shared.engine.speech import speak
from shared.prompts.catalogue import Prompt

AGENT = "counselor"
DEGRADED = "degraded"


class CounselorInput(Model):
    """What the prompt is rendered from; the dialogue goes beside it, in its roles."""

    directive: Directive
    speech_register: str
    summary: str
    first_turn: bool


SPEAKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 1, CounselorInput))


async def counsel(progress: Progress, directive: Directive, content: Content) -> str:
    """Stream the reply and note what it asked for and proposed."""
    turn, state = progress.turn, progress.state
    before = _spoken_by_rule(progress, content)
    if before:
        turn.scope.emit(Token(text=before))
    given = CounselorInput(
        directive=directive,
        speech_register=state.register_.value,
        summary=excerpt(turn.state.summary_text, LONGEST_SUMMARY),
        first_turn=turn.state.seq == 0,
    )
    scope = replace(turn.scope, emit=_behind(before, turn.scope.emit))
    spoken = await speak(turn.runner, SPEAKER, given, dialogue(turn.state, turn.text), scope)
    if spoken is None:
        return _without_a_model(progress, directive, content)
    if spoken.shortened:
        progress.flags.append("shortened")
    question = _question_left_out(progress, directive, spoken.text, content)
    after = question + _help_lines(progress)
    if after:
        turn.scope.emit(Token(text=after))
    progress.note(SlotAsked(slot=directive.ask.slot if directive.ask else None))
    if directive.part_changed:
        progress.note(PartAnnounced(part=directive.part))
    if directive.proposes is not None and (question or _asks(spoken.text)):
        progress.note(WrapUpProposed(aim=directive.proposes, seq=turn.seq))
    return before + spoken.text + after


def _question_left_out(progress: Progress, directive: Directive, spoken: str, content: Content) -> str:
    """Return the question whether to end that the model did not get to: a "yes" counts only where one was asked.

    A proposal to wrap up needs none: what was not asked stays suggested, and the next reply proposes it.
    """
    if directive.proposes is not WrapUpAim.END or _asks(spoken):
        return ""
    return "\n\n" + content.messages(progress.state.locale, progress.state.register_).text("confirm_end")


def _asks(text: str) -> bool:
    return "?" in text or "？" in text


def _without_a_model(progress: Progress, directive: Directive, content: Content) -> str:
    """Say what needs no model: a user who may end can end, whatever has become of the model. Else apologise."""
    if directive.proposes is not WrapUpAim.END:
        return apologize(progress, content)
    turn, state = progress.turn, progress.state
    reply = content.messages(state.locale, state.register_).text("confirm_end") + _help_lines(progress)
    progress.note(ReplyDegraded(), WrapUpProposed(aim=WrapUpAim.END, seq=turn.seq))
    progress.flags.append(DEGRADED)
    turn.scope.emit(Replace(text=reply))
    return reply


def apologize(progress: Progress, content: Content) -> str:
    """Say honestly that no answer could be given; never the same words twice running."""
    turn, state = progress.turn, progress.state
    variants = content.messages(state.locale, state.register_).variants("degraded_reply")
    reply = variants[state.degraded_replies % len(variants)] + _help_lines(progress)
    progress.note(ReplyDegraded())
    progress.flags.append(DEGRADED)
    turn.scope.emit(Replace(text=reply))
    return reply


def _behind(before: str, emit: Callable[[StreamEvent], None]) -> Callable[[StreamEvent], None]:
    """What a rule said stays when the stream after it is mended."""

    def emit_behind(event: StreamEvent) -> None:
        emit(Replace(text=before + event.text) if isinstance(event, Replace) else event)

    return emit_behind


def _spoken_by_rule(progress: Progress, content: Content) -> str:
    """What honesty requires whatever the model says: asked whether it is a person, it answers."""
    if not content.lexicon.asks_if_human(progress.turn.text):
        return ""
    state: Session = progress.state
    return content.messages(state.locale, state.register_).text("ai_notice") + "\n\n"


def _help_lines(progress: Progress) -> str:
    """The resource block: every third turn of a follow-through, and whenever the user asks for it."""
    state = progress.state
    if not (resources_due(state.risk) or asks_resources(progress.turn.text)):
        return ""
    block = resource_block(
        state.locale,
        state.register_,
        minor=state.age_band == MINOR,
        imminent=state.risk.level is RiskLevel.IMMINENT,
    )
    return "\n\n" + block
