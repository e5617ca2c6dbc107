"""Audit entries about users' rights: which, when and of which conversation; without user ids and contents.

A conversation's id is random, and identifies no person after the erasure.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from shared.domain.conversation import Consent
from shared.domain.counseling.session import Session
from shared.domain.records import AuditEntry
from shared.domain.usage import UsageEntry
from shared.ports.audit_store import AuditStore
from shared.ports.clock import Clock, IdSource

GIVEN, WITHDRAWN = "consent_given", "consent_withdrawn"


@dataclass(frozen=True)
class RightsAuditLog:
    """Writes audit entries of requests that change no state."""

    store: AuditStore
    clock: Clock
    ids: IdSource

    async def exported(self, conversation_id: str = "", usage: UsageEntry | None = None) -> None:
        """Write an entry for an export of a conversation, or of everything, and count it in the user's day."""
        await self.store.add_audit(
            AuditEntry(
                audit_id=self.ids.new_id(),
                at=self.clock.now(),
                conversation_id=conversation_id,
                rule="conversation" if conversation_id else "everything",
                level="",
                action="export",
            ),
            usage,
        )


def about_person(
    audit_id: str, consents: Mapping[str, Consent], names: Iterable[str], action: str, at: datetime
) -> AuditEntry:
    """Return the audit entry of a change of consents in the profile."""
    rule = _named(consents, names)
    return AuditEntry(audit_id=audit_id, at=at, conversation_id="", rule=rule, level="", action=action)


def about_consents(state: Session, names: Iterable[str], action: str, at: datetime) -> AuditEntry:
    """Return the audit entry of a change of consents in a conversation, with their versions.

    Its id contains the state's version, so that a repeated write creates no second entry.
    """
    return AuditEntry(
        audit_id=f"{state.conversation_id}-v{state.state_version}-{action}",
        at=at,
        conversation_id=state.conversation_id,
        rule=_named(state.consents, names),
        level="",
        action=action,
    )


def _named(consents: Mapping[str, Consent], names: Iterable[str]) -> str:
    kept = {name: consents[name] for name in names}
    return ", ".join(f"{name}@{one.version}" if one.stated else f"{name}@({one.version})" for name, one in kept.items())
