"""The one question that a rule asks in a reply, in place of the model's own, and an explanation that must be given."""

from functions.chat.flows.counseling.detectors.matters import explains
from functions.chat.flows.counseling.plan_of_reply import Directive
from functions.chat.legacy.asked_before import asks_again, asks_in_other_words, fresh, unheard
from functions.chat.legacy.asking import tells
from functions.chat.legacy.receiving import before_the_question, receiving, takes_up
from functions.chat.legacy.user_message import UserMessage
from functions.chat.legacy.voice import voice_of
from shared.content.catalogue import Content
from shared.domain.counseling.directive import Ask, EndCause, Heed, Stance
from shared.domain.counseling.safety_plan import step_of
from shared.domain.counseling.session import Session, WrapUpAim
from shared.domain.counseling.user_state import Resistance
from shared.lexicon.asking import asks_in_own_words, asks_of, without_asks
from shared.lexicon.session_words import questions_of, without_questions
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import Topic

SHORTEST_REFLECTION = 20
"""Characters from which a reply stands without its question."""
ALIKE = 2
"""Content words that a question shares with the step of a safety plan that it asks for."""


def with_the_rules_question(
    directive: Directive, spoken: str, message: UserMessage, session: Session, seq: int, content: Content
) -> str:
    """Return the reply with the one question that a rule asks: about a close, a safety plan, or two values.

    If the model asks something else or nothing, or what the session asked before, the fixed question replaces its own
    (it has one at most), so that a "yes" answers no other. A proposal to close never stands alone: words that take up
    the message come before it. Where no rule asks, a question that was asked before in the same words is left out,
    every question to a user who skips or resists, and one whether to close, to which a "yes" would do nothing.
    """
    ruled = _rules_question(directive, spoken, session, content)
    if ruled is None:
        return _with_its_own_question(directive, spoken, message, session, seq, content)
    asked, question = ruled
    asked = asked and (directive.contradiction is not None or not asks_again(spoken, session))
    words = spoken if asked else _joined(without_asks(spoken), question)
    told = before_the_question(words)
    if directive.end_cause is EndCause.SHORT_ANSWERS:
        words = _joined(before_the_question(spoken), question)
        return words if before_the_question(words) else _joined(receiving(message, session, content), words)
    received = takes_up(told, message, session, content) if directive.proposes is not None else bool(told)
    return words if received else _joined(receiving(message, session, content), words)


def with_the_direct_question(
    directive: Directive, spoken: str, message: UserMessage, session: Session, content: Content
) -> str:
    """Return a reply while a risk is open: the model's words whole, and what a rule asks behind them."""
    ruled = _rules_question(directive, spoken, session, content)
    if ruled is None or ruled[0]:
        return spoken
    return _joined(spoken or receiving(message, session, content), ruled[1])


def yielding(directive: Directive, spoken: str, session: Session, content: Content) -> Directive:
    """Return the directive of a reply while a risk is open: where the model asks something else, the rules do not ask.

    Whether the user wants to die, and whether to end, is asked all the same, as a yes to either decides something.
    """
    decides = directive.concern or directive.proposes is not None or asks_the_helper(session, directive)
    if decides or not asks_in_own_words(spoken):
        return directive
    ruled = _rules_question(directive, spoken, session, content)
    if (ruled is None or ruled[0]) and not _unexplained(directive, spoken, session, content):
        return directive
    return directive.model_copy(update={"ask": None, "contradiction": None, "ruled": None, "offers_plan": False})


def _with_its_own_question(
    directive: Directive, spoken: str, message: UserMessage, session: Session, seq: int, content: Content
) -> str:
    """Return a reply in which the model alone asks, without what was asked before."""
    again = asks_again(spoken, session)
    safety = directive.heed is not None
    again = again or (not safety and asks_in_other_words(spoken, message, session, content))
    if directive.misread:
        return without_asks(spoken) if again else spoken
    if directive.skipped or directive.quiet or again:
        return _without_its_question(spoken, _instead_of_asking(message, session, seq, content))
    if content.session_words.asks_to_wrap_up(spoken):
        return leaving_room(directive, spoken, session, seq, content)
    return spoken


def _rules_question(directive: Directive, spoken: str, session: Session, content: Content) -> tuple[bool, str] | None:
    voice = voice_of(session)
    if directive.concern:
        return _direct_question(spoken, session, content)
    if asks_the_helper(session, directive):
        wordings = content.crisis_replies.questions(Topic.HELPER_TOO, voice)
        return content.crisis_answers.asks_directly(spoken, last=True), fresh(wordings, session)
    if directive.proposes is not None:
        return _proposal(directive, spoken, session, content)
    if directive.contradiction is not None:
        question = directive.contradiction.question
        return question in spoken, question
    if directive.ruled is not None:
        return directive.ruled in spoken, directive.ruled
    if directive.offers_plan:
        return False, content.safety_plan.offer(
            voice, returning=session.carried is not None, again=session.safety_plan.postponed
        )
    if directive.ask is not None and step_of(directive.ask.slot):
        return _asks_for(directive.ask, spoken, content), directive.ask.question
    return None


def _direct_question(spoken: str, session: Session, content: Content) -> tuple[bool, str]:
    """Return whether the reply asks directly, and a fixed question; asked before, it is not asked as what was meant."""
    answers, risk = content.crisis_answers, session.risk
    again = risk.asked_seq is not None and risk.asked_seq >= (risk.since_seq or 0)
    wordings = content.crisis_replies.direct_questions(voice_of(session))
    fixed = [one for one in wordings if not (again and answers.asks_meaning(one))]
    asked = answers.asks_directly(spoken) and not (again and answers.asks_meaning(spoken))
    return asked, fresh(fixed, session)


def _proposal(directive: Directive, spoken: str, session: Session, content: Content) -> tuple[bool, str]:
    """Return whether the reply asks whether to close, and a fixed question; the offer to rest has fixed words."""
    words, question = content.session_words, question_to_close(directive, session, content)
    if directive.end_cause is EndCause.SHORT_ANSWERS:
        return False, question
    if directive.proposes is WrapUpAim.END:
        return words.asks_to_end(spoken), question
    return words.asks_to_wrap_up(spoken), question


def question_to_close(directive: Directive, session: Session, content: Content) -> str:
    """Return the question whether to close, in a wording that the session has not used; a rest is offered once."""
    messages = content.messages(session.locale, session.register_)
    if directive.end_cause is EndCause.SHORT_ANSWERS:
        rest = messages.variants("rest_or_end")
        offered = any(asks_again(wording, session) for wording in rest)
        return fresh(messages.variants("stay_or_end") if offered else rest, session)
    kind = "confirm_end" if directive.proposes is WrapUpAim.END else "propose_wrap_up"
    return fresh(messages.variants(kind), session)


def _joined(*parts: str) -> str:
    return "\n\n".join(filter(None, parts))


def _instead_of_asking(message: UserMessage, session: Session, seq: int, content: Content) -> str:
    if _tells_something(message) or message.words.emotion.intensity or content.session_words.tells_hard(message.text):
        return receiving(message, session, content)
    return unheard(content.messages(session.locale, session.register_).variants("no_hurry"), session, seq)


def _tells_something(message: UserMessage) -> bool:
    words = message.words
    if tells(words):
        return True
    says_nothing = words.says_little or words.has_nothing_to_say or words.hesitates or not words.content_words
    return not (says_nothing or message.refuses or words.resistance is not Resistance.NONE)


def leaving_room(directive: Directive, spoken: str, session: Session, seq: int, content: Content) -> str:
    """Return a reply without its question, which must wait; if little is left, with words that leave room.

    After a misreading the repair follows instead.
    """
    if directive.misread:
        return without_asks(spoken)
    rooms = content.messages(session.locale, session.register_).variants("leave_room")
    return _without_its_question(spoken, unheard(rooms, session, seq))


def _without_its_question(spoken: str, instead: str) -> str:
    """Return a reply that asks nothing, whatever the model asked; if little is left, with words that leave room."""
    if not asks_of(spoken):
        return spoken
    told = without_asks(spoken)
    return told if len(told) >= SHORTEST_REFLECTION else f"{told} {instead}".strip()


def asks_the_helper(session: Session, directive: Directive) -> bool:
    """Return whether the reply asks a user who worries about another person whether they think of dying, too.

    In the turn after the protocol's reply, which asked about the other person, unless they have denied it already.
    """
    risk = session.risk
    worries = directive.heed is Heed.HELPER and risk.outcome is CrisisOutcome.THIRD_PARTY and risk.turns_since == 1
    since = risk.since_seq or 0
    told = Topic.HELPER_TOO in session.help_seeking.told_since(since)
    unasked = not told and (risk.asked_seq is None or risk.asked_seq < since)
    return worries and unasked and directive.stance is Stance.ACCOMPANY and directive.proposes is None


def with_the_explanation(directive: Directive, said: str, session: Session, content: Content) -> str:
    """Return the reply with the explanation that the question of an agreement holds.

    If the model left most of it out, the fixed text takes the place of the model's question.
    """
    unexplained = _unexplained(directive, said, session, content)
    return _joined(without_questions(said), unexplained.question) if unexplained else said


def _unexplained(directive: Directive, said: str, session: Session, content: Content) -> Ask | None:
    ask = directive.ask
    slots = (slot for task in session.tasks for slot in task.slots)
    if ask is None or not any(slot.agrees and slot.name == ask.slot for slot in slots):
        return None
    return None if explains(said, ask.question, content) else ask


def _asks_for(ask: Ask, spoken: str, content: Content) -> bool:
    """Return whether the reply's questions are about what is to be asked: the answer is kept in the user's words."""
    wanted, asked = (content.lexicon.read(text) for text in (ask.question, " ".join(questions_of(spoken))))
    return len(wanted.content_words & asked.content_words) >= ALIKE
