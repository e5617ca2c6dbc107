"""What the audit trail tells of people's rights: which, when, of which conversation; never who, and never any content.

A conversation's id is random, and stands for nobody once it is erased.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from shared.domain.conversation import Consent
from shared.domain.counseling.profile import Profile
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentExists, DocumentTooNew, DocumentUnreadable
from shared.domain.ids import ConversationId, UserId
from shared.domain.records import AuditEntry
from shared.domain.usage import UsageEntry
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore

GIVEN, WITHDRAWN = "consent_given", "consent_withdrawn"


@dataclass(frozen=True)
class Trail:
    """Writes of what was done by request, beside any state."""

    store: ConversationStore[Session]
    clock: Clock
    ids: IdSource

    async def exported(self, conversation_id: str = "", usage: UsageEntry | None = None) -> None:
        """Note that somebody took a conversation along, or all they have, and count it in their day."""
        await self._add(self.ids.new_id(), conversation_id, "export", usage)

    async def erasing(self, conversation_id: ConversationId) -> None:
        """Note that a conversation is about to be erased; a repetition of one that broke off adds nothing."""
        with suppress(DocumentExists):
            await self._add(f"{conversation_id}-erasure", conversation_id, "erasure")

    async def erasing_everything(self, user_id: UserId) -> None:
        """Note that somebody is about to have all they have erased, if there is anything.

        The line is named after what goes last, so that the repetition of an erasure that broke off adds nothing: their
        oldest conversation, or the time of their own document where it stands alone.
        """
        conversations = await self.store.conversations_of(user_id)
        named = conversations[-1] if conversations else await self._document_of(user_id)
        if named is not None:
            with suppress(DocumentExists):
                await self._add(f"{named}-erasure-of-everything", "", "erasure")

    async def _document_of(self, user_id: UserId) -> str | None:
        """Return a name for a person's document that does not name them; None where there is none."""
        try:
            found = await self.store.user(user_id, Profile)
        except (DocumentTooNew, DocumentUnreadable):
            return self.ids.new_id()
        return f"{found.document.updated_at:%Y%m%dT%H%M%S%f}" if found else None

    async def _add(self, audit_id: str, conversation_id: str, action: str, usage: UsageEntry | None = None) -> None:
        rule = "conversation" if conversation_id else "everything"
        await self.store.add_audit(
            AuditEntry(
                audit_id=audit_id,
                at=self.clock.now(),
                conversation_id=conversation_id,
                rule=rule,
                level="",
                action=action,
            ),
            usage,
        )


def about_person(
    audit_id: str, consents: Mapping[str, Consent], names: Iterable[str], action: str, at: datetime
) -> AuditEntry:
    """Return the entry of consents that were given or withdrawn for the person, whatever conversations there are."""
    rule = _named(consents, names)
    return AuditEntry(audit_id=audit_id, at=at, conversation_id="", rule=rule, level="", action=action)


def about_consents(state: Session, names: Iterable[str], action: str, at: datetime) -> AuditEntry:
    """Return the entry of consents that were given or withdrawn in a state: to which text, of which version.

    Its id is made of the state's version, so that the same write repeated meets itself.
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
    """Name them with their versions; in brackets where nobody said which text was shown."""
    kept = {name: consents[name] for name in names}
    return ", ".join(f"{name}@{one.version}" if one.stated else f"{name}@({one.version})" for name, one in kept.items())
