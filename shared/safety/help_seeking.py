"""What is known of a user's way to help: their situation, what they were asked, what keeps them from it.

Only rules read and write it, so that the next step, the questions after the protocol and the answers to barriers are
the same with any model and without one.
"""

from collections.abc import Collection, Iterable
from datetime import datetime, time, timedelta, timezone
from enum import StrEnum

from pydantic import Field

from shared.locale import Locale
from shared.model import Model
from shared.safety.follow_through import Risk
from shared.safety.levels import CrisisOutcome, Danger
from shared.safety.protocol_questions import Topic
from shared.safety.reassurance import dangers

_KST = timezone(timedelta(hours=9), "KST")
_NIGHT, _MORNING = time(21), time(8)
_WEEKDAY, _SATURDAY = (time(9), time(18)), (time(9), time(13))
"""Usual hours of clinics and counselling rooms in Korea; they are closed on Sundays. Public holidays are not known."""
_FRIDAY, _SUNDAY = 4, 6
_BARRIER_AFTER = 2
"""Turns after the protocol in which a user may take up help before the barrier is asked about."""
_UNDER_WAY = frozenset({CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED})


class Circumstance(StrEnum):
    """A fact that decides to whom the user is guided; the order is that of the steps."""

    IN_CARE = "in_care"
    WITH_FAMILY = "with_family"
    """Now."""
    ALONE = "alone"
    """Now."""
    LIVES_WITH_FAMILY = "lives_with_family"
    """They may be out now, or the user."""
    LIVES_ALONE = "lives_alone"
    NIGHT = "night"
    URGE = "urge"
    """To act, at this moment."""


PASSING = frozenset({Circumstance.NIGHT, Circumstance.URGE})
"""They hold for the message that tells of them and are not kept."""


class Step(StrEnum):
    """The next step that a reply names."""

    IN_CARE = "in_care"
    IN_CARE_CLOSED = "in_care_closed"
    IN_CARE_AT_NIGHT = "in_care_at_night"
    WITH_FAMILY = "with_family"
    ALONE = "alone"
    LIVES_WITH_FAMILY = "lives_with_family"
    LIVES_ALONE = "lives_alone"
    WHEN_CLOSED = "when_closed"
    AT_NIGHT = "at_night"


class Hours(StrEnum):
    """Whether clinics are open where the user is."""

    OPEN = "open"
    """Or not known."""
    CLOSED = "closed"
    """In the evening or at the weekend."""
    NIGHT = "night"


class Inquiry(StrEnum):
    """What is asked of a user whose life is in danger, in this order."""

    PLAN = "plan"
    """How and when."""
    MEANS = "means"
    """Whether the means is at hand."""
    BARRIER = "barrier"
    """What makes it hard to take up help."""


class Barrier(StrEnum):
    """What keeps a user from help; the order is that in which one message is read."""

    MONEY = "money"
    RECORD = "record"
    PARENTS = "parents"
    UNANSWERED = "unanswered"
    PHONE = "phone"
    FORCED = "forced"
    NO_USE = "no_use"
    SHAME = "shame"


_OPPOSITES = (
    frozenset({Circumstance.ALONE, Circumstance.WITH_FAMILY}),
    frozenset({Circumstance.LIVES_ALONE, Circumstance.LIVES_WITH_FAMILY}),
)
_IN_CARE = {Hours.OPEN: Step.IN_CARE, Hours.CLOSED: Step.IN_CARE_CLOSED, Hours.NIGHT: Step.IN_CARE_AT_NIGHT}
_NOTHING_KNOWN = {Hours.OPEN: None, Hours.CLOSED: Step.WHEN_CLOSED, Hours.NIGHT: Step.AT_NIGHT}
AMBIGUOUS = frozenset({Barrier.MONEY, Barrier.RECORD, Barrier.PARENTS, Barrier.SHAME})
"""They may also be what the despair is about."""


class HelpSeeking(Model):
    """The way to help in one session.

    Attributes:
        circumstances: What the user has told.
        asked: The newest turn in which each question was asked.
        alone: The question that the newest reply asked alone, so that a yes answers it.
        barriers: Those that were answered.
        told_in: The newest turn in which the user told what a question would ask.
        taken_up: The turn in which the user took up help; None before.
    """

    circumstances: tuple[Circumstance, ...] = ()
    asked: dict[Inquiry, int] = Field(default_factory=dict)
    alone: Inquiry | None = None
    barriers: tuple[Barrier, ...] = ()
    told_in: dict[Topic, int] = Field(default_factory=dict)
    taken_up: int | None = None

    def told(self, heard: Collection[Circumstance]) -> "HelpSeeking":
        """Return it after the user told this; being alone replaces being with family, and the other way round."""
        kept = [one for one in heard if one not in PASSING]
        replaced = {one for pair in _OPPOSITES if pair & set(kept) for one in pair}
        before = (one for one in self.circumstances if one not in replaced)
        return self.model_copy(update={"circumstances": tuple(dict.fromkeys((*before, *kept)))})

    def after_asking(self, about: Iterable[Inquiry], seq: int, alone: Inquiry | None) -> "HelpSeeking":
        """Return it after the reply of turn `seq` asked these questions."""
        return self.model_copy(update={"asked": self.asked | dict.fromkeys(about, seq), "alone": alone})

    def after_telling(self, about: Iterable[Topic], seq: int) -> "HelpSeeking":
        """Return it after the message of turn `seq` told this."""
        return self.model_copy(update={"told_in": self.told_in | dict.fromkeys(about, seq)})

    def told_since(self, seq: int) -> frozenset[Topic]:
        """Return what the user has told since turn `seq`."""
        return frozenset(topic for topic, told in self.told_in.items() if told >= seq)

    def asked_alone(self, inquiry: Inquiry, seq: int) -> bool:
        """Return whether the reply of turn `seq` asked this and nothing else."""
        return self.alone is inquiry and self.asked.get(inquiry) == seq


def next_step(known: Collection[Circumstance], *, hours: Hours, hurt_at_home: bool, away: bool = False) -> Step | None:
    """Return the one step that fits best, or None if nothing is known.

    Care that exists goes first, then whoever is near. The family is no help to a user whom it may hurt.

    Args:
        known: What the user has told.
        hours: Whether clinics are open.
        hurt_at_home: Whether the family may hurt the user.
        away: Whether the user is at a place of danger, so that family at home is not near.
    """
    if Circumstance.IN_CARE in known:
        return _IN_CARE[hours]
    if Circumstance.WITH_FAMILY in known and not (hurt_at_home or away):
        return Step.WITH_FAMILY
    if Circumstance.ALONE in known:
        return Step.ALONE
    if not {Circumstance.LIVES_WITH_FAMILY, Circumstance.WITH_FAMILY}.isdisjoint(known) and not hurt_at_home:
        return Step.LIVES_WITH_FAMILY
    if Circumstance.LIVES_ALONE in known:
        return Step.LIVES_ALONE
    return _NOTHING_KNOWN[hours]


def clinic_hours(now: datetime, locale: Locale) -> Hours:
    """Return whether clinics are open in Korea; OPEN in English, whose users may be anywhere."""
    if locale is not Locale.KO:
        return Hours.OPEN
    local = now.astimezone(_KST)
    if local.time() >= _NIGHT or local.time() < _MORNING:
        return Hours.NIGHT
    opens, closes = _WEEKDAY if local.weekday() <= _FRIDAY else _SATURDAY
    is_open = local.weekday() != _SUNDAY and opens <= local.time() < closes
    return Hours.OPEN if is_open else Hours.CLOSED


def inquiry_due(known: HelpSeeking, risk: Risk, *, declined: bool) -> Inquiry | None:
    """Return the question that the next reply of a follow-through must ask, or None.

    The plan and the means are asked once since the danger was raised, and not if the user has told them. How and when
    is not asked of a user who is about to act or has acted. The barrier is asked about once in a session: after some
    turns without help being taken up, or at once if the user refuses it.

    Args:
        known: What was asked before.
        risk: The risk in this turn.
        declined: Whether the user refuses help in this message.
    """
    if not risk.follow_through or Danger.OWN_LIFE not in dangers((*risk.found, risk.outcome)):
        return None
    since = risk.since_seq or 0
    if declined and _barrier_open(known):
        return Inquiry.BARRIER
    safety = (Inquiry.MEANS,) if _UNDER_WAY & set(risk.found) else (Inquiry.PLAN, Inquiry.MEANS)
    told = known.told_since(since)
    if Topic.PLACE in told:
        told |= {Topic.MEANS}  # the place is the means
    for one in safety:
        if known.asked.get(one, -1) < since and Topic(one.value) not in told:
            return one
    return Inquiry.BARRIER if risk.turns_since >= _BARRIER_AFTER and _barrier_open(known) else None


def _barrier_open(known: HelpSeeking) -> bool:
    return Inquiry.BARRIER not in known.asked and not known.barriers and known.taken_up is None
