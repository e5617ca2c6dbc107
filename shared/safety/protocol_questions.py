"""What the protocol asks: one question a reply, the most important first, none that the user has answered."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum

from shared.model import Model
from shared.safety.levels import CrisisOutcome


class Topic(StrEnum):
    """What a question of the protocol is about."""

    INTENT = "intent"
    """Whether the user wants to die."""
    PLAN = "plan"
    """How and when."""
    MEANS = "means"
    """Whether the means is at hand."""
    COMPANY = "company"
    """Whether the user is alone."""
    ACTED = "acted"
    """Whether the act is done."""
    PLACE = "place"
    """Where the user is."""
    BODY = "body"
    """Signs of an injury or a poisoning."""
    SEEN = "seen"
    """Whether a doctor has seen the user."""
    HARM_INTENT = "harm_intent"
    TARGET_NEAR = "target_near"
    HARM_MEANS = "harm_means"
    """Whether something is at hand with which the user would hurt another person."""
    OWN_LIFE_TOO = "own_life_too"
    """Whether a user who threatens another person would hurt themselves, too."""
    IN_TOUCH = "in_touch"
    """Whether the endangered person can be reached."""
    THEIR_PLAN = "their_plan"
    HELPER_TOO = "helper_too"
    """Whether the helper thinks of dying, too."""
    CALLED = "called"
    """Whether the ambulance or the police is called."""
    WITH_THEM = "with_them"
    """Whether somebody is with the endangered person."""
    AWAY = "away"
    """Whether a victim of violence is away from the offender."""
    HURT = "hurt"
    GOING_ON = "going_on"
    REFUGE = "refuge"
    """Whether there is a place to get away to."""
    OFFENDER_HERE = "offender_here"


class ToldByAnswer(StrEnum):
    """What a bare yes or no tells, as the answer to a closed question."""

    ALONE = "alone"
    WITH_SOMEBODY = "with_somebody"
    DONE = "done"
    """The act is done, or the user is hurt."""
    VIOLENCE_NEAR = "violence_near"
    """The user is not safe from the person who hurts them."""
    THEIRS_NEAR = "theirs_near"
    """The endangered person cannot be reached, or has a plan."""


class ClosedQuestion(Model):
    """What a bare yes or no to a question tells; None if the answer is ambiguous.

    Attributes:
        asks: A pattern of the wordings that are meant.
    """

    topic: Topic
    asks: str = ""
    yes: ToldByAnswer | None = None
    no: ToldByAnswer | None = None


ORDER: Mapping[CrisisOutcome, tuple[Topic, ...]] = {
    CrisisOutcome.CRISIS: (Topic.INTENT, Topic.PLAN, Topic.MEANS, Topic.COMPANY),
    CrisisOutcome.IMMINENT: (Topic.ACTED, Topic.MEANS, Topic.COMPANY, Topic.PLACE),
    CrisisOutcome.ATTEMPTED: (Topic.BODY, Topic.SEEN, Topic.INTENT, Topic.COMPANY),
    CrisisOutcome.HARM_TO_OTHERS: (
        Topic.HARM_INTENT,
        Topic.TARGET_NEAR,
        Topic.HARM_MEANS,
        Topic.OWN_LIFE_TOO,
    ),
    CrisisOutcome.THIRD_PARTY: (Topic.IN_TOUCH, Topic.HELPER_TOO, Topic.THEIR_PLAN),
    CrisisOutcome.THIRD_PARTY_NOW: (Topic.CALLED, Topic.WITH_THEM),
    CrisisOutcome.ABUSE: (Topic.AWAY, Topic.HURT, Topic.GOING_ON),
    CrisisOutcome.ABUSE_NOW: (Topic.REFUGE, Topic.HURT, Topic.OFFENDER_HERE),
}
"""The topics of each outcome that the protocol answers, the most important first."""


def topics(outcome: CrisisOutcome, told: Collection[Topic], asked: Collection[Topic] = ()) -> tuple[Topic, ...]:
    """Return what may be asked after `outcome`: what the user has not told and was not asked.

    If all is asked, what the user has not told; if all is told, the most important one.
    """
    order = ORDER[outcome]
    untold = tuple(topic for topic in order if topic not in told)
    return tuple(topic for topic in untold if topic not in asked) or untold or order[:1]


def choose(wordings: Iterable[tuple[Topic, tuple[str, ...]]], replies: Sequence[str]) -> tuple[Topic, str]:
    """Return the next question with its topic.

    The first topic that none of the replies asked about goes first. Once all are asked about, the wording goes first
    whose last use is longest ago, so that no reply repeats the question of the one before.

    Args:
        wordings: The topics in their order, each with at least two wordings, the one to prefer first.
        replies: The replies since the danger was raised, oldest first.
    """
    pool = list(wordings)
    for topic, texts in pool:
        if all(_last_use(text, replies) < 0 for text in texts):
            return topic, texts[0]
    every = [(topic, text) for topic, texts in pool for text in texts]
    return min(every, key=lambda one: _last_use(one[1], replies))


def _last_use(text: str, replies: Sequence[str]) -> int:
    return max((place for place, reply in enumerate(replies) if text in reply), default=-1)
