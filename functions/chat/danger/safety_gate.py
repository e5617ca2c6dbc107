"""Safety gate: rules before any model. The protocol answers a crisis, not the model."""

from collections.abc import Collection, Sequence

from functions.chat.danger.help_seeking import Care, fitting_step, guided, own_life, steadying
from functions.chat.danger.protocol_question import (
    NEEDS_HELP_NOW,
    protocol_question,
    says_means_at_hand,
    told_of_danger,
)
from functions.chat.findings import Findings, FixedReply, Reply
from functions.chat.legacy.asked_before import picking, unheard
from functions.chat.legacy.user_message import UserMessage
from functions.chat.legacy.voice import INQUIRIES
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.content.crisis_protocol import AT_HAND
from shared.domain.counseling.help_events import DangerTold, SafetyInquired
from shared.domain.counseling.module import CRISIS_MODULE, ChoiceCause
from shared.domain.counseling.risk_events import AgeStated, DangerAsked, ProtocolReplied, RiskRaised
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.session_events import MisreadTold, WrapUpProposed
from shared.domain.counseling.task_events import ModuleChanged, SlotAsked
from shared.domain.event import Event
from shared.domain.records import AuditEntry
from shared.domain.turn import Hook
from shared.engine.flow import Turn
from shared.safety.abuse import AbuseKind
from shared.safety.crisis import WITH_ONESELF
from shared.safety.follow_through import needs_now
from shared.safety.levels import CrisisOutcome, Danger, danger_of, most_pressing
from shared.safety.needs import union
from shared.safety.protocol_questions import Topic
from shared.services.counseling.exits import exit_during_follow_up

AGENT = "safety_gate"
CRISIS_FLAG = "crisis"
_FRIGHTENED = frozenset({"ko-frightened-of-own-thoughts", "en-frightened-of-own-thoughts"})
"""Rules that find unwanted thoughts of harming one's child or a parent."""
_VIOLENCE = {CrisisOutcome.ABUSE, CrisisOutcome.ABUSE_NOW}
_BY_HAND = frozenset({AbuseKind.DOMESTIC, AbuseKind.CHILD, AbuseKind.ELDER, AbuseKind.OTHER})
"""Violence with which a neck may have been pressed."""
_UNDER_14 = "the user is under 14"
_ACT = {CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED}
"""What a message tells by which an act is done now."""


def needs_protocol(found: Findings) -> CrisisOutcome | None:
    """Return the outcome of this turn that the protocol must answer, or None.

    An earlier crisis is followed through, not answered again.
    """
    worst = most_pressing(*(event.outcome for event in found.of(RiskRaised)))
    return worst if worst.needs_protocol else None


def concerned(found: Findings) -> bool:
    """Return whether this turn found a concern or worse, which is asked about before anything is agreed to or ended."""
    return any(event.outcome.severity >= CrisisOutcome.CONCERN.severity for event in found.of(RiskRaised))


def answer(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content, plan: str = ""
) -> FixedReply:
    """Return the protocol's reply to this turn's danger, with what the user's safety plan says; no model is asked.

    It ends with its one question.
    """
    outcome = most_pressing(*(event.outcome for event in found.of(RiskRaised)))
    own = _own_life_besides_others(outcome, message, session.risk.found)
    unwanted = not _FRIGHTENED.isdisjoint(message.screened.crisis.rule_ids)
    frightened = unwanted and outcome is CrisisOutcome.HARM_TO_OTHERS and not own
    voice, needs = voice_of(session), needs_now(session.risk)
    now, then = steadying(turn, message, session, content), fitting_step(turn, message, session, content)
    reply = content.crisis_replies.reply(
        own or outcome,
        voice.model_copy(
            update={"guided": bool(then.text), "at_hand": says_means_at_hand(found), "frightened": frightened}
        ),
        picking(session, session.protocol_replies),
        needs=needs,
        said=message.screened.readings,
        plan=plan,
    )
    just_acted = content.crisis_replies.just_acted(voice, needs, plan)
    acted = any(event.outcomes >= _ACT for event in found.of(RiskRaised))
    if acted and not any(just_acted in said.text for said in session.recent):
        reply = just_acted
    why = content.under_14_replies.addition(voice) if session.under_14 else ""
    others = content.crisis_replies.others_too(voice) if own else ""
    topic, question = protocol_question(message, session, found, own or outcome, content)
    if frightened and topic is Topic.HARM_INTENT:
        question = content.crisis_replies.questions(topic, voice)[-1]
    hands = any(event.outcome in _VIOLENCE and not _BY_HAND.isdisjoint(event.kinds) for event in found.of(RiskRaised))
    neck = _about_the_neck(session, content) if hands else ""
    reply = "\n\n".join(filter(None, (reply, neck, others, now, then.text, why, question)))
    events: list[Event[Session]] = [*then.found.events]
    if content.crisis_answers.asks_directly(question):
        events.append(DangerAsked(seq=turn.seq))
    if told := told_of_danger(message, found):
        events.append(DangerTold(about=told, seq=turn.seq))
    if inquiry := INQUIRIES.get(topic):
        events.append(SafetyInquired(about=(inquiry,), seq=turn.seq, alone=inquiry))
    rules = tuple(rule for event in found.of(RiskRaised) for rule in event.rule_ids)
    code = f"{ChoiceCause.RISK.value}:{outcome.value}"
    reason = content.state_words(session.locale).module_reason(code)
    return FixedReply(
        reply,
        "crisis protocol",
        Findings(
            events=(*events, ProtocolReplied(), ModuleChanged(module_id=CRISIS_MODULE, reason=reason, code=code)),
            audit=(audit_line(turn, outcome, "protocol_reply", rules, len(found.audit)),),
            hooks=(Hook(type="crisis_detected", data={"level": outcome.value}),),
            flags=(CRISIS_FLAG,),
        ),
    )


def _about_the_neck(session: Session, content: Content) -> str:
    """Return that a neck, if it was pressed, must be examined; empty if a reply of late has said so.

    Half of those who were strangled show no mark, and most tell of the violence alone: it is said to all.
    """
    words = content.crisis_replies.after_strangling(voice_of(session))
    return "" if any(words in said.text for said in session.recent) else words


def _own_life_besides_others(
    outcome: CrisisOutcome, message: UserMessage, found: Collection[CrisisOutcome]
) -> CrisisOutcome | None:
    """Return the danger to the user's own life if they would also hurt others, as in a wish to die with the family.

    The suicide protocol then replies, with the others' safety. A means told next to a threat alone is meant for them.
    """
    for_them = Topic.MEANS in message.told and WITH_ONESELF not in message.screened.crisis.rule_ids
    if CrisisOutcome.HARM_TO_OTHERS not in found or danger_of(outcome) not in (Danger.OTHERS, Danger.OWN_LIFE):
        return None
    if outcome is CrisisOutcome.HARM_TO_OTHERS and for_them:
        return None
    own = most_pressing(*(one for one in found if danger_of(one) is Danger.OWN_LIFE))
    return own if own is not CrisisOutcome.NONE else None


def asks_to_leave(message: UserMessage, session: Session, *, concerned: bool) -> bool:
    """Return whether the user asks to stop in a follow-through or under 14, where the Counselor proposes no end.

    Under 14 a concern is asked about first; in a follow-through it is not new, and the resources are repeated.
    """
    unasked = session.risk.follow_through or (session.under_14 and not concerned)
    return unasked and message.words.asks_to_end


def ask_whether_to_leave(turn: Turn[Session], session: Session, content: Content) -> FixedReply:
    """Ask a user who wants to stop whether to end the session, with the resources.

    Nothing else is asked, so that a "yes" is unambiguous.
    """
    wordings = content.crisis_replies.leave_question(voice_of(session), needs_now(session.risk))
    reply = unheard(wordings, session, session.protocol_replies)
    proposed = WrapUpProposed(aim=WrapUpAim.END, seq=turn.seq)
    return FixedReply(reply, "the user wants to stop", Findings(events=(ProtocolReplied(), proposed)))


def answer_under_14(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> FixedReply:
    """Answer a user under 14 without a model: why the service does not go on, and where to find help.

    A follow-through goes on in fixed words, and a concern is asked about.
    """
    voice, pick = voice_of(session), picking(session, session.protocol_replies)
    first = bool(found.of(AgeStated))
    care = fixed_safety_reply(turn, message, session, found, content)
    if care is None:
        reply = content.under_14_replies.reply(voice, pick, union(session.risk.needs, AT_HAND), first=first)
        return FixedReply(reply, _UNDER_14, Findings(events=(ProtocolReplied(),)))
    followed = session.risk.follow_through
    needs = union(needs_now(session.risk), AT_HAND)
    block = (content.crisis_replies.resource_block(voice, needs),) if followed else ()
    why = () if followed and not first else (content.under_14_replies.addition(voice),)  # in a follow-through only once
    return FixedReply("\n\n".join((care.text, *block, *why)), _UNDER_14, care.found)


def exit_findings(turn: Turn[Session], session: Session) -> Findings:
    """Return the record of an end in a follow-through; nothing otherwise."""
    left = exit_during_follow_up(session, turn.seq, turn.now)
    return Findings(events=left.events, audit=left.audit)


def fixed_safety_reply(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> Reply | None:
    """Return the safety reply that needs no model, or None.

    It names the ambulance first to a user who needs help at once, cares in a follow-through, or asks about a concern.
    """
    voice = voice_of(session)
    if needs_help_now(found):
        words = content.crisis_replies.help_now(voice, needs_now(session.risk))
        return Reply(words, Findings(events=(ProtocolReplied(), SlotAsked(slot=None, seq=turn.seq))))
    if session.risk.follow_through:
        others_alone = session.risk.outcome is not CrisisOutcome.HARM_TO_OTHERS or not own_life(session.risk)
        danger = danger_of(session.risk.outcome) if others_alone else None
        wordings = content.crisis_replies.care(voice, danger or Danger.OWN_LIFE)
        words = unheard(wordings, session, session.protocol_replies)
        if found.of(MisreadTold):
            words = f"{content.crisis_replies.corrected(voice)} {words}"
        reply = guided(turn, message, session, found, Care(words, of_a_model=False), content)
        return Reply(reply.text, Findings(events=(ProtocolReplied(), SlotAsked(slot=None, seq=turn.seq))) + reply.found)
    if any(event.outcome is CrisisOutcome.CONCERN for event in found.of(RiskRaised)):
        return concern_reply(turn, session, content)
    return None


def needs_help_now(found: Findings) -> bool:
    """Return whether the user has just said yes to the question of a failed reply whether they need help at once."""
    return any(NEEDS_HELP_NOW in event.rule_ids for event in found.of(RiskRaised))


def concern_reply(turn: Turn[Session], session: Session, content: Content) -> Reply:
    """Return the fixed reply to a concern: the direct question with the help lines."""
    voice, needs = voice_of(session), union(needs_now(session.risk), AT_HAND)
    pick = picking(session, session.protocol_replies)
    words = content.crisis_replies.reply(CrisisOutcome.CONCERN, voice, pick, needs=needs)
    events = (DangerAsked(seq=turn.seq), ProtocolReplied(), SlotAsked(slot=None, seq=turn.seq))
    return Reply(words, Findings(events=events))


def audit_line(
    turn: Turn[Session], outcome: CrisisOutcome, action: str, rules: Sequence[str], number: int
) -> AuditEntry:
    """Return an audit line, which has no content; `number` counts the earlier audit lines of this turn."""
    place = f"{turn.state.conversation_id}-{turn.seq}-crisis"
    return AuditEntry(
        audit_id=f"{place}-{number}" if number else place,
        at=turn.now,
        conversation_id=turn.state.conversation_id,
        rule=", ".join(rules),
        level=outcome.value,
        action=action,
    )
