"""A person's consents: as they stand, given anew, taken back; for the person, and for each of their conversations.

The person's document comes first, then every conversation. When a withdrawal is answered, no conversation is worked on:
each has its session marked, over which every turn and job commits, and its turn's lease taken away.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from functions.chat.routes.trail import GIVEN, WITHDRAWN, about_consents
from shared.content.schemas.consents import ConsentFile
from shared.contracts.chat import ConsentVersions
from shared.contracts.retrieval import ChangeConsents, ConsentState, MyConsents
from shared.domain.consents import ConsentsGiven, ConsentsWithdrawn, given, lacking, taken_back
from shared.domain.conversation import Consent
from shared.domain.counseling.profile import Profile, agreed
from shared.domain.counseling.session import Session
from shared.domain.errors import ConsentRequired, StoreUnavailable, VersionConflict
from shared.domain.event import Event
from shared.domain.ids import ConversationId
from shared.domain.locale import Locale
from shared.domain.mailbox import revoke
from shared.engine.beside import Beside
from shared.engine.enqueue import enqueue_due
from shared.engine.flow import House
from shared.engine.update import MAX_CONFLICTS, update
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore, VersionedMailbox, VersionedUser
from shared.ports.identity import Caller
from shared.ports.task_queue import TaskQueue

PAGE = 20
"""Conversations changed together. Own figure."""


@dataclass(frozen=True)
class _Change:
    """What a person says anew.

    Attributes:
        given: Names of consents; to the texts of today.
        withdrawn: Names of consents.
    """

    given: tuple[str, ...]
    withdrawn: tuple[str, ...]
    at: datetime


@dataclass(frozen=True)
class ConsentDesk:
    """Keeps consents."""

    store: ConversationStore[Session]
    house: House[Session]
    queue: TaskQueue
    clock: Clock
    texts: ConsentFile

    async def state(self, caller: Caller, locale: Locale) -> MyConsents:
        """Return the caller's consents as they stand."""
        found = await self.store.user(caller.user_id, Profile)
        return self._shown(found.document if found else None, locale)

    async def change(self, caller: Caller, asked: ChangeConsents, locale: Locale) -> MyConsents:
        """Give or withdraw consents; what is already so stays as it is.

        Raises:
            ConsentRequired: A consent is to an older text than today's; nothing is changed.
            StoreUnavailable: The store does not answer; what was done so far is kept, and may be repeated.
        """
        said = asked.consents.model_dump(exclude_none=True)
        change = _Change(
            given=tuple(name for name, yes in said.items() if yes),
            withdrawn=tuple(name for name, yes in said.items() if not yes),
            at=self.clock.now(),
        )
        if old := outdated(change.given, asked.versions, self.texts):
            raise ConsentRequired(old, self.texts.versions)
        profile = await self._keep(caller, change)
        before: datetime | None = None
        while views := await self.store.views_of(caller.user_id, before, PAGE):
            await asyncio.gather(*(self._change(view.conversation_id, change) for view in views))
            before = views[-1].created_at
        return self._shown(profile, locale)

    async def _keep(self, caller: Caller, change: _Change) -> Profile:
        """Write the person's document, over what is stored; one that was erased meanwhile does not come back."""
        known = False
        for _ in range(MAX_CONFLICTS):
            found = await self.store.user(caller.user_id, Profile)
            if found is None and known:
                break
            known = found is not None
            before = found.document if found else None
            consents = before.consents if before else {}
            anew = given(_not_covered(self.texts, before, change.given), self.texts.versions, change.at)
            gone = taken_back(consents, _granted(consents, change.withdrawn), self.texts.versions, change.at)
            after = agreed(before, caller.user_id, {**anew, **gone}, change.at)
            with suppress(VersionConflict):
                await self.store.save_user(VersionedUser(after, found.version if found else None))
                return after
        raise StoreUnavailable("the user's document changed at every try, or was erased")

    async def _change(self, conversation_id: ConversationId, change: _Change) -> None:
        """Change one conversation; one that is gone by now needs nothing."""
        made: list[tuple[tuple[str, ...], str]] = []

        def events_for(state: Session) -> Sequence[Event[Session]]:
            made.clear()
            events: list[Event[Session]] = []
            anew = tuple(name for name in lacking(state.consents, self.texts.versions) if name in change.given)
            gone = _granted(state.consents, change.withdrawn)
            if anew:
                events.append(ConsentsGiven(consents=given(anew, self.texts.versions, change.at)))
                made.append((anew, GIVEN))
            if gone:
                events.append(ConsentsWithdrawn(names=gone, versions=self.texts.versions, withdrawn_at=change.at))
                made.append((gone, WITHDRAWN))
            return events

        def beside_for(after: Session) -> Beside:
            return Beside(audit=tuple(about_consents(after, names, action, change.at) for names, action in made))

        state = await update(
            self.store, self.house, conversation_id, events_for, clock=self.clock, beside_for=beside_for
        )
        if state is None:
            return
        if change.withdrawn:
            await self._stop(conversation_id)
        await enqueue_due(self.queue, self.house.due(state))

    async def _stop(self, conversation_id: ConversationId) -> None:
        """Take the lease from a turn that runs, or that is about to begin on what it read before."""
        for _ in range(MAX_CONFLICTS):
            snapshot = await self.store.load(conversation_id)
            if snapshot is None:
                return
            held = snapshot.mailbox
            with suppress(VersionConflict):
                await self.store.save_mailbox(VersionedMailbox(box=revoke(held.box), version=held.version))
                return
        raise StoreUnavailable("the mailbox changed at every try")

    def _shown(self, profile: Profile | None, locale: Locale) -> MyConsents:
        consents = profile.consents if profile else {}
        due = lacking(consents, self.texts.required)
        states = []
        for text in self.texts.consents:
            kept = consents.get(text.id)
            states.append(
                ConsentState(
                    id=text.id,
                    version=text.version,
                    required=text.required,
                    granted=kept is not None and kept.granted,
                    granted_version=kept.version if kept and kept.granted else None,
                    at=kept.at if kept else None,
                    withdrawn_at=kept.withdrawn_at if kept else None,
                    due=text.id in due,
                )
            )
        withdrawn = any(one.withdrawn_at for one in states)
        return MyConsents(consents=tuple(states), note=self.texts.withdrawn.at(locale) if withdrawn else "")


def outdated(names: Sequence[str], shown: ConsentVersions, texts: ConsentFile) -> tuple[str, ...]:
    """Return those of the consents that are to another text than today's; a version that is not named is today's."""
    return tuple(name for name in names if getattr(shown, name) not in (None, texts.versions[name]))


def _granted(consents: Mapping[str, Consent], names: Sequence[str]) -> tuple[str, ...]:
    """Return those of the consents that are not withdrawn yet."""
    return tuple(name for name in names if name not in consents or consents[name].granted)


def _not_covered(texts: ConsentFile, profile: Profile | None, names: Sequence[str]) -> tuple[str, ...]:
    due = lacking(profile.consents if profile else {}, texts.versions)
    return tuple(name for name in names if name in due)
