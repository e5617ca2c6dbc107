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
from shared.safety.reassurance import dangers

_KST = timezone(timedelta(hours=9), "KST")
_CLOSED, _OPEN = time(21), time(8)
"""Hours between which clinics and counselling rooms are closed."""
_BARRIER_AFTER = 2
"""Turns after the protocol in which a user may take up help before the barrier is asked about."""
_UNDER_WAY = frozenset({CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED})


class Circumstance(StrEnum):
    """A fact that decides to whom the user is guided; the order is that of the steps."""

    IN_CARE = "in_care"
    WITH_FAMILY = "with_family"
    ALONE = "alone"
    NIGHT = "night"
    URGE = "urge"
    """To act, at this moment."""


PASSING = frozenset({Circumstance.NIGHT, Circumstance.URGE})
"""They hold for the message that tells of them and are not kept."""


class Step(StrEnum):
    """The next step that a reply names."""

    IN_CARE = "in_care"
    IN_CARE_AT_NIGHT = "in_care_at_night"
    WITH_FAMILY = "with_family"
    ALONE = "alone"
    AT_NIGHT = "at_night"


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


AMBIGUOUS = frozenset({Barrier.MONEY, Barrier.RECORD, Barrier.PARENTS, Barrier.SHAME})
"""They may also be what the despair is about."""


class HelpSeeking(Model):
    """The way to help in one session.

    Attributes:
        circumstances: What the user has told.
        asked: The newest turn in which each question was asked.
        alone: The question that the newest reply asked alone, so that a yes answers it.
        barriers: Those that were answered.
        taken_up: The turn in which the user took up help; None before.
    """

    circumstances: tuple[Circumstance, ...] = ()
    asked: dict[Inquiry, int] = Field(default_factory=dict)
    alone: Inquiry | None = None
    barriers: tuple[Barrier, ...] = ()
    taken_up: int | None = None

    def told(self, heard: Collection[Circumstance]) -> "HelpSeeking":
        """Return it after the user told this; being alone and having family near replace each other."""
        kept = [one for one in heard if one not in PASSING]
        company = {Circumstance.ALONE, Circumstance.WITH_FAMILY}
        before = (one for one in self.circumstances if not (one in company and company & set(kept)))
        return self.model_copy(update={"circumstances": tuple(dict.fromkeys((*before, *kept)))})

    def after_asking(self, about: Iterable[Inquiry], seq: int, alone: Inquiry | None) -> "HelpSeeking":
        """Return it after the reply of turn `seq` asked these questions."""
        return self.model_copy(update={"asked": self.asked | dict.fromkeys(about, seq), "alone": alone})

    def asked_alone(self, inquiry: Inquiry, seq: int) -> bool:
        """Return whether the reply of turn `seq` asked this and nothing else."""
        return self.alone is inquiry and self.asked.get(inquiry) == seq


def next_step(known: Collection[Circumstance], *, night: bool, hurt_at_home: bool) -> Step | None:
    """Return the one step that fits best, or None if nothing is known.

    Care that exists goes first, then whoever is near. The family is no help to a user whom it may hurt.
    """
    if Circumstance.IN_CARE in known:
        return Step.IN_CARE_AT_NIGHT if night else Step.IN_CARE
    if Circumstance.WITH_FAMILY in known and not hurt_at_home:
        return Step.WITH_FAMILY
    if Circumstance.ALONE in known:
        return Step.ALONE
    return Step.AT_NIGHT if night else None


def is_night(now: datetime, locale: Locale) -> bool:
    """Return whether clinics are closed where the user is; False in English, whose users may be anywhere."""
    if locale is not Locale.KO:
        return False
    local = now.astimezone(_KST).time()
    return local >= _CLOSED or local < _OPEN


def inquiry_due(known: HelpSeeking, risk: Risk, *, declined: bool) -> Inquiry | None:
    """Return the question that the next reply of a follow-through must ask, or None.

    The plan and the means are asked once since the danger was raised. How and when is not asked of a user who is about
    to act or has acted. The barrier is asked about once in a session: after some turns without help being taken up, or
    at once if the user refuses it.

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
    for one in safety:
        if known.asked.get(one, -1) < since:
            return one
    return Inquiry.BARRIER if risk.turns_since >= _BARRIER_AFTER and _barrier_open(known) else None


def _barrier_open(known: HelpSeeking) -> bool:
    return Inquiry.BARRIER not in known.asked and not known.barriers and known.taken_up is None
