"""User State Detector: lexicons and repetition by rule, the rest by the model; joined, and risk never lowered."""

import re
from collections.abc import Sequence
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from functions.chat.flows.counseling.progress import Progress
from functions.chat.flows.counseling.prompting import PROMPTS
from shared.content.lexicon import Lexicon
from shared.domain.conversation import Message, Role
from shared.domain.counseling.session_events import RiskRaised, UserStateObserved
from shared.domain.counseling.user_state import EmotionLabel, Resistance, UserState, combine
from shared.domain.model import Model
from shared.domain.safety.levels import CrisisOutcome, RiskLevel
from shared.engine.agent import Agent
from shared.engine.ledger import as_json
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line, lines
from shared.services.counseling.quotes import said

AGENT = "user_state_detector"
CIRCULAR_MESSAGES = 3
"""The newest messages that are looked at for circular talk, the present one included."""
CIRCULAR_SIMILARITY = 0.6
"""Share of common syllable pairs from which two messages say the same. Own threshold."""
_RISK = {level.name.lower(): level for level in RiskLevel}
_OUTCOME = {
    RiskLevel.CONCERN: CrisisOutcome.CONCERN,
    RiskLevel.CRISIS: CrisisOutcome.CRISIS,
    RiskLevel.IMMINENT: CrisisOutcome.IMMINENT,
}
SECOND_OPINION = "model"
"""Stands in the audit where a rule's id would."""
_WORD = re.compile(r"\w+")


class UserStateReading(BaseModel):
    """The model's reading. Every enum begins with the calmest value."""

    model_config = ConfigDict(frozen=True)

    risk: str = Field(
        default="none",
        description="Danger to the user's life",
        json_schema_extra={"enum": list(_RISK)},
    )
    resistance: Resistance = Resistance.NONE
    emotion: EmotionLabel = EmotionLabel.NEUTRAL
    intensity: int = Field(default=0, ge=0, le=10)
    topic_changed: bool = False
    circular: bool = False
    evidence: str = Field(default="", description="The user's own words that show it, verbatim")


class UserStateInput(Model):
    """What the prompt is rendered from."""

    topic: str
    lines: tuple[Line, ...]
    text: str


DETECTOR = Agent(
    name=AGENT,
    prompt=Prompt(PROMPTS, AGENT, 1, UserStateInput),
    answers=UserStateReading,
    safe_default=UserStateReading(),
)


async def read_user(progress: Progress, lexicon: Lexicon) -> None:
    """Read the user's state and note it."""
    turn = progress.turn
    ruled = by_rule(turn.text, turn.state.recent, lexicon)
    if lexicon.is_backchannel(turn.text):
        turn.scope.ledger.ruled(AGENT, as_json(ruled), "backchannel")
        state = ruled
    else:
        task = turn.state.task_in_progress
        given = UserStateInput(topic=task.title if task else "", lines=lines(turn.state.recent), text=turn.text)
        reading = await turn.runner.ask(DETECTOR, given, turn.scope)
        state = combine(ruled, _checked(reading, turn.text))
    progress.note(UserStateObserved(user_state=state))
    if state.risk > RiskLevel.NONE:
        progress.note(RiskRaised(outcome=_OUTCOME[state.risk], rule_ids=(SECOND_OPINION,), seq=turn.seq))


def by_rule(text: str, recent: Sequence[Message], lexicon: Lexicon) -> UserState:
    """Read what the lexicons and the last messages show."""
    emotion, intensity = lexicon.emotion(text)
    return UserState(
        resistance=lexicon.resistance(text), emotion=emotion, intensity=intensity, circular=circular(text, recent)
    )


def circular(text: str, recent: Sequence[Message]) -> bool:
    """Tell whether the newest messages of the user go in a circle: each says what the one before said."""
    own = [message.text for message in recent if message.role is Role.USER][-(CIRCULAR_MESSAGES - 1) :]
    said_before = [*own, text]
    if len(said_before) < CIRCULAR_MESSAGES:
        return False
    return all(_similarity(first, second) >= CIRCULAR_SIMILARITY for first, second in pairwise(said_before))


def _similarity(first: str, second: str) -> float:
    """Dice coefficient over syllable pairs, 0 to 1; short answers are not compared."""
    left, right = _syllable_pairs(first), _syllable_pairs(second)
    return 2 * len(left & right) / (len(left) + len(right)) if min(len(left), len(right)) >= 3 else 0.0


def _syllable_pairs(text: str) -> set[str]:
    joined = "".join(_WORD.findall(text))
    return {joined[place : place + 2] for place in range(len(joined) - 1)}


def _checked(reading: UserStateReading, text: str) -> UserState:
    """Hold the reading against the user's words: danger without a quote is a reason to ask, not a finding."""
    risk = _RISK.get(reading.risk, RiskLevel.NONE)
    if risk > RiskLevel.CONCERN and not said(reading.evidence, text):
        risk = RiskLevel.CONCERN
    return UserState(
        resistance=reading.resistance,
        emotion=reading.emotion,
        intensity=reading.intensity,
        topic_changed=reading.topic_changed,
        circular=reading.circular,
        risk=risk,
        evidence=reading.evidence if said(reading.evidence, text) else "",
    )
