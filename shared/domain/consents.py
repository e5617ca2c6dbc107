"""Rules of consents: which are missing before a message may be processed, and which were withdrawn.

`Terms` are the required consents by name, each with the version of the current text.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TypeAlias

from shared.domain.conversation import Consent, S
from shared.domain.event import Event

Terms: TypeAlias = Mapping[str, str]
Consents: TypeAlias = Mapping[str, Consent]


def lacking(consents: Consents, terms: Terms) -> tuple[str, ...]:
    """Return the required consents that are missing, withdrawn, or given to another version."""
    return tuple(name for name, version in terms.items() if not _covers(consents.get(name), version))


def refused(consents: Consents) -> tuple[str, ...]:
    """Return the refused or withdrawn consents: with any of them nothing may be processed.

    A consent to an older text still allows work on earlier messages; the next message requires a new consent.
    """
    return tuple(name for name, consent in consents.items() if not consent.granted)


def open_to_staff(consents: Consents) -> bool:
    """Tell whether reviewers may read the conversation: not after a consent was withdrawn."""
    return not refused(consents)


def given(names: Iterable[str], versions: Mapping[str, str], at: datetime) -> dict[str, Consent]:
    return {name: Consent(granted=True, version=versions[name], at=at) for name in names}


def merged(known: Consents, said: Consents) -> dict[str, Consent]:
    """Merge consents with newer statements; the latest statement wins, in any order of arrival."""
    fresh = {name: one for name, one in said.items() if not _newer(known.get(name), one.withdrawn_at or one.at)}
    return {**known, **fresh}


def taken_back_since(consents: Consents, at: datetime) -> tuple[str, ...]:
    """Return the consents that were withdrawn after a time, so that an earlier request no longer applies."""
    return tuple(name for name, one in consents.items() if not one.granted and _newer(one, at))


def still_withdrawn(consents: Consents, names: Iterable[str], at: datetime) -> tuple[str, ...]:
    """Return the consents withdrawn at a time that were not given again later."""
    return tuple(
        name for name in names if name not in consents or not consents[name].granted or consents[name].at <= at
    )


def taken_back(
    consents: Consents, names: Iterable[str], versions: Mapping[str, str], at: datetime
) -> dict[str, Consent]:
    """Return these consents as withdrawn, keeping the version and the time of the consent."""
    return {
        name: consents[name].model_copy(update={"granted": False, "withdrawn_at": at})
        if name in consents
        else Consent(granted=False, version=versions[name], at=at, withdrawn_at=at)
        for name in names
    }


def standing(consents: Consents, names: Iterable[str]) -> tuple[str, ...]:
    """Return the consents that are not withdrawn."""
    return tuple(name for name in names if name not in consents or consents[name].granted)


def said_at(consents: Consents, names: Iterable[str], at: datetime) -> tuple[str, ...]:
    """Return the consents whose latest statement is of this time, so that later statements are not overruled."""
    return tuple(name for name in names if (consents[name].withdrawn_at or consents[name].at) == at)


def due_of(terms: Terms, consents: Consents, said: Consents) -> dict[str, Consent]:
    """Return the statements about missing consents."""
    return {name: said[name] for name in lacking(consents, terms) if name in said}


class ConsentsGiven(Event[S]):
    """A user consented, again or to a newer text."""

    consents: Mapping[str, Consent]

    def apply(self, state: S, at: datetime) -> S:
        return state.model_copy(update={"consents": merged(state.consents, self.consents)})


class ConsentsWithdrawn(Event[S]):
    """A user withdrew consents."""

    names: tuple[str, ...]
    versions: Mapping[str, str]
    withdrawn_at: datetime

    def apply(self, state: S, at: datetime) -> S:
        gone = taken_back(state.consents, self.names, self.versions, self.withdrawn_at)
        return state.model_copy(update={"consents": merged(state.consents, gone)})


def _newer(consent: Consent | None, at: datetime) -> bool:
    return consent is not None and (consent.withdrawn_at or consent.at) > at


def _covers(consent: Consent | None, version: str) -> bool:
    return consent is not None and consent.granted and consent.version == version
