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
    UNSAFE_HOME = "unsafe_home"
    """A person at home hurts the user, or is feared; the rules of violence find it."""
    STUDENT = "student"
    """A pupil of a school for minors, by their year or what only pupils say."""
    AT_SCHOOL = "at_school"
    """Words about school or lessons, which students of a university and teachers use too."""
    SOLDIER = "soldier"
    """In military service, on leave too."""
    IN_RESIDENCE = "in_residence"
    """Lives in a dormitory or a facility, which is no family's home."""
    FEARS_HOME = "fears_home"
    """Afraid of the family, or of what it does if it learns of this; or has run away from it."""
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
    UNSAFE_HOME = "unsafe_home"
    """To people outside, and to the lines for violence."""
    SOLDIER = "soldier"
    IN_RESIDENCE = "in_residence"
    STUDENT = "student"
    STUDENT_CLOSED = "student_closed"
    """School is over, or it is a weekend."""
    MINOR = "minor"
    """Whether they go to a school is not known."""
    MINOR_ALONE = "minor_alone"
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
    frozenset({Circumstance.LIVES_ALONE, Circumstance.LIVES_WITH_FAMILY, Circumstance.IN_RESIDENCE}),
)
_FAMILY = frozenset({Circumstance.LIVES_WITH_FAMILY, Circumstance.WITH_FAMILY})
_UNSAFE = frozenset({Circumstance.UNSAFE_HOME, Circumstance.FEARS_HOME})
_IN_CARE = {Hours.OPEN: Step.IN_CARE, Hours.CLOSED: Step.IN_CARE_CLOSED, Hours.NIGHT: Step.IN_CARE_AT_NIGHT}
_ON_THE_SPOT = (
    (Circumstance.SOLDIER, Step.SOLDIER),
    (Circumstance.IN_RESIDENCE, Step.IN_RESIDENCE),
    (Circumstance.ALONE, Step.ALONE),
)
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


class Surroundings(Model):
    """What decides the next step, besides what the user told.

    Attributes:
        hours: Whether clinics are open; schools keep about the same hours.
        hurt_at_home: Whether the family may hurt the user.
        harming: Whether the user may hurt others.
        away: Whether the user is at a place of danger, so that family at home is not near.
        minor: Whether the user is a minor.
    """

    hours: Hours = Hours.OPEN
    hurt_at_home: bool = False
    harming: bool = False
    away: bool = False
    minor: bool = False


def next_step(known: Collection[Circumstance], around: Surroundings) -> Step | None:
    """Return the one step that fits best, or None if nothing is known.

    Care that exists goes first, then whoever is near; a soldier, a resident and a pupil have people on the spot. The
    family is no help to a user whom it may hurt or who fears it.
    """
    if Circumstance.IN_CARE in known:
        return _IN_CARE[around.hours]
    if Circumstance.WITH_FAMILY in known and _family_helps(known, around) and not around.away:
        return Step.WITH_FAMILY
    on_the_spot = next((step for one, step in _ON_THE_SPOT if one in known), None)
    if on_the_spot is Step.ALONE and around.minor:
        return Step.MINOR_ALONE
    return on_the_spot or _step_by_home(known, around) or _NOTHING_KNOWN[around.hours]


def _family_helps(known: Collection[Circumstance], around: Surroundings) -> bool:
    return not (around.hurt_at_home or around.harming) and _UNSAFE.isdisjoint(known)


def _step_by_home(known: Collection[Circumstance], around: Surroundings) -> Step | None:
    lives_with = _family_helps(known, around) and not _FAMILY.isdisjoint(known)
    if (young := _step_of_the_young(known, around)) and not (lives_with and around.hours is not Hours.OPEN):
        return young
    if lives_with:
        return Step.LIVES_WITH_FAMILY
    if Circumstance.LIVES_ALONE in known:
        return Step.LIVES_ALONE
    return None if _UNSAFE.isdisjoint(known) else Step.UNSAFE_HOME


def _step_of_the_young(known: Collection[Circumstance], around: Surroundings) -> Step | None:
    """Return the step that leads to adults at school and to the youth line; None for an adult who is no pupil."""
    if Circumstance.STUDENT in known or (around.minor and Circumstance.AT_SCHOOL in known):
        return Step.STUDENT if around.hours is Hours.OPEN else Step.STUDENT_CLOSED
    return Step.MINOR if around.minor else None


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
    if not _own_life_followed(risk):
        return None
    if declined and _barrier_open(known):
        return Inquiry.BARRIER
    if still_open := open_questions(known, risk):
        return still_open[0]
    return Inquiry.BARRIER if risk.turns_since >= _BARRIER_AFTER and _barrier_open(known) else None


def open_questions(known: HelpSeeking, risk: Risk) -> tuple[Inquiry, ...]:
    """Return what was not asked about the plan and the means since the danger was raised, nor told, nor refused.

    A follow-through does not end before they are asked, whatever calm words the user says. A refusal counts as asked.
    """
    if not _own_life_followed(risk):
        return ()
    since = risk.since_seq or 0
    safety = (Inquiry.MEANS,) if _UNDER_WAY & set(risk.found) else (Inquiry.PLAN, Inquiry.MEANS)
    told = known.told_since(since)
    if Topic.PLACE in told:
        told |= {Topic.MEANS}  # the place is the means
    return tuple(one for one in safety if known.asked.get(one, -1) < since and Topic(one.value) not in told)


def _own_life_followed(risk: Risk) -> bool:
    return risk.follow_through and Danger.OWN_LIFE in dangers((*risk.found, risk.outcome))


def _barrier_open(known: HelpSeeking) -> bool:
    return Inquiry.BARRIER not in known.asked and not known.barriers and known.taken_up is None
