"""Counselor: speaks what the directive plans, token by token; when no model can speak, says so honestly."""

from dataclasses import replace

from functions.chat.flows.counseling.honesty import disclosure_due
from functions.chat.flows.counseling.output_guard import guard_of, note_guarded
from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.flows.counseling.safety_gate import voice_of, words_without_a_model
from shared.content.catalogue import Content
from shared.content.crisis_answers import asks_directly, asks_resources
from shared.content.crisis_protocol import direct_question, resource_block
from shared.content.session_words import without_questions
from shared.contracts.events import Replace, Token
from shared.domain.counseling.directive import Directive
from shared.domain.counseling.risk_events import DangerAsked
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.session_events import PartAnnounced, RepeatAsked, ReplyDegraded, WrapUpProposed
from shared.domain.counseling.task_events import SlotAsked
from shared.engine.agent import Speaker
from shared.engine.memory import LONGEST_SUMMARY, dialogue
from shared.engine.prose import excerpt
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.speech import speak
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.follow_through import needs_now, resources_due

AGENT = "counselor"
DEGRADED = "degraded"


class CounselorInput(Model):
    """What the prompt is rendered from; the dialogue goes beside it, in its roles.

    Attributes:
        unclear: How it may be said that the message was not understood: an example.
    """

    directive: Directive
    speech_register: str
    summary: str
    first_turn: bool
    unclear: str = ""


SPEAKER = Speaker(name=AGENT, prompt=Prompt(PROMPTS, AGENT, 2, CounselorInput))


async def counsel(progress: Progress, directive: Directive, content: Content) -> str:
    """Stream the reply and note what it asked for and proposed."""
    turn, state = progress.turn, progress.state
    foreword = ReplyPrefix(disclosure_due(progress, content), turn.scope.emit)
    given = CounselorInput(
        directive=directive,
        speech_register=state.register_.value,
        summary=excerpt(turn.state.summary_text, LONGEST_SUMMARY),
        first_turn=turn.state.seq == 0,
        unclear=_unclear(progress, directive, content),
    )
    scope = replace(turn.scope, emit=foreword.emit)
    guard = guard_of(progress, content, SPEAKER.prompt, noticed=bool(foreword.text))
    spoken = await speak(turn.runner, SPEAKER, given, dialogue(turn.state, turn.text), scope, guard)
    if spoken is None:
        return _without_a_model(progress, directive, content, foreword)
    if spoken.shortened:
        progress.flags.append("shortened")
    cut = note_guarded(progress, spoken.guarded)
    said = _with_the_proposal(directive, spoken.text, content, progress)
    whole = said + _danger_left_out(progress, directive, spoken.text) + _help_lines(progress)
    if not whole.startswith(spoken.text):
        turn.scope.emit(Replace(text=foreword.before(whole)))
    elif whole != spoken.text:
        turn.scope.emit(Token(text=whole.removeprefix(spoken.text)))
    _note_asked(progress, directive, whole=not cut, asks=_asks(spoken.text))
    return foreword.before(whole)


def _note_asked(progress: Progress, directive: Directive, *, whole: bool, asks: bool) -> None:
    """Note what the reply asked for and proposed.

    Args:
        progress: The turn's.
        directive: What the reply was to do.
        whole: Nothing of the model's reply was cut.
        asks: The model's reply asks something.
    """
    seq = progress.turn.seq
    if directive.concern:
        progress.note(DangerAsked(seq=seq))
    if directive.parse_error:
        progress.note(RepeatAsked(seq=seq))
    asked = directive.ask.slot if directive.ask is not None and (whole or asks) else None
    progress.note(SlotAsked(slot=asked, seq=seq))
    if directive.part_changed and whole:
        progress.note(PartAnnounced(part=directive.part))
    if directive.proposes is not None:
        progress.note(WrapUpProposed(aim=directive.proposes, seq=seq))


def _unclear(progress: Progress, directive: Directive, content: Content) -> str:
    """Return how to say that the message was not understood; without a request where a question is put again."""
    if not directive.parse_error:
        return ""
    messages = content.messages(progress.state.locale, progress.state.register_)
    keys = ("not_understood",) if directive.ask else ("not_understood", "say_again")
    wordings = (messages.variants(key) for key in keys)
    return " ".join(each[progress.turn.seq % len(each)] for each in wordings)


def _with_the_proposal(directive: Directive, spoken: str, content: Content, progress: Progress) -> str:
    """Return the reply with the question that it is to put: a "yes" counts only as the answer to that.

    Where the model asks something else, or nothing, the rule's own question takes its place.
    """
    words = content.session_words
    match directive.proposes:
        case None:
            return spoken
        case WrapUpAim.END:
            asked, question = words.asks_to_end(spoken), "confirm_end"
        case WrapUpAim.WRAP_UP:
            asked, question = words.asks_to_wrap_up(spoken), "propose_wrap_up"
    if asked:
        return spoken
    own = content.messages(progress.state.locale, progress.state.register_).text(question)
    return "\n\n".join(filter(None, (without_questions(spoken) if _asks(spoken) else spoken, own)))


def _danger_left_out(progress: Progress, directive: Directive, spoken: str) -> str:
    """Return the question whether they want to die that the model did not ask, or was cut before."""
    if not directive.concern or asks_directly(spoken):
        return ""
    return "\n\n" + direct_question(voice_of(progress.state), progress.turn.seq)


def _asks(text: str) -> bool:
    return "?" in text or "？" in text


def _without_a_model(progress: Progress, directive: Directive, content: Content, foreword: ReplyPrefix) -> str:
    """Say what needs no model: a user who may end can end, whatever has become of the model. Else apologise."""
    if directive.proposes is not WrapUpAim.END:
        return apologize(progress, content, foreword)
    turn, state = progress.turn, progress.state
    words = content.messages(state.locale, state.register_).text("confirm_end") + _help_lines(progress)
    reply = foreword.before(words)
    progress.note(ReplyDegraded(), WrapUpProposed(aim=WrapUpAim.END, seq=turn.seq))
    progress.flags.append(DEGRADED)
    turn.scope.emit(Replace(text=reply))
    return reply


def apologize(progress: Progress, content: Content, foreword: ReplyPrefix | None = None) -> str:
    """Say honestly that no answer could be given; never the same words twice running.

    Args:
        progress: The turn's.
        content: The service's.
        foreword: What a rule has said in this turn; without one it is said here.
    """
    turn, state = progress.turn, progress.state
    foreword = foreword or ReplyPrefix(disclosure_due(progress, content), turn.scope.emit)
    caring = words_without_a_model(progress)
    variants = content.messages(state.locale, state.register_).variants("degraded_reply")
    words = caring or variants[state.degraded_replies % len(variants)]
    reply = foreword.before(words) + _help_lines(progress, due=caring is not None and state.risk.follow_through)
    progress.note(ReplyDegraded())
    if caring is None:
        progress.note(RepeatAsked(seq=turn.seq))
    progress.flags.append(DEGRADED)
    turn.scope.emit(Replace(text=reply))
    return reply


def _help_lines(progress: Progress, *, due: bool = False) -> str:
    """The resource block: every third turn of a follow-through, whenever the user asks for it, and where it is due."""
    state = progress.state
    if not (due or resources_due(state.risk) or asks_resources(progress.message)):
        return ""
    return "\n\n" + resource_block(voice_of(state), needs_now(state.risk))
