"""The one question that a rule asks in a reply, in place of the model's own, and an explanation that must be given."""

from collections.abc import Sequence

from functions.chat.flows.counseling.voice import voice_of
from shared.content.catalogue import Content
from shared.content.schemas.messages import Messages
from shared.domain.conversation import Role
from shared.domain.counseling.directive import Ask, Directive, EndCause, Heed, Stance
from shared.domain.counseling.safety_plan import step_of
from shared.domain.counseling.session import Session, WrapUpAim
from shared.engine.one_question import OneQuestion
from shared.lexicon.asking import asks_of, without_asks
from shared.lexicon.session_words import questions_of, without_questions
from shared.safety.levels import CrisisOutcome
from shared.safety.protocol_questions import Topic

EXPLAINED = 0.5
"""Share of an explanation's content words from which a reply gives it in its own words."""
SHORTEST_REFLECTION = 20
"""Characters from which a reply stands without its question."""
ALIKE = 2
"""Content words that a question shares with the step of a safety plan that it asks for."""


def with_the_rules_question(directive: Directive, spoken: str, session: Session, seq: int, content: Content) -> str:
    """Return the reply with the one question that a rule asks: about danger, a close, a safety plan, or two values.

    If the model asks something else or nothing, the fixed question replaces its own (it has one at most), so that a
    "yes" answers no other. A proposal to close never stands alone: it follows what was said of the message. Where no
    rule asks, a question that was asked before in the same words is left out.
    """
    messages = content.messages(session.locale, session.register_)
    ruled = _rules_question(directive, spoken, session, seq, content)
    if ruled is None:
        quiet = directive.skipped or _asks_again(directive, spoken, session)
        return _without_its_question(spoken, messages.variants("no_hurry"), seq) if quiet else _asking_once(spoken)
    asked, question = ruled
    told = without_asks(spoken)
    if asked and (told or directive.concern):
        return spoken
    messages = content.messages(session.locale, session.register_)
    received = told or ("" if directive.concern else messages.text("received"))
    return "\n\n".join(filter(None, (received, spoken if asked else question)))


def _rules_question(
    directive: Directive, spoken: str, session: Session, seq: int, content: Content
) -> tuple[bool, str] | None:
    """Return whether the reply asks what a rule asks, and the rule's own question; None if no rule asks."""
    if directive.concern:
        asked = content.crisis_answers.asks_directly(spoken)
        return asked, content.crisis_replies.direct_question(voice_of(session), seq)
    if asks_the_helper(session, directive):
        wordings = content.crisis_replies.questions(Topic.HELPER_TOO, voice_of(session))
        return content.crisis_answers.asks_directly(spoken, last=True), wordings[seq % len(wordings)]
    if directive.proposes is not None:
        return _proposal(directive, spoken, content.messages(session.locale, session.register_), content)
    if directive.contradiction is not None:
        question = directive.contradiction.question
        return question in spoken, question
    if directive.offers_plan:
        return False, content.safety_plan.text(content.safety_plan.written.offer, voice_of(session))
    if directive.ask is not None and step_of(directive.ask.slot):
        return _asks_for(directive.ask, spoken, content), directive.ask.question
    return None


def _proposal(directive: Directive, spoken: str, messages: Messages, content: Content) -> tuple[bool, str]:
    """Return whether the reply asks whether to close, and the fixed question; the offer to rest has fixed words."""
    words = content.session_words
    if directive.end_cause is EndCause.SHORT_ANSWERS:
        return False, messages.text("rest_or_end")
    if directive.proposes is WrapUpAim.END:
        return words.asks_to_end(spoken), messages.text("confirm_end")
    return words.asks_to_wrap_up(spoken), messages.text("propose_wrap_up")


def _asking_once(spoken: str) -> str:
    """Return a reply with the first thing that it asks; the guard's ending invites to tell, after a question, too."""
    if len(asks_of(spoken)) < 2:
        return spoken
    form = OneQuestion()
    return (form.take(spoken) + form.end()).strip()


def _asks_again(directive: Directive, spoken: str, session: Session) -> bool:
    """Return whether the reply asks what a reply in the window asked in the same words; what safety asks may recur."""
    if directive.stance is Stance.CARE or directive.heed is not None or directive.parse_error:
        return False
    said = (one.text for one in session.recent if one.role is Role.COUNSELOR)
    return bool(set(asks_of(spoken)) & {words for text in said for words in asks_of(text)})


def _without_its_question(spoken: str, no_hurry: Sequence[str], seq: int) -> str:
    """Return a reply that asks nothing, whatever the model asked; if little is left, with words that leave room."""
    if not asks_of(spoken):
        return spoken
    told = without_asks(spoken)
    return told if len(told) >= SHORTEST_REFLECTION else f"{told} {no_hurry[seq % len(no_hurry)]}".strip()


def asks_the_helper(session: Session, directive: Directive) -> bool:
    """Return whether the reply asks a user who worries about another person whether they think of dying, too.

    In the turn after the protocol's reply, which asked about the other person.
    """
    risk = session.risk
    worries = directive.heed is Heed.HELPER and risk.outcome is CrisisOutcome.THIRD_PARTY and risk.turns_since == 1
    unasked = risk.asked_seq is None or risk.asked_seq < (risk.since_seq or 0)
    return worries and unasked and directive.stance is Stance.ACCOMPANY and directive.proposes is None


def with_the_explanation(directive: Directive, said: str, session: Session, content: Content) -> str:
    """Return the reply with the explanation that the question of an agreement holds.

    If the model left most of it out, the fixed text takes the place of the model's question.
    """
    ask = directive.ask
    slots = (slot for task in session.tasks for slot in task.slots)
    if ask is None or not any(slot.agrees and slot.name == ask.slot for slot in slots):
        return said
    told, guide = (content.lexicon.read(text).content_words for text in (said, without_questions(ask.question)))
    if len(told & guide) >= len(guide) * EXPLAINED:
        return said
    return "\n\n".join(filter(None, (without_questions(said), ask.question)))


def _asks_for(ask: Ask, spoken: str, content: Content) -> bool:
    """Return whether the reply's questions are about what is to be asked: the answer is kept in the user's words."""
    wanted, asked = (content.lexicon.read(text) for text in (ask.question, " ".join(questions_of(spoken))))
    return len(wanted.content_words & asked.content_words) >= ALIKE
