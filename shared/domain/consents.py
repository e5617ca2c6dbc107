"""Consents: what lacks before a message may be processed, and what has been taken back.

Pure rules. `Terms` are the required consents by name, each with the version of the text that is shown today.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeAlias

from shared.domain.conversation import Consent, S
from shared.domain.event import Event

Terms: TypeAlias = Mapping[str, str]
Consents: TypeAlias = Mapping[str, Consent]


def lacking(consents: Consents, terms: Terms) -> tuple[str, ...]:
    """Return the required consents that were not given, were taken back, or were given to another text."""
    return tuple(name for name, version in terms.items() if not _covers(consents.get(name), version))


def refused(consents: Consents) -> tuple[str, ...]:
    """Return the consents that were refused or taken back: with any of them nothing may be processed.

    An older text is no reason to stop work on what was told under it; it is asked for anew before the next message.
    """
    return tuple(name for name, consent in consents.items() if not consent.granted)


def open_to_staff(consents: Consents) -> bool:
    """Tell whether reviewers may read the words: not once a consent was taken back, whatever was flagged before."""
    return not refused(consents)


def given(names: Iterable[str], versions: Mapping[str, str], at: datetime) -> dict[str, Consent]:
    """Return consents to the texts of these versions."""
    return {name: Consent(granted=True, version=versions[name], at=at) for name in names}


def merged(known: Consents, said: Consents) -> dict[str, Consent]:
    """Return consents with what was said about them; what was said later stands, in whatever order it comes."""
    fresh = {name: one for name, one in said.items() if not _newer(known.get(name), one.withdrawn_at or one.at)}
    return {**known, **fresh}


def taken_back_since(consents: Consents, at: datetime) -> tuple[str, ...]:
    """Return the consents that were taken back after a time: a request of that time is no word about them any more."""
    return tuple(name for name, one in consents.items() if not one.granted and _newer(one, at))


def still_withdrawn(consents: Consents, names: Iterable[str], at: datetime) -> tuple[str, ...]:
    """Return those of the consents taken back at a time that were not given again since."""
    return tuple(
        name for name in names if name not in consents or not consents[name].granted or consents[name].at <= at
    )


def taken_back(
    consents: Consents, names: Iterable[str], versions: Mapping[str, str], at: datetime
) -> dict[str, Consent]:
    """Return these consents as withdrawn: what was agreed to, and when, stays known."""
    return {
        name: consents[name].model_copy(update={"granted": False, "withdrawn_at": at})
        if name in consents
        else Consent(granted=False, version=versions[name], at=at, withdrawn_at=at)
        for name in names
    }


def standing(consents: Consents, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the consents that are not withdrawn yet."""
    return tuple(name for name in names if name not in consents or consents[name].granted)


def said_at(consents: Consents, names: Iterable[str], at: datetime) -> tuple[str, ...]:
    """Return those of the consents that stand as they were said at a time: what was said later is not overruled."""
    return tuple(name for name in names if (consents[name].withdrawn_at or consents[name].at) == at)


def due_of(terms: Terms, consents: Consents, said: Consents) -> dict[str, Consent]:
    """Return what is said of the consents that lack."""
    return {name: said[name] for name in lacking(consents, terms) if name in said}


class ConsentsGiven(Event[S]):
    """A person consented, again or to a newer text."""

    consents: Mapping[str, Consent]

    def apply(self, state: S, at: datetime) -> S:
        """Take them over; what was said later stands."""
        return state.model_copy(update={"consents": merged(state.consents, self.consents)})


class ConsentsWithdrawn(Event[S]):
    """A person took consents back."""

    names: tuple[str, ...]
    versions: Mapping[str, str]
    withdrawn_at: datetime

    def apply(self, state: S, at: datetime) -> S:
        """Take them back; what was said later stands."""
        gone = taken_back(state.consents, self.names, self.versions, self.withdrawn_at)
        return state.model_copy(update={"consents": merged(state.consents, gone)})


def _newer(consent: Consent | None, at: datetime) -> bool:
    return consent is not None and (consent.withdrawn_at or consent.at) > at


def _covers(consent: Consent | None, version: str) -> bool:
    return consent is not None and consent.granted and consent.version == version
