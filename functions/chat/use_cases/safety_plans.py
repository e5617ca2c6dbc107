"""The safety plans of users: read, kept, changed and deleted in the profile, each change with an audit entry."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from functions.chat.use_cases.user_documents import update_user_document
from shared.content.safety_plan import SafetyPlanWords
from shared.content.schemas.consents import ConsentFile
from shared.domain.consents import refused
from shared.domain.counseling.profile import Profile, kept_until, planned
from shared.domain.counseling.safety_plan import PlanStep, SafetyPlan, StoredPlan, next_plan
from shared.domain.counseling.session import Session
from shared.domain.errors import CBotError, ConsentRequired, DocumentTooNew, DocumentUnreadable, GuardianRequired
from shared.domain.ids import UserId
from shared.domain.records import AuditEntry
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.ports.user_store import VersionedUser

KEPT, DELETED = "safety_plan_kept", "safety_plan_deleted"
"""Actions in the audit trail."""
READ_SECONDS = 1.0
"""How long a turn waits for the plan, seconds: a crisis is answered without it then."""


@dataclass(frozen=True)
class Changed:
    """A plan after a change, and the steps that could not be kept."""

    plan: SafetyPlan | None
    not_kept: tuple[PlanStep, ...]


@dataclass(frozen=True)
class SafetyPlans:
    """Keeps safety plans; in a turn as `functions.chat.danger.kept_plan.SafetyPlans`.

    Attributes:
        seconds: How long a turn waits for the plan.
    """

    store: ConversationStore[Session]
    clock: Clock
    ids: IdSource
    words: SafetyPlanWords
    consents: ConsentFile
    seconds: float = READ_SECONDS

    async def stored(self, user_id: UserId) -> StoredPlan:
        """Return the user's plan; not known if it cannot be read in time."""
        try:
            async with asyncio.timeout(self.seconds):
                found = await self.store.user(user_id, Profile)
        except (CBotError, TimeoutError):
            return StoredPlan(known=False)
        return StoredPlan(plan=found.document.safety_plan if found else None)

    async def of(self, caller: Caller) -> SafetyPlan | None:
        """Return the caller's plan, or None.

        Raises:
            StoreUnavailable: The store does not answer.
        """
        found = await self.store.user(caller.user_id, Profile)
        return found.document.safety_plan if found else None

    async def keep(self, session: Session) -> bool:
        """Keep the session's plan with its user, who agreed; repeating it changes nothing.

        A kept step is replaced only by what the user told in this session.

        Returns:
            Whether it is kept: not in an erased or unreadable profile, under 14, or after a withdrawn consent.

        Raises:
            StoreUnavailable: The store does not answer.
        """

        async def attempt(found: VersionedUser[Profile] | None) -> bool:
            if found is None or found.document.under_14 or refused(found.document.consents):
                return False
            before = found.document.safety_plan
            plan = next_plan(before, session.safety_plan.agreed_to(before), self.clock.now())
            lasting = VersionedUser(kept_until(found.document, session.expire_at), found.version)
            await self._write(lasting, plan, session.conversation_id)
            return plan is not None

        try:
            return await update_user_document(self.store, session.user_id, attempt)
        except (DocumentTooNew, DocumentUnreadable):
            return False

    async def change(self, caller: Caller, steps: Mapping[PlanStep, str]) -> Changed:
        """Replace the caller's plan; without any step it is deleted.

        The profile does not expire later for that: the consent's text counts from the last talk.

        Raises:
            ConsentRequired: The caller gave no consents, or withdrew one.
            GuardianRequired: The caller is under 14, as they stated in a talk.
            StoreUnavailable: The store does not answer.
        """
        told = {step: words for step, words in steps.items() if words.strip()}
        storable = {step: self.words.storable(words, step) for step, words in told.items()}
        not_kept = tuple(step for step in PlanStep if step in storable and storable[step] is None)

        async def attempt(found: VersionedUser[Profile] | None) -> Changed:
            consents = found.document.consents if found else {}
            missing = refused(consents) if consents else tuple(self.consents.required)
            if found is None or missing:
                raise ConsentRequired(missing, self.consents.versions)
            if found.document.under_14:
                raise GuardianRequired("under 14, as they stated in a talk")
            before = found.document.safety_plan
            old = before.steps if before else {}
            kept = {step: words or old.get(step, "") for step, words in storable.items()}
            plan = next_plan(before, kept, self.clock.now())
            await self._write(found, plan)
            return Changed(plan, not_kept)

        return await update_user_document(self.store, caller.user_id, attempt)

    async def delete(self, caller: Caller) -> None:
        """Delete the caller's plan; may be repeated.

        Raises:
            StoreUnavailable: The store does not answer.
        """

        async def attempt(found: VersionedUser[Profile] | None) -> None:
            if found is not None:
                await self._write(found, None)

        await update_user_document(self.store, caller.user_id, attempt)

    async def _write(self, found: VersionedUser[Profile], plan: SafetyPlan | None, conversation_id: str = "") -> None:
        """Write the profile with the plan and an audit entry, if anything changes."""
        before, now = found.document.safety_plan, self.clock.now()
        after = planned(found.document, plan, now)
        if after is found.document:
            return
        version = plan.version if plan else before.version if before else 0
        line = AuditEntry(
            audit_id=self.ids.new_id(),
            at=now,
            conversation_id=conversation_id,
            rule=f"safety_plan@{version}",
            level="",
            action=KEPT if plan else DELETED,
        )
        await self.store.save_user(VersionedUser(after, found.version), [line])
