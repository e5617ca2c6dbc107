"""The next step to help: whoever is nearest to the user and can help, by what they told and the hours of clinics."""

from collections.abc import Collection, Iterator
from datetime import datetime, time, timedelta, timezone
from enum import StrEnum

from shared.locale import Locale
from shared.model import Model
from shared.safety.help_seeking import Circumstance, Step

_KST = timezone(timedelta(hours=9), "KST")
_NIGHT, _MORNING = time(21), time(8)
_WEEKDAY, _SATURDAY = (time(9), time(18)), (time(9), time(13))
"""Usual hours of clinics and counselling rooms in Korea; they are closed on Sundays. Public holidays are not known."""
_FRIDAY, _SUNDAY = 4, 6


class Hours(StrEnum):
    """Whether clinics are open where the user is."""

    OPEN = "open"
    """Or not known."""
    CLOSED = "closed"
    """In the evening or at the weekend."""
    NIGHT = "night"


_FAMILY = frozenset({Circumstance.LIVES_WITH_FAMILY, Circumstance.WITH_FAMILY})
_UNSAFE = frozenset({Circumstance.UNSAFE_HOME, Circumstance.FEARS_HOME})
_IN_CARE = {Hours.OPEN: Step.IN_CARE, Hours.CLOSED: Step.IN_CARE_CLOSED, Hours.NIGHT: Step.IN_CARE_AT_NIGHT}
_ON_THE_SPOT = (
    (Circumstance.SOLDIER, Step.SOLDIER),
    (Circumstance.IN_RESIDENCE, Step.IN_RESIDENCE),
    (Circumstance.NO_ONE, Step.NO_ONE),
    (Circumstance.ALONE, Step.ALONE),
)
_OF_MINORS = {Step.ALONE: Step.MINOR_ALONE, Step.NO_ONE: Step.MINOR}
_ALIKE = (
    frozenset(_IN_CARE.values()),
    frozenset({Step.ALONE, Step.MINOR_ALONE, Step.LIVES_ALONE}),
    frozenset({Step.STUDENT, Step.STUDENT_CLOSED, Step.MINOR}),
    frozenset({Step.WITH_FAMILY, Step.LIVES_WITH_FAMILY}),
    frozenset({Step.WHEN_CLOSED, Step.AT_NIGHT}),
)
"""Steps that say the same in other circumstances."""
_NOTHING_KNOWN: dict[Hours, tuple[Step, ...]] = {
    Hours.OPEN: (),
    Hours.CLOSED: (Step.WHEN_CLOSED,),
    Hours.NIGHT: (Step.AT_NIGHT,),
}


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


def next_step(
    known: Collection[Circumstance], around: Surroundings, named: Collection[Step] = frozenset()
) -> Step | None:
    """Return the one step that fits best, or None if nothing is known or every fitting one was named.

    Another country has its own lines. Care that exists goes first, then whoever knows already or is near; a soldier, a
    resident and a pupil have people on the spot. The family is no help to a user whom it may hurt or who fears it.

    Args:
        known: What the user told.
        around: What decides besides.
        named: The steps that were named since the danger was raised; none is said twice, nor one that says the same.
    """
    said = {alike for step in named for alike in (step, *_alike(step))}
    told = tuple(_steps_told(known, around))
    return next((step for step in told or _NOTHING_KNOWN[around.hours] if step not in said), None)


def _alike(step: Step) -> frozenset[Step]:
    return next((steps for steps in _ALIKE if step in steps), frozenset())


def _steps_told(known: Collection[Circumstance], around: Surroundings) -> Iterator[Step]:
    """Yield the steps that fit what the user told, the best first; after one who knows, nobody else is looked for."""
    care = {
        Circumstance.ABROAD: Step.ABROAD,
        Circumstance.IN_CARE: _IN_CARE[around.hours],
        Circumstance.DISCHARGED: Step.DISCHARGED,
    }
    yield from (step for one, step in care.items() if one in known)
    if Circumstance.CONTACT in known and _family_helps(known, around):
        yield Step.CONTACT
        return
    if Circumstance.WITH_FAMILY in known and _family_helps(known, around) and not around.away:
        yield Step.WITH_FAMILY
    on_the_spot = (step for one, step in _ON_THE_SPOT if one in known)
    yield from (_OF_MINORS.get(step, step) if around.minor else step for step in on_the_spot)
    if at_home := _step_by_home(known, around):
        yield at_home


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
