"""Counselor: streams the reply that the directive plans; apologizes if no model answers."""

from dataclasses import replace

from functions.chat.danger.danger_in_context import inquired
from functions.chat.danger.help_seeking import Care, guided
from functions.chat.danger.output_guard import guarded_findings
from functions.chat.danger.safety_gate import concern_reply, fixed_safety_reply
from functions.chat.findings import Findings, Reply, after
from functions.chat.flows.counseling.detectors import user_state
from functions.chat.flows.counseling.detectors.matters import is_worded_alike
from functions.chat.flows.counseling.misread import newest_reply
from functions.chat.flows.counseling.plan_of_reply import Directive
from functions.chat.flows.counseling.prepared_reply import PreparedReply
from functions.chat.flows.counseling.ruled_question import (
    asks_the_helper,
    leaving_room,
    question_to_close,
    with_the_direct_question,
    with_the_explanation,
    with_the_rules_question,
    yielding,
)
from functions.chat.flows.counseling.speculation import BegunReply
from functions.chat.legacy.asked_before import picking, unheard
from functions.chat.legacy.asking import feeling_first, wants_no_questions
from functions.chat.legacy.demands import answer_due, asks_what_it_is
from functions.chat.legacy.receiving import beside_leaving, receiving
from functions.chat.legacy.user_message import UserMessage
from functions.chat.legacy.voice import voice_of
from shared.content.catalogue import Content
from shared.content.crisis_protocol import AT_HAND
from shared.contracts.events import Replace, Token
from shared.domain.conversation import Role
from shared.domain.counseling.directive import EndCause
from shared.domain.counseling.risk_events import DangerAsked
from shared.domain.counseling.safety_plan import PlanStage, step_of
from shared.domain.counseling.safety_plan_events import SafetyPlanOffered
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import PartAnnounced, RepeatAsked, ReplyDegraded, WrapUpProposed
from shared.domain.counseling.task import CompletionRule
from shared.domain.counseling.task_events import ContradictionAsked, SlotAsked
from shared.domain.event import Event
from shared.domain.turn import DecidedBy
from shared.engine.flow import Turn
from shared.engine.reply_prefix import BETWEEN, ReplyPrefix
from shared.engine.speech import deliver
from shared.lexicon.asking import asks_of, without_asks
from shared.lexicon.sentences import without_sentences
from shared.lexicon.session_words import questions_of
from shared.safety.follow_through import needs_now, resources_due
from shared.safety.levels import CrisisOutcome, RiskLevel
from shared.safety.needs import Need, union
from shared.safety.output_guard.categories import FAULTS
from shared.services.counseling.honesty import disclosure_due

AGENT = "intake"
_STILL_FRESH = 2
"""Earlier messages in which a violence told is as fresh as in the newest."""
DEGRADED = "degraded"


async def counsel(
    turn: Turn[Session], message: UserMessage, reply: PreparedReply, begun: BegunReply | None, content: Content
) -> Reply:
    """Stream the reply; its findings say what it asked for and proposed.

    Args:
        turn: The turn.
        message: The user's message.
        reply: What is decided about the reply.
        begun: The reply under way, if it was begun before the decisions.
        content: All content.
    """
    session, found, directive, given = reply.session, reply.found, reply.directive, reply.given
    if begun is not None:
        prefix, spoken = begun.prefix, await begun.speech.spoken()
    else:
        prefix = ReplyPrefix(reply.notice, turn.scope.emit)
        spoken = await deliver(turn.runner, reply.speech, replace(turn.scope, emit=prefix.emit), reply.guard)
    cut = Findings() if spoken is None else guarded_findings(turn, spoken.guarded)
    if spoken is None or (spoken.guarded.category in FAULTS and not spoken.text):
        fallback = _without_a_model(turn, message, session, found, directive, content)
        return _replaced(turn, prefix, Reply(fallback.text, given + cut + fallback.found))
    if spoken.shortened:
        given += Findings(flags=("shortened",))
    if reply.in_danger:
        directive = yielding(directive, spoken.text, session, content)
        said = with_the_direct_question(directive, spoken.text, message, session, content)
    else:
        said = _asking_in_turn(turn, message, session, directive, spoken.text, content)
    said = with_the_repair(reply, said, message, turn.seq, content)
    if not cut.flags:
        said = with_the_explanation(directive, said, session, content)
    care = guided(turn, message, session, found, Care(said, of_a_model=True), content)
    # The guard may have left out all that the model said.
    kept = care.text or ("" if prefix.text else receiving(message, session, content))
    failed = turn.scope.ledger.failed(user_state.AGENT) or (
        spoken.shortened and (reply.in_danger or _unread(turn, message))
    )
    lines = _help_lines(session, message, content, due=_skips_danger(turn, message), failed=failed)
    whole = _with_lines(kept, lines, message, session, content).lstrip()
    _complete(turn, prefix, spoken.text, whole)
    left_out = _asks(spoken.text) and not asks_of(said)
    heard = directive.ruled is not None or not left_out
    asked = _asked(
        turn.seq, directive if heard else directive.without_ask(), whole=not cut.flags, asks=_asks(spoken.text)
    )
    if asks_the_helper(session, directive):
        asked = (*asked, DangerAsked(seq=turn.seq))
    return Reply(prefix.before(whole), given + cut + care.found + Findings(events=asked))


def _asking_in_turn(
    turn: Turn[Session], message: UserMessage, session: Session, directive: Directive, spoken: str, content: Content
) -> str:
    waits = asks_out_of_turn(turn, message, session, directive, spoken, content) or probes_for_details(
        message, session, spoken, content
    )
    text = leaving_room(directive, spoken, session, turn.seq, content) if waits else spoken
    return with_the_rules_question(directive, text, message, session, turn.seq, content)


def _complete(turn: Turn[Session], prefix: ReplyPrefix, spoken: str, whole: str) -> None:
    if whole == spoken:
        return
    if spoken and whole.startswith(spoken):
        turn.scope.emit(Token(text=whole.removeprefix(spoken)))
    else:
        turn.scope.emit(Replace(text=prefix.before(whole)))


def apologize(turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content) -> Reply:
    """Say that no answer could be given, after an AI notice if one is due."""
    disclosure, given = disclosure_due(session, turn.now, content, asked=asks_what_it_is(message, session))
    notice = BETWEEN.join(filter(None, (disclosure, answer_due(message, session, content))))
    apology = _apology(turn, message, session, found, content)
    told = Findings(events=given) + apology.found
    return _replaced(turn, ReplyPrefix(notice, turn.scope.emit), Reply(apology.text, told))


def _replaced(turn: Turn[Session], prefix: ReplyPrefix, reply: Reply) -> Reply:
    text = prefix.before(reply.text)
    turn.scope.emit(Replace(text=text))
    return Reply(text, reply.found)


def _asked(seq: int, directive: Directive, *, whole: bool, asks: bool) -> tuple[Event[Session], ...]:
    """Return the events for what the reply asked for and proposed.

    Args:
        seq: The turn.
        directive: The directive of the reply.
        whole: The guard cut nothing from the model's reply.
        asks: The model's reply contains a question.
    """
    ask = directive.ask
    slot = ask.slot if ask is not None and (whole or asks or step_of(ask.slot)) else None
    events: tuple[Event[Session] | None, ...] = (
        DangerAsked(seq=seq) if directive.concern else None,
        RepeatAsked(seq=seq) if directive.parse_error else None,
        SafetyPlanOffered(seq=seq) if directive.offers_plan else None,
        SlotAsked(slot=slot, seq=seq),
        ContradictionAsked(slot=directive.contradiction.slot, seq=seq) if directive.contradiction else None,
        PartAnnounced(part=directive.part) if directive.part_changed and whole else None,
        _proposed(directive, seq) if directive.proposes is not None else None,
    )
    return tuple(event for event in events if event is not None)


def _proposed(directive: Directive, seq: int) -> WrapUpProposed:
    choice = directive.end_cause is EndCause.SHORT_ANSWERS
    return WrapUpProposed(aim=directive.proposes or WrapUpAim.END, seq=seq, choice=choice)


def _asks(text: str) -> bool:
    return bool(questions_of(text))


def _without_a_model(
    turn: Turn[Session],
    message: UserMessage,
    session: Session,
    found: Findings,
    directive: Directive,
    content: Content,
) -> Reply:
    """Ask what a rule asks, so that the user can leave or go on with a safety plan without a model; else apologize."""
    ask = directive.ask
    if ask is not None and step_of(ask.slot):
        events: tuple[Event[Session], ...] = (ReplyDegraded(), SlotAsked(slot=ask.slot, seq=turn.seq))
        return Reply(
            ask.question + _help_lines(session, message, content, failed=_unread(turn, message)),
            Findings(events=events, flags=(DEGRADED,)),
        )
    if directive.concern and fixed_safety_reply(turn, message, session, found, content) is None:
        again = concern_reply(turn, session, content)
        return Reply(again.text, again.found + Findings(events=(ReplyDegraded(),), flags=(DEGRADED,)))
    if directive.proposes is not WrapUpAim.END:
        return _apology(turn, message, session, found, content)
    words = question_to_close(directive, session, content)
    if directive.end_cause is not EndCause.SHORT_ANSWERS:
        words = f"{receiving(message, session, content)}\n\n{words}"
    told = bool(beside_leaving(message.text, content))
    words += _help_lines(session, message, content, failed=told and _unread(turn, message))
    events = (ReplyDegraded(), _proposed(directive, turn.seq))
    return Reply(words, Findings(events=events, flags=(DEGRADED,)))


def _apology(turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content) -> Reply:
    """Return the safety reply that is due, else an apology in a wording that the session has not heard.

    An apology names the lines, and asks whether the user needs help at once, if no model has read the message or a risk
    is or was open. One for a message that was read and found harmless asks for it again.
    """
    care = fixed_safety_reply(turn, message, session, found, content)
    degraded = Findings(events=(ReplyDegraded(),), flags=(DEGRADED,))
    if care is not None:
        cared = after(session, care.found.events, turn.now)
        words = care.text + _help_lines(cared, message, content, failed=session.risk.follow_through)
        return Reply(words, care.found + degraded)
    degraded += Findings(events=(RepeatAsked(seq=turn.seq),))
    if _unread(turn, message) or session.risk.level is not RiskLevel.NONE or session.risk.over_seq is not None:
        pick = picking(session, session.degraded_replies)
        needs, replies = session.risk.needs, content.crisis_replies
        return Reply(replies.unread_reply(voice_of(session), pick, needs, urgent=Need.EMERGENCY in needs), degraded)
    variants = content.messages(session.locale, session.register_).variants("degraded_reply")
    words = unheard(variants, session, session.degraded_replies) + _help_lines(session, message, content)
    return Reply(words, degraded)


def _unread(turn: Turn[Session], message: UserMessage) -> bool:
    """Return whether no model has read the message, nor a rule that knows such plain words as a yes.

    An answer to the question of a failed reply is not known as plain.
    """
    by = turn.scope.ledger.decided_by(user_state.AGENT)
    return by in (None, DecidedBy.SAFE_DEFAULT) or (by is DecidedBy.RULE and message.answers_if_urgent)


def _skips_danger(turn: Turn[Session], message: UserMessage) -> bool:
    """Return whether the user skips the question about suicide, plan or means: people are named instead."""
    state = turn.state
    return message.answers and message.skips and (state.risk.asked_seq == state.seq or inquired(state) is not None)


def _with_lines(text: str, lines: str, message: UserMessage, session: Session, content: Content) -> str:
    """Return the reply with the help lines; whoever asks for them in a danger gets them before the next question."""
    wanted = session.risk.level is not RiskLevel.NONE and content.crisis_answers.asks_resources(message.screened)
    question = " ".join(asks_of(text)[-1:])
    at = text.rfind(question) if question else -1  # what explains the question stays behind it
    if not (lines and wanted) or at < 0:
        return text + lines
    return "\n\n".join(filter(None, (text[:at].strip(), lines.strip(), text[at:])))


def _help_lines(
    session: Session, message: UserMessage, content: Content, *, due: bool = False, failed: bool = False
) -> str:
    """Return the resource block if it is due, on the user's request or every third turn of a follow-through.

    A reply that `failed` has it too, always with the line for talking about dying and the ambulance; else it is empty.
    """
    wanted = due or failed or resources_due(session.risk) or content.crisis_answers.asks_resources(message.screened)
    if not wanted:
        return ""
    needs = union(needs_now(session.risk), AT_HAND if failed else ())
    return "\n\n" + content.crisis_replies.resource_block(voice_of(session), needs)


def with_the_repair(reply: PreparedReply, said: str, message: UserMessage, seq: int, content: Content) -> str:
    """Return the reply to a correction: it owns the misreading, or takes up what the user meant.

    What the model says again of the misreading is left out. A reply that does neither begins with a fixed repair. In
    place of what the model asks stands the question what was meant, or none if the user has told it. While a risk is
    open the reply stays whole, and the protocol's own words begin it.
    """
    directive, session = reply.directive, reply.session
    if not directive.misread:
        return said
    words = content.session_words
    # Who says only that they are not called so tells nothing that was meant.
    own = "" if directive.ruled else words.meant(message.text)
    denied = content.lexicon.read(message.text if directive.ruled else words.denied(message.text)).content_words
    meant = words.says_more(content.lexicon.read(own).content_words - denied)
    if not reply.in_danger:
        said = _without_the_misreading(said, meant, denied, session, content)
    taken_up = meant & content.lexicon.read(without_asks(said)).content_words
    if taken_up or words.owns_misreading(said):
        return said
    if reply.in_danger:
        return f"{content.crisis_replies.corrected(voice_of(session))} {said}"
    messages = content.messages(session.locale, session.register_)
    told = without_asks(said) if meant else ""
    key = "repair_hears" if meant else "repair_asks"
    then = directive.ruled or unheard(messages.variants(key), session, seq)
    return " ".join(filter(None, (unheard(messages.variants("repair"), session, seq), told, then)))


def _without_the_misreading(
    said: str, meant: frozenset[str], denied: frozenset[str], session: Session, content: Content
) -> str:
    """Return a reply without sentences that say again what the corrected reply said, and nothing that was meant."""
    words, corrected = content.session_words, content.lexicon.read(newest_reply(session))
    said_of_them = words.says_more(corrected.content_words | denied)
    wrong = frozenset(one for one in said_of_them if not words.is_common(one)) - meant

    def repeats(sentence: str) -> bool:
        read = content.lexicon.read(sentence)
        felt = read.emotion.intensity and read.emotion.label is corrected.emotion.label
        again = felt or not wrong.isdisjoint(read.content_words)
        return bool(again) and meant.isdisjoint(read.content_words) and not words.owns_misreading(sentence)

    return without_sentences(said, repeats)


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
