"""Guides a user in danger to people by rule: the next step, the questions after the protocol, answers to barriers."""

from dataclasses import dataclass

from functions.chat.danger.protocol_question import evaded_question, next_about_others
from functions.chat.findings import Findings, Reply
from functions.chat.legacy.asked_before import asks_again, fresh, picking, unheard
from functions.chat.legacy.demands import limits_told
from functions.chat.legacy.user_message import UserMessage
from functions.chat.wordings import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.help_events import (
    BarriersAnswered,
    CircumstancesTold,
    DangerTold,
    HelpTakenUp,
    LimitsTold,
    SafetyGaveWay,
    SafetyHeldBack,
    SafetyInquired,
    StepNamed,
)
from shared.domain.counseling.risk_events import DangerAsked, RiskWatched
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import MisreadTold
from shared.domain.event import Event
from shared.engine.flow import Turn
from shared.lexicon.asking import asks_in_own_words, asks_of, without_asks
from shared.safety.demands import Demand
from shared.safety.follow_through import Risk, resources_due
from shared.safety.help_seeking import (
    PASSING,
    Barrier,
    Circumstance,
    Inquiry,
    inquiry_due,
    open_questions,
    put_away_due,
)
from shared.safety.levels import CrisisOutcome, Danger, RiskLevel, danger_of
from shared.safety.next_step import Hours, Surroundings, clinic_hours, next_step
from shared.safety.protocol_questions import Topic
from shared.safety.reassurance import Reassurance, dangers

_MOST_BARRIERS = 2
"""Barriers answered in one reply."""
_SAFETY = (Inquiry.PLAN, Inquiry.MEANS)


@dataclass(frozen=True)
class Care:
    """The words of a reply in a follow-through, before the rules add theirs.

    Attributes:
        of_a_model: They are a model's, which stay whole; else fixed words.
    """

    text: str
    of_a_model: bool

    @property
    def asks(self) -> bool:
        """Whether a model's own words hold a question, behind which the rules ask no other one; none in a quotation."""
        return self.of_a_model and asks_in_own_words(self.text)


def hear(turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content) -> Findings:
    """Return what the message tells of the user's situation, and whether they take up help; calm alone is no help.

    A helper who says that they do not think of dying themselves has answered that question.
    """
    said = message.screened.readings
    told = tuple(one for one in message.circumstances if one not in PASSING and _matters(one, session))
    events: list[Event[Session]] = []
    if session.help_seeking.told(told) != session.help_seeking:
        events.append(CircumstancesTold(told=told))
    cared_for = any(Reassurance.CARED_FOR in event.said for event in found.of(RiskWatched))
    feared = Circumstance.FEARS_HOME in (*session.help_seeking.circumstances, *told)
    helped = cared_for or Circumstance.CONTACT in told or (Circumstance.WITH_FAMILY in told and not feared)
    if session.risk.level is not RiskLevel.NONE and (helped or content.help_seeking.takes_up(said)):
        events.append(HelpTakenUp(seq=turn.seq))
    worried = not {CrisisOutcome.THIRD_PARTY, CrisisOutcome.THIRD_PARTY_NOW}.isdisjoint(session.risk.found)
    if worried and content.crisis_answers.fine_oneself(message.screened):
        events.append(DangerTold(about=(Topic.HELPER_TOO,), seq=turn.seq))
    return Findings(events=tuple(events))


def _matters(told: Circumstance, session: Session) -> bool:
    """Return whether it is kept; that somebody was called is news only in a danger."""
    return told is not Circumstance.CONTACT or session.risk.level is not RiskLevel.NONE


def fitting_step(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> Reply:
    """Return the next step that fits what the user told; empty if nothing is known, or it was named in this danger.

    It is for a danger to the user's own life: a victim of violence, or a user who threatens, needs other steps, and one
    who has just acted waits for the ambulance.
    """
    if not own_life(session.risk) or has_just_acted(session.risk):
        return Reply("", Findings())
    voice, known, since = voice_of(session), session.help_seeking, session.risk.since_seq or 0
    told = {*message.told, *known.told_since(since)}
    around = Surroundings(
        hours=Hours.NIGHT if Circumstance.NIGHT in message.circumstances else clinic_hours(turn.now, session.locale),
        hurt_at_home=voice.hurt_at_home,
        harming=voice.harming,
        away=Topic.PLACE in told,
        minor=session.minor,
    )
    step = next_step(known.circumstances, around, known.steps_since(since))
    if step is None:
        return Reply("", Findings())
    named = StepNamed(step=step, seq=turn.seq)
    return Reply(content.help_seeking.step(step, voice, picking(session, turn.seq)), Findings(events=(named,)))


def steadying(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> str:
    """Return what helps for some minutes against an urge that the user tells of.

    It is empty after an attempt, where the body must be seen to first, and in an imminent danger, where people must
    come.
    """
    worse = not {CrisisOutcome.ATTEMPTED, CrisisOutcome.IMMINENT}.isdisjoint(session.risk.found)
    if Circumstance.URGE not in message.circumstances or worse or not own_life(session.risk):
        return ""
    return content.help_seeking.steadying(voice_of(session), picking(session, turn.seq))


def guided(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, reply: Care, content: Content
) -> Reply:
    """Return a reply of a follow-through with what the rules must say and ask.

    What the AI is asked for and cannot do is said first; for a danger to the user's own life they are guided further.
    """
    if not session.risk.follow_through:
        return Reply(reply.text, Findings())
    guide = _guided_on if own_life(session.risk) else _asked_about_others
    care = guide(turn, message, session, found, reply, content)
    said, new = limits_told(message, session, content)
    if not said:
        return care
    told = Findings(events=(LimitsTold(demands=new, seq=turn.seq),) if new else ())
    return Reply("\n\n".join(filter(None, (said, care.text))), care.found + told)


def _asked_about_others(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, reply: Care, content: Content
) -> Reply:
    """Return the reply with the next question about a threat to another person, unless the model asks something.

    A user who refuses to answer, or says that nothing will happen, is asked nothing.
    """
    threatens = Danger.OTHERS in dangers((*session.risk.found, session.risk.outcome))
    if not threatens or _refuses(message, content) or session.risk.taken_back or _said_safe(found) or reply.asks:
        return Reply(reply.text, Findings())
    text = _composed(reply, [], next_about_others(session, content), session, content)
    asked = (DangerAsked(seq=turn.seq),) if content.crisis_answers.asks_directly(text, last=True) else ()
    return Reply(text, Findings(events=asked))


def _guided_on(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, reply: Care, content: Content
) -> Reply:
    """Return the reply with the next step, and with what is to be asked.

    A barrier that the user names is answered, an urge is met.
    """
    words, voice = content.help_seeking, voice_of(session)
    barriers = _barriers(message, session, content)
    direct = _direct_question(turn, message, session, found, reply, content)
    question, due = _inquiry(turn, message, session, found, reply, content)
    gives_way = reply.asks and bool(question)
    if direct or gives_way:
        question, due = direct, None
    now = steadying(turn, message, session, content)
    due_now = _step_due(message, session, found, content)
    then = fitting_step(turn, message, session, content) if due_now else Reply("", Findings())
    help_ = [text for text in (now, *(words.answer(one, voice) for one in barriers), then.text) if text]
    text = _composed(reply, help_, question, session, content)
    asked = _SAFETY if _refuses(message, content) else words.asked_in(text)
    events: tuple[Event[Session] | None, ...] = (
        BarriersAnswered(barriers=barriers) if barriers else None,
        SafetyInquired(about=asked, seq=turn.seq, alone=due if question else None) if asked else None,
        _given_way(turn, message, session, reply, content, gives_way=gives_way),
        DangerTold(about=message.told, seq=turn.seq) if message.told else None,
        DangerAsked(seq=turn.seq) if direct or _asks_again(turn, message, found, content) else None,
    )
    return Reply(text, then.found + Findings(events=tuple(event for event in events if event is not None)))


def _given_way(
    turn: Turn[Session], message: UserMessage, session: Session, reply: Care, content: Content, *, gives_way: bool
) -> Event[Session] | None:
    """Return what becomes of the rules' questions behind those of the model.

    They give way for good only to the model's about safety: a question about dinner does not let them lapse.
    """
    words = content.help_seeking
    asks_about_safety = bool(words.asked_in(reply.text)) or content.session_words.asks_about_safety(reply.text)
    about_safety = asks_about_safety or _refuses(message, content)
    if gives_way and not about_safety:
        return SafetyHeldBack(seq=turn.seq)
    if gives_way:
        return SafetyGaveWay(about=open_questions(session.help_seeking, session.risk), seq=turn.seq)
    if session.help_seeking.held_back is not None and (about_safety or not reply.asks):
        return SafetyHeldBack(seq=None)
    return None


def _inquiry(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, reply: Care, content: Content
) -> tuple[str, Inquiry | None]:
    """Return the question that is due, if the reply does not ask it itself, and what it is about.

    A model's own question goes before it: then it gives way.
    """
    words, voice = content.help_seeking, voice_of(session)
    due = next_inquiry(turn, message, session, found, content)
    question = fresh(words.questions(due, voice), session) if due and due not in words.asked_in(reply.text) else ""
    if due is Inquiry.SAFE and asks_again(question, session):
        question, due = "", None
    kept = due is Inquiry.PUT_AWAY or _refuses(message, content) or _asks_again(turn, message, found, content)
    if not kept and (first := _asked_first(message, session, found, _barriers(message, session, content), content)):
        question, due = first, next(iter(words.asked_in(first)), None)
    if question and _said_safe(found):
        question = f"{words.checks_all_the_same(voice, picking(session, turn.seq))} {question}"
    return question, due


def _direct_question(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, reply: Care, content: Content
) -> str:
    """Return the question whether the user wants to die, which comes last, also behind a question of the model.

    It is asked of a user who was misread, and behind a model's question once more of one who evaded it. Where the model
    asks nothing, the question that is due follows instead, as it does where the model asks for the plan or the means.
    """
    if content.crisis_answers.asks_directly(reply.text):
        return ""
    if _asks_again(turn, message, found, content):
        return content.crisis_replies.question_after_correction(voice_of(session))
    if not reply.asks or _refuses(message, content) or content.help_seeking.asked_in(reply.text):
        return ""
    return evaded_question(message, session, content, about=(Topic.INTENT,))


def _refuses(message: UserMessage, content: Content) -> bool:
    return message.refuses or content.help_seeking.refuses_answer(message.screened.readings)


def _asked_first(
    message: UserMessage, session: Session, found: Findings, barriers: tuple[Barrier, ...], content: Content
) -> str:
    """Return the question that goes first: whether others are near whom the user would hurt, or one that was evaded."""
    threatens = CrisisOutcome.HARM_TO_OTHERS in session.risk.found and Danger.OTHERS not in session.risk.answered
    if threatens and not _said_safe(found) and (others := next_about_others(session, content, own_life=True)):
        return others
    return "" if barriers else evaded_question(message, session, content)


def _asks_again(turn: Turn[Session], message: UserMessage, found: Findings, content: Content) -> bool:
    """Return whether the reply asks whether the user wants to die, because they say that they were misread.

    Once in a follow-through, and not if they had denied it plainly before, or refuse to be asked.
    """
    if _refuses(message, content):
        return False
    risk = turn.state.risk
    asked = risk.asked_seq is not None and risk.last_seq is not None and risk.asked_seq > risk.last_seq
    return bool(found.of(MisreadTold)) and not asked and Danger.OWN_LIFE not in risk.answered


def has_just_acted(risk: Risk) -> bool:
    """Return whether an act is done that endangers the life now, not one of the past days."""
    return {CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED} <= set(risk.found)


def own_life(risk: Risk) -> bool:
    """Return whether the user's own life is among the dangers; that of another person is none of them."""
    return any(danger_of(outcome) is Danger.OWN_LIFE for outcome in (*risk.found, risk.outcome))


def _barriers(message: UserMessage, session: Session, content: Content) -> tuple[Barrier, ...]:
    """Return the barriers that the message names and no reply has answered.

    A fear of parents who may hurt the user is none: they are not talked out of it.
    """
    known = session.help_seeking.barriers
    kept = known if not session.risk.hurt_at_home else (*known, Barrier.PARENTS)
    if Circumstance.SOLDIER in session.help_seeking.circumstances:
        kept = (*kept, Barrier.PHONE)  # the phone is forbidden, not feared; their step names one that they may use
    if Demand.MACHINE in message.demands:
        kept = (*kept, Barrier.NO_USE)  # of no use is the AI, which `limits_told` answers
    asked = session.help_seeking.asked.get(Inquiry.BARRIER) == session.seq
    named = content.help_seeking.barriers(message.screened.readings, asked=asked and message.answers)
    return tuple(one for one in named if one not in kept)[:_MOST_BARRIERS]


def _step_due(message: UserMessage, session: Session, found: Findings, content: Content) -> bool:
    """Return whether the reply names the next step: with the help lines, or because the user has just told of it."""
    asked = content.crisis_answers.asks_resources(message.screened)
    night = Circumstance.NIGHT in message.circumstances
    return bool(found.of(CircumstancesTold)) or night or asked or resources_due(session.risk)


def next_inquiry(
    turn: Turn[Session], message: UserMessage, session: Session, found: Findings, content: Content
) -> Inquiry | None:
    """Return the question that is due in a follow-through.

    A user who has just said that they are safe is asked for no barrier nor for their safety, and one who refuses to
    answer or was misread nothing. Who tells of a means is asked to put it away first.
    """
    if _refuses(message, content) or _asks_again(turn, message, found, content):
        return None
    kept = content.help_seeking.means_kept(message.screened.readings)
    if kept and not session.risk.corrected and put_away_due(session.help_seeking, session.risk):
        return Inquiry.PUT_AWAY
    known = session.help_seeking.after_telling(message.told, turn.seq)
    named = _barriers(message, session, content)
    known = known.model_copy(update={"barriers": (*known.barriers, *named)})
    due = inquiry_due(known, session.risk, declined=content.help_seeking.declines(message.screened.readings))
    settled = _said_safe(found) and (session.risk.corrected or due in (Inquiry.BARRIER, Inquiry.SAFE))
    return None if settled else due


def _said_safe(found: Findings) -> bool:
    return any(event.said for event in found.of(RiskWatched))


def _composed(reply: Care, help_: list[str], question: str, session: Session, content: Content) -> str:
    """Return the reply with help and a question behind it; of fixed words the own question gives way to it."""
    if not help_ and not question:
        return reply.text
    if reply.of_a_model:
        received = content.messages(session.locale, session.register_).variants("received")
        return "\n\n".join(filter(None, (reply.text or unheard(received, session), *help_, question)))
    own = " ".join(asks_of(reply.text)[-1:])
    return "\n\n".join(filter(None, (without_asks(reply.text), *help_, question or own)))
