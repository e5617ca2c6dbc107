"""User State Detector: rules read lexicons and repetition, the model reads the rest; it never lowers the risk."""

from collections.abc import Iterable, Sequence

from pydantic import Field

from functions.chat.danger.plan_steps import names_warning_sign
from functions.chat.danger.risk_detection import concern_from_hints
from functions.chat.findings import Findings
from functions.chat.flows.counseling.prompting import PROMPTS
from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.readings import StateReading, before, compare, newly_named
from shared.domain.counseling.risk_events import RiskRaised
from shared.domain.counseling.session import Session
from shared.domain.counseling.session_events import UserStateObserved
from shared.domain.counseling.user_state import EmotionChange, EmotionLabel, Resistance, UserState, combine
from shared.engine.agent import Agent, AnswerSchema
from shared.engine.flow import Turn
from shared.engine.ledger import as_json
from shared.engine.partial_json import intact
from shared.lexicon.words import Words
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.abuse import AbuseFinding, AbuseKind
from shared.safety.crisis import Finding
from shared.safety.levels import CrisisOutcome, RiskLevel, most_pressing
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.evidence import is_verbatim_quote

AGENT = "user_state_detector"
_RISK = {level.name.lower(): level for level in RiskLevel}
_OUTCOME = {
    RiskLevel.CONCERN: CrisisOutcome.CONCERN,
    RiskLevel.CRISIS: CrisisOutcome.CRISIS,
    RiskLevel.IMMINENT: CrisisOutcome.IMMINENT,
}
_VIOLENCE = {
    "none": CrisisOutcome.NONE,
    "past": CrisisOutcome.ABUSE_TOLD,
    "ongoing": CrisisOutcome.ABUSE,
    "now": CrisisOutcome.ABUSE_NOW,
}
SECOND_OPINION = "model"
"""Rule id of a risk that the model found."""


class UserStateReading(AnswerSchema):
    """The model's reading: the verdicts before the evidence. Every enum begins with the calmest value."""

    # Unlike in other schemas the verdicts come first, so that they can be acted on before the answer ends.
    risk: str = Field(description="Danger to the user's life", json_schema_extra={"enum": list(_RISK)})
    violence: str = Field(description="Violence against the user", json_schema_extra={"enum": list(_VIOLENCE)})
    by_family: bool = Field(description="Whether a partner, a former one or the family does it")
    denies_danger: bool = Field(description="Whether they plainly say that they do not want to die or hurt themselves")
    resistance: Resistance
    emotion: EmotionLabel
    intensity: int = Field(ge=0, le=10)
    emotion_change: EmotionChange
    topic_changed: bool
    circular: bool
    evidence: str = Field(description="The user's own words that show it, verbatim; empty if nothing shows")


class UserStateInput(Model):
    """Prompt variables.

    Attributes:
        readings: Readings of earlier turns, oldest first.
        unread: The user's messages just before that no model has read.
    """

    topic: str
    readings: tuple[StateReading, ...]
    lines: tuple[Line, ...]
    text: str
    unread: tuple[str, ...] = ()


def level_of(risk: str, evidence: str, said: Iterable[str]) -> RiskLevel:
    """Return the level that the model names; without the user's own words it is a concern, which is asked about.

    `said` is the newest message, and those before it that no model has read.
    """
    level = _RISK.get(risk, RiskLevel.NONE)
    quoted = any(is_verbatim_quote(evidence, text) for text in said)
    return level if quoted else min(level, RiskLevel.CONCERN)


def unread_before(turn: Turn[Session]) -> tuple[str, ...]:
    """Return the user's earlier messages since the last one that a model has read."""
    read = max((one.seq for one in turn.state.readings if not one.unread), default=0)
    return tuple(one.text for one in turn.state.recent if one.role is Role.USER and one.seq > read)


def _keep_danger(given: UserStateInput, answer: UserStateReading, beginning: str) -> UserStateReading:
    """Return the answer with the danger that an earlier one named before it broke; the higher counts."""
    begun = intact(beginning)
    risk, evidence = str(begun.get("risk")), str(begun.get("evidence", ""))
    if level_of(risk, evidence, (given.text, *given.unread)) <= level_of(
        answer.risk, answer.evidence, (given.text, *given.unread)
    ):
        return answer
    return answer.model_copy(update={"risk": risk, "evidence": evidence})


DETECTOR = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 3, UserStateInput),
    answers=UserStateReading,
    safe_default=UserStateReading(
        risk="none",
        violence="none",
        by_family=False,
        denies_danger=False,
        resistance=Resistance.NONE,
        emotion=EmotionLabel.NEUTRAL,
        intensity=0,
        emotion_change=EmotionChange.NONE,
        topic_changed=False,
        circular=False,
        evidence="",
    ),
    keep=_keep_danger,
)


async def read_state(turn: Turn[Session], message: UserMessage, session: Session, content: Content) -> Findings:
    """Return the reading by a call of its own."""
    begun = begin_reading(turn, message)
    if isinstance(begun, Findings):
        return begun
    return finish_reading(turn, message, session, await turn.runner.ask(DETECTOR, begun, turn.scope), content)


async def none_meant(turn: Turn[Session], session: Session, text: str) -> bool:
    """Return whether the model reads no danger in an earlier message; only a model that the catalogue names counts."""
    if turn.scope.ledger.failed(AGENT):
        return False
    given = UserStateInput(topic="", readings=session.readings, lines=lines(session.recent), text=text)
    reading = await turn.runner.ask(DETECTOR, given, turn.scope)
    trusted = AGENT not in turn.scope.ledger.uncatalogued
    return trusted and reading is not DETECTOR.safe_default and reading.risk == "none"


def begin_reading(turn: Turn[Session], message: UserMessage) -> Findings | UserStateInput:
    """Return the reading if no model is needed, else what to ask it."""
    risk = turn.state.risk
    # In a danger, or after it was asked about, a mere "yes" is an answer.
    near = risk.is_open or turn.state.seq in (risk.last_seq, risk.asked_seq)
    plain = message.words.is_backchannel and not near and not message.answers_if_urgent
    if plain and not message.screened.crisis.hints:
        ruled = by_rule(message.words)
        turn.scope.ledger.ruled(AGENT, as_json(ruled), "backchannel")
        return Findings(events=(UserStateObserved(user_state=ruled),))
    task = turn.state.task_in_progress
    return UserStateInput(
        topic=task.title if task else "",
        readings=before(turn.state.readings, turn.seq),
        lines=lines(turn.state.recent),
        text=message.text,
        unread=unread_before(turn),
    )


def finish_reading(
    turn: Turn[Session],
    message: UserMessage,
    session: Session,
    reading: UserStateReading,
    content: Content,
    *,
    answered: bool = False,
) -> Findings:
    """Combine the model's reading with the rules' and compare it with earlier readings.

    In a follow-through the model can only raise a risk above the known one. It would otherwise find the known danger
    in every turn, and the follow-through would never end. A message that a rule read as
    an answer to what was asked (`answered`) is not circular.
    """
    ruled = by_rule(message.words).model_copy(update={"circular": message.repeats})
    combined = combine(ruled, _checked(reading, message.text, turn, _most_believed(turn, message, session)))
    if answered:
        combined = combined.model_copy(update={"circular": False})
    earlier = before(turn.state.readings, turn.seq)
    state = compare(_newest_feeling(_by_the_rules(combined, message, turn), message.words, earlier), earlier)
    unread = reading is DETECTOR.safe_default
    denies = reading.denies_danger and is_verbatim_quote(reading.evidence, message.text)
    observed = UserStateObserved(user_state=state, seq=turn.seq, denies_danger=denies, unread=unread)
    found = Findings(events=(observed,))
    if state.risk > _known(turn.state, message, content):
        outcome, doubt = _OUTCOME[state.risk], state.risk is RiskLevel.CONCERN
        raised = RiskRaised(outcome=outcome, rule_ids=(SECOND_OPINION,), seq=turn.seq, by_words=doubt)
        found += Findings(events=(raised,))
    found += _violence_told(turn, message, session, reading)
    return found + concern_from_hints(turn, message, session, content) if unread else found


def _violence_told(turn: Turn[Session], message: UserMessage, session: Session, reading: UserStateReading) -> Findings:
    """Return violence that the user's own words tell of; what is known as near is told again, without the protocol."""
    outcome = _VIOLENCE.get(reading.violence, CrisisOutcome.NONE)
    if not any(is_verbatim_quote(reading.evidence, text) for text in (message.text, *unread_before(turn))):
        return Findings()
    if _most_believed(turn, message, session) is RiskLevel.CONCERN:
        outcome = min(outcome, CrisisOutcome.ABUSE_TOLD, key=lambda one: one.severity)
    before = (one for one in session.risk.found if one in _VIOLENCE.values())
    known = most_pressing(message.screened.abuse.outcome, *before)
    if outcome.severity <= known.severity:
        outcome = min(outcome, CrisisOutcome.ABUSE_TOLD, key=lambda one: one.severity)
    if outcome is CrisisOutcome.NONE or outcome is message.screened.abuse.outcome:
        return Findings()
    kinds = (AbuseKind.DOMESTIC if reading.by_family else AbuseKind.OTHER,)
    event = RiskRaised(outcome=outcome, rule_ids=(SECOND_OPINION,), seq=turn.seq, kinds=kinds)
    return Findings(events=(event.model_copy(update={"needs": AbuseFinding(kinds=kinds).needs}),))


def _most_believed(turn: Turn[Session], message: UserMessage, session: Session) -> RiskLevel:
    """Return the highest level that the model's word counts for.

    A model that the catalogue does not name may call a greeting imminent: where no rule spoke, no weak sign stands in
    the message and no danger is followed through, what it finds is a concern, which is asked about.
    """
    found, abuse = message.screened.crisis, message.screened.abuse.outcome
    silent = found == Finding() and abuse is CrisisOutcome.NONE and session.risk.last_seq != turn.seq
    silent = silent and not session.risk.follow_through
    return RiskLevel.CONCERN if silent and AGENT in turn.scope.ledger.uncatalogued else RiskLevel.IMMINENT


def _known(state: Session, message: UserMessage, content: Content) -> RiskLevel:
    """Return the risk that is known without the model: what is followed through or a sign names."""
    if names_warning_sign(message, state, content):
        return RiskLevel.CRISIS
    return state.risk.level if state.risk.follow_through else RiskLevel.NONE


def by_rule(words: Words) -> UserState:
    """Read what the lexicons show in a message."""
    emotion, intensity = words.emotion
    return UserState(
        resistance=words.resistance,
        emotion=emotion,
        intensity=intensity,
        topic_changed=words.changes_topic,
    )


def _by_the_rules(state: UserState, message: UserMessage, turn: Turn[Session]) -> UserState:
    """Return a state without what rules rule out, whatever the model says.

    "몰라요" alone and one declined topic are no resistance. Words of safety that the user was asked for are not
    circular, however alike.
    """
    risk = turn.state.risk
    asked = risk.follow_through or risk.just_over(turn.seq) or turn.state.seq in (risk.last_seq, risk.asked_seq)
    words = message.words
    resistance = words.resistance if words.is_unsure or words.declines_one else state.resistance
    return state.model_copy(update={"resistance": resistance, "circular": state.circular and not asked})


def _newest_feeling(state: UserState, words: Words, earlier: Sequence[UserState]) -> UserState:
    """Return the state with the feeling that the user newly names beside one already known; a strong one stays."""
    if not state.troubled or state.distressed or newly_named(state, earlier):
        return state
    named = (state.model_copy(update={"emotion": one.label, "intensity": one.intensity}) for one in words.emotions)
    return next((one for one in named if newly_named(one, earlier)), state)


def _checked(reading: UserStateReading, text: str, turn: Turn[Session], most: RiskLevel) -> UserState:
    """Check the reading against the user's words. A first message is never circular."""
    return UserState(
        resistance=reading.resistance,
        emotion=reading.emotion,
        intensity=reading.intensity,
        emotion_change=reading.emotion_change,
        topic_changed=reading.topic_changed,
        circular=reading.circular and any(one.role is Role.USER for one in turn.state.recent),
        risk=min(level_of(reading.risk, reading.evidence, (text, *unread_before(turn))), most),
        evidence=reading.evidence if is_verbatim_quote(reading.evidence, text) else "",
    )
