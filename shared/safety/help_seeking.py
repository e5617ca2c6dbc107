"""What is known of a user's way to help: their situation, what they were asked, what keeps them from it.

Only rules read and write it, so that the next step, the questions after the protocol and the answers to barriers are
the same with any model and without one.
"""

from collections.abc import Collection, Iterable
from enum import StrEnum

from pydantic import Field

from shared.model import Model
from shared.safety.demands import Demand
from shared.safety.follow_through import RESOURCES_EVERY, Risk, resources_due
from shared.safety.levels import CrisisOutcome, Danger
from shared.safety.protocol_questions import Topic
from shared.safety.reassurance import dangers

_BARRIER_AFTER = 2
"""Turns after the protocol in which a user may take up help before the barrier is asked about."""
_BARRIER_AFTER_AN_ACT = RESOURCES_EVERY
"""The same where the act is at hand or done: a step to safety goes first."""
_GIVEN_WAY = 3
"""Turns after which the follow-through no longer waits for a question that gave way to the model's about safety."""
_UNDER_WAY = frozenset({CrisisOutcome.IMMINENT, CrisisOutcome.ATTEMPTED})


class Circumstance(StrEnum):
    """A fact that decides to whom the user is guided; the order is that of the steps."""

    IN_CARE = "in_care"
    DISCHARGED = "discharged"
    """Has left a hospital."""
    NO_ONE = "no_one"
    """Nobody comes to mind whom they could turn to."""
    CONTACT = "contact"
    """Somebody knows: the user has told them, or they are coming, or a line was called."""
    WITH_FAMILY = "with_family"
    """Now."""
    WITH_SOMEBODY = "with_somebody"
    """Now; the answer does not say with whom."""
    ALONE = "alone"
    """Now."""
    LIVES_WITH_FAMILY = "lives_with_family"
    """They may be out now, or the user."""
    LIVES_ALONE = "lives_alone"
    ABROAD = "abroad"
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
    DISCHARGED = "discharged"
    ABROAD = "abroad"
    """To the lines of the country where they are."""
    NO_ONE = "no_one"
    """To strangers who help: the lines, the centre of the place."""
    CONTACT = "contact"
    """With whoever knows, until it is safe."""
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


class Inquiry(StrEnum):
    """What is asked of a user whose life is in danger, in this order."""

    PLAN = "plan"
    """How and when."""
    MEANS = "means"
    """Whether the means is at hand."""
    BARRIER = "barrier"
    """What makes it hard to take up help."""
    SAFE = "safe"
    """Whether the user is safe by now, while too little was said to end the follow-through."""
    PUT_AWAY = "put_away"
    """Whether somebody can keep the means that the user has just told of."""


class Barrier(StrEnum):
    """What keeps a user from help; the order is that in which one message is read."""

    MONEY = "money"
    RECORD = "record"
    PARENTS = "parents"
    UNANSWERED = "unanswered"
    PHONE = "phone"
    FORCED = "forced"
    NO_USE = "no_use"
    """It was tried, or is said to be of none."""
    NO_CHANGE = "no_change"
    """Nothing would be different after it."""
    SHAME = "shame"


_OPPOSITES = (
    frozenset({Circumstance.ALONE, Circumstance.WITH_FAMILY, Circumstance.CONTACT}),
    frozenset({Circumstance.ALONE, Circumstance.WITH_SOMEBODY}),
    frozenset({Circumstance.NO_ONE, Circumstance.CONTACT}),
    frozenset({Circumstance.LIVES_ALONE, Circumstance.LIVES_WITH_FAMILY, Circumstance.IN_RESIDENCE}),
)
AMBIGUOUS = frozenset({Barrier.MONEY, Barrier.RECORD, Barrier.PARENTS, Barrier.SHAME})
"""They may also be what the despair is about."""


class HelpSeeking(Model):
    """The way to help in one session.

    Attributes:
        circumstances: What the user has told.
        asked: The newest turn in which each question was asked.
        alone: The question that the newest reply asked alone, so that a yes answers it.
        gave_way: The first turn of a danger in which each question gave way to one of the model about safety.
        held_back: The newest turn in which a question gave way to one of the model about something else; None once a
            reply has asked about safety, or has asked nothing.
        barriers: Those that were answered.
        told_in: The newest turn in which the user told what a question would ask.
        taken_up: The turn in which the user took up help; None before.
        limits: The newest turn that answered each demand on the AI.
        steps: The newest turn that named each next step.
    """

    circumstances: tuple[Circumstance, ...] = ()
    asked: dict[Inquiry, int] = Field(default_factory=dict)
    alone: Inquiry | None = None
    gave_way: dict[Inquiry, int] = Field(default_factory=dict)
    held_back: int | None = None
    barriers: tuple[Barrier, ...] = ()
    told_in: dict[Topic, int] = Field(default_factory=dict)
    taken_up: int | None = None
    limits: dict[Demand, int] = Field(default_factory=dict)
    steps: dict[Step, int] = Field(default_factory=dict)

    def told(self, heard: Collection[Circumstance]) -> "HelpSeeking":
        """Return it after the user told this; being alone, with family, or in contact replaces one another."""
        kept = [one for one in heard if one not in PASSING]
        replaced = {one for pair in _OPPOSITES if pair & set(kept) for one in pair}
        before = (one for one in self.circumstances if one not in replaced)
        return self.model_copy(update={"circumstances": tuple(dict.fromkeys((*before, *kept)))})

    def after_asking(self, about: Iterable[Inquiry], seq: int, alone: Inquiry | None) -> "HelpSeeking":
        """Return it after the reply of turn `seq` asked these questions."""
        return self.model_copy(update={"asked": self.asked | dict.fromkeys(about, seq), "alone": alone})

    def after_giving_way(self, about: Iterable[Inquiry], seq: int, since: int) -> "HelpSeeking":
        """Return it after these questions gave way in turn `seq` of a danger raised in turn `since`."""
        first = {one: seq for one in about if self.gave_way.get(one, -1) < since}
        return self.model_copy(update={"gave_way": self.gave_way | first})

    def after_holding_back(self, seq: int | None) -> "HelpSeeking":
        """Return it after a question was held back in turn `seq`, or, if it is None, no longer is."""
        return self.model_copy(update={"held_back": seq})

    def after_telling(self, about: Iterable[Topic], seq: int) -> "HelpSeeking":
        """Return it after the message of turn `seq` told this."""
        return self.model_copy(update={"told_in": self.told_in | dict.fromkeys(about, seq)})

    def after_step(self, step: Step, seq: int) -> "HelpSeeking":
        """Return it after the reply of turn `seq` named this step."""
        return self.model_copy(update={"steps": self.steps | {step: seq}})

    def steps_since(self, seq: int) -> frozenset[Step]:
        """Return the steps that replies have named since turn `seq`."""
        return frozenset(step for step, named in self.steps.items() if named >= seq)

    def told_since(self, seq: int) -> frozenset[Topic]:
        """Return what the user has told since turn `seq`."""
        return frozenset(topic for topic, told in self.told_in.items() if told >= seq)

    def after_limits(self, told: Iterable[Demand], seq: int) -> "HelpSeeking":
        """Return it after the reply of turn `seq` said what the AI cannot do."""
        return self.model_copy(update={"limits": self.limits | dict.fromkeys(told, seq)})

    def asked_alone(self, inquiry: Inquiry, seq: int) -> bool:
        """Return whether the reply of turn `seq` asked this and nothing else."""
        return self.alone is inquiry and self.asked.get(inquiry) == seq


def inquiry_due(known: HelpSeeking, risk: Risk, *, declined: bool) -> Inquiry | None:
    """Return the question that the next reply of a follow-through must ask, or None.

    The plan and the means are asked once since the danger was raised, and not if the user has told them. How and when
    is not asked of a user who is about to act or has acted. The barrier is asked about once in a session: after some
    turns without help being taken up, or at once if the user refuses it, but not just after an act at hand or done is
    told, and unasked not at all of one whose act is done. Whoever has not said plainly by then that they
    are safe is asked for it: what is not asked is not answered, and the follow-through would not end.

    Args:
        known: What was asked before.
        risk: The risk in this turn.
        declined: Whether the user refuses help in this message.
    """
    if not _own_life_followed(risk):
        return None
    acts = not _UNDER_WAY.isdisjoint(risk.found)
    if declined and _barrier_open(known) and not (acts and risk.turns_since < _BARRIER_AFTER):
        return Inquiry.BARRIER
    if still_open := open_questions(known, risk):
        return still_open[0]
    waits = _BARRIER_AFTER_AN_ACT if acts else _BARRIER_AFTER
    if risk.turns_since >= waits and _barrier_open(known) and not _done_now(risk):
        return Inquiry.BARRIER
    return Inquiry.SAFE if resources_due(risk) and _rested(known, risk) else None


def put_away_due(known: HelpSeeking, risk: Risk) -> bool:
    """Return whether a user who tells of a means is asked to put it away: once since the danger was raised."""
    return _own_life_followed(risk) and known.asked.get(Inquiry.PUT_AWAY, -1) < (risk.since_seq or 0)


def open_questions(known: HelpSeeking, risk: Risk) -> tuple[Inquiry, ...]:
    """Return what was not asked about the plan and the means since the danger was raised, nor told, nor refused.

    A refusal counts as asked. An act that is under way and done tells of its means.
    """
    if not _own_life_followed(risk):
        return ()
    since = risk.since_seq or 0
    safety = (Inquiry.MEANS,) if _UNDER_WAY & set(risk.found) else (Inquiry.PLAN, Inquiry.MEANS)
    told = known.told_since(since)
    if Topic.PLACE in told or _done_now(risk):  # the place is the means
        told |= {Topic.MEANS}
    return tuple(one for one in safety if known.asked.get(one, -1) < since and Topic(one.value) not in told)


def waits_for_questions(known: HelpSeeking, risk: Risk, seq: int) -> bool:
    """Return whether the follow-through waits in turn `seq` for a question, whatever calm words the user says.

    One that has given way to the model's own questions about safety for some turns is waited for no longer: it may
    never be asked. One that gave way to a question about something else is waited for until safety was asked about.
    """
    since = risk.since_seq or 0
    if known.held_back is not None and known.held_back >= since:
        return True
    first = {one: turn for one, turn in known.gave_way.items() if turn >= since}
    return any(seq - first.get(one, seq) < _GIVEN_WAY for one in open_questions(known, risk))


def _rested(known: HelpSeeking, risk: Risk) -> bool:
    now = (risk.last_seq or 0) + risk.turns_since
    return now - max(known.asked.values(), default=0) >= RESOURCES_EVERY


def _own_life_followed(risk: Risk) -> bool:
    return risk.follow_through and Danger.OWN_LIFE in dangers((*risk.found, risk.outcome))


def _done_now(risk: Risk) -> bool:
    return _UNDER_WAY.issubset(risk.found)


def _barrier_open(known: HelpSeeking) -> bool:
    return Inquiry.BARRIER not in known.asked and not known.barriers and known.taken_up is None
