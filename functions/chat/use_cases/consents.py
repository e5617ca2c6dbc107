"""Reads and changes a user's consents, in the profile and in each conversation.

The profile comes first, then every conversation. Before a withdrawal is answered, every session is marked, which every
commit of a turn or job checks, and its turn's lease is revoked: this instance's turn is cancelled at once, another
instance's at its next heartbeat. A failure in one conversation does not stop the others. The profile's commit also
stores the withdrawal, so that a task or the sweep finishes what the request does not. Every step may be repeated.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from functions.chat.use_cases.rights_audit_log import GIVEN, WITHDRAWN, about_consents, about_person
from functions.chat.use_cases.user_documents import update_user_document
from shared.content.schemas.consents import ConsentFile, Operator
from shared.contracts.chat import ConsentVersions
from shared.contracts.retrieval import ChangeConsents, ConsentState, MyConsents
from shared.contracts.tasks import JobKind, TaskPayload, withdrawal_task
from shared.domain.consents import (
    ConsentsGiven,
    ConsentsWithdrawn,
    due_of,
    given,
    lacking,
    refused,
    said_at,
    standing,
    still_withdrawn,
    taken_back,
)
from shared.domain.conversation import Consent
from shared.domain.counseling.profile import Profile, agreed
from shared.domain.counseling.session import Session
from shared.domain.counseling.staff_review_events import WordsOpened
from shared.domain.errors import CBotError, ConsentRequired
from shared.domain.event import Event
from shared.domain.ids import ConversationId, UserId
from shared.domain.mailbox import Mailbox, reopen, revoke
from shared.domain.records import AuditEntry
from shared.domain.withdrawal import Withdrawal
from shared.engine.enqueue import begin_enqueueing, enqueue_due
from shared.engine.extra_writes import ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.jobs import JobResult
from shared.engine.retry import SESSION_WRITES, retry_conflicts
from shared.engine.unit_of_work import Decision, change
from shared.locale import Locale
from shared.ports.clock import Clock, IdSource
from shared.ports.conversation_documents import VersionedMailbox
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.ports.task_queue import TaskQueue
from shared.ports.user_store import VersionedUser

AT_ONCE = 20
"""Conversations changed in parallel."""


@dataclass(frozen=True)
class _Change:
    """A change of consents.

    Attributes:
        given: Consents to the current texts.
        withdrawn: Names of consents.
    """

    given: Mapping[str, Consent]
    withdrawn: tuple[str, ...]
    at: datetime


def _nobody(conversation_id: ConversationId) -> None:
    """Do nothing: no turns run in this instance."""


@dataclass(frozen=True)
class ConsentChanges:
    """Changes consents.

    Attributes:
        stop: Cancels the turn that this instance runs in a conversation.
        operator: The operator named in the texts.
    """

    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    queue: TaskQueue
    clock: Clock
    ids: IdSource
    texts: ConsentFile
    stop: Callable[[ConversationId], None] = _nobody
    operator: Operator | None = None

    async def state(self, caller: Caller, locale: Locale) -> MyConsents:
        found = await self.store.user(caller.user_id, Profile)
        return consents_shown(self.texts, found.document.consents if found else {}, locale)

    async def change(self, caller: Caller, asked: ChangeConsents, locale: Locale) -> MyConsents:
        """Give or withdraw consents; unchanged ones are ignored.

        Raises:
            ConsentRequired: A consent names no version or not the current one; nothing is changed.
            StoreError: A conversation could not be changed; the others were. It may be repeated, and a stored
                withdrawal continues in the background.
        """
        said = asked.consents.model_dump(exclude_none=True)
        names = tuple(name for name, yes in said.items() if yes)
        if old := outdated(names, asked.versions, self.texts):
            raise ConsentRequired(old, self.texts.versions)
        now = self.clock.now()
        change = _Change(
            given=given(names, self.texts.versions, now),
            withdrawn=tuple(name for name, yes in said.items() if not yes),
            at=now,
        )
        withdrawal = self._withdrawal(caller.user_id, change)
        profile = await self._keep(caller, change, withdrawal)
        try:
            await self._everywhere(caller.user_id, change)
            if withdrawal is not None:
                await self.store.end_withdrawal(withdrawal.withdrawal_id)
        except CBotError:
            if withdrawal is not None:
                await enqueue_due(self.queue, [withdrawal_task(withdrawal.withdrawal_id)])
            raise
        return consents_shown(self.texts, profile.consents, locale)

    async def give(self, caller: Caller, consents: Mapping[str, Consent], at: datetime) -> None:
        """Give consents in all of a user's conversations; the profile has them already.

        Raises:
            StoreError: See `change`.
        """
        await self._everywhere(caller.user_id, _Change(given=consents, withdrawn=(), at=at))

    async def carry_out(self, payload: TaskPayload) -> JobResult:
        """Continue an unfinished withdrawal, except for consents that the user gave again later.

        Raises:
            StoreError: A conversation could not be changed; the others were.
        """
        withdrawal = await self.store.withdrawal(payload.conversation_id)
        if withdrawal is None:
            return JobResult.MOOT
        user_id, at = withdrawal.user_id, withdrawal.requested_at
        if names := still_withdrawn(await self._kept(user_id), withdrawal.names, at):
            await self._everywhere(user_id, _Change(given={}, withdrawn=names, at=at))
            # a consent given during this may have skipped conversations that were not withdrawn yet
            consents = await self._kept(user_id)
            anew = {name: consents[name] for name in set(names) - {*still_withdrawn(consents, names, at)}}
            if anew:
                await self._everywhere(user_id, _Change(given=anew, withdrawn=(), at=self.clock.now()))
        await self.store.end_withdrawal(withdrawal.withdrawal_id)
        return JobResult.DONE

    async def _kept(self, user_id: UserId) -> Mapping[str, Consent]:
        found = await self.store.user(user_id, Profile)
        return found.document.consents if found else {}

    def _withdrawal(self, user_id: UserId, change: _Change) -> Withdrawal | None:
        if not change.withdrawn:
            return None
        return Withdrawal(
            withdrawal_id=self.ids.new_id(), user_id=user_id, names=change.withdrawn, requested_at=change.at
        )

    async def _everywhere(self, user_id: UserId, change: _Change) -> None:
        """Change every conversation; failures are raised after all were tried."""
        ids = await self.store.conversations_of(user_id)
        failures: list[CBotError] = []
        for first in range(0, len(ids), AT_ONCE):
            found = await asyncio.gather(*(self._tried(one, change) for one in ids[first : first + AT_ONCE]))
            failures += [failure for failure in found if failure is not None]
        if failures:
            raise failures[0]

    async def _tried(self, conversation_id: ConversationId, change: _Change) -> CBotError | None:
        """Change a conversation and return its failure, if any.

        A withdrawal also stops its turn, even if the session is unreadable, unless all consents were given again.
        """
        failure: CBotError | None = None
        stopped = bool(change.withdrawn)
        try:
            state = await self._change(conversation_id, change)
            stopped = stopped and (state is None or bool(refused(state.consents)))
        except CBotError as error:
            failure = error
        if stopped:
            try:
                await self._stop(conversation_id)
            except CBotError as error:
                failure = failure or error
        return failure

    async def _keep(self, caller: Caller, change: _Change, withdrawal: Withdrawal | None) -> Profile:
        """Update the profile and store the withdrawal in one commit; an erased profile is not recreated."""

        async def written(found: VersionedUser[Profile] | None) -> Profile:
            before = found.document if found else None
            consents = before.consents if before else {}
            anew = due_of(self.texts.versions, consents, change.given)
            gone = taken_back(consents, standing(consents, change.withdrawn), self.texts.versions, change.at)
            after = agreed(before, caller.user_id, {**anew, **gone}, change.at)
            lines = self._audited(after.consents, {GIVEN: anew, WITHDRAWN: gone}, change.at)
            await self.store.save_user(VersionedUser(after, found.version if found else None), lines, withdrawal)
            return after

        return await update_user_document(self.store, caller.user_id, written)

    def _audited(
        self, consents: Mapping[str, Consent], said: Mapping[str, Iterable[str]], at: datetime
    ) -> list[AuditEntry]:
        made = [(said_at(consents, tuple(names), at), action) for action, names in said.items()]
        return [about_person(self.ids.new_id(), consents, names, action, at) for names, action in made if names]

    async def _change(self, conversation_id: ConversationId, asked: _Change) -> Session | None:

        def decide(state: Session) -> Decision[Session, None]:
            anew = due_of(self.texts.versions, state.consents, asked.given)
            gone = standing(state.consents, asked.withdrawn)
            events: list[Event[Session]] = []
            if anew:
                events.append(ConsentsGiven(consents=anew))
            if gone:
                events.append(ConsentsWithdrawn(names=gone, versions=self.texts.versions, withdrawn_at=asked.at))
            if anew:
                events.append(WordsOpened())

            def audited(after: Session) -> ExtraWrites:
                said = ((tuple(anew), GIVEN), (gone, WITHDRAWN))
                made = [(said_at(after.consents, names, asked.at), action) for names, action in said]
                return ExtraWrites(
                    audit=tuple(about_consents(after, names, act, asked.at) for names, act in made if names)
                )

            return Decision(None, events, audited)

        changed = await change(self.store, self.policy, self.clock, conversation_id, decide)
        state = changed.state if changed else None
        if state is None or asked.withdrawn:
            return state
        waiting = () if refused(state.consents) else await self._reopened(conversation_id)
        await begin_enqueueing(self.queue, (*self.policy.due(state), *waiting))
        return state

    async def _stop(self, conversation_id: ConversationId) -> None:
        """Revoke the lease of a running turn or of one about to start.

        This instance's turn is cancelled before and after, since one that just started has its lease only then.
        """
        self.stop(conversation_id)
        await self._over_mailbox(conversation_id, revoke)
        self.stop(conversation_id)

    async def _reopened(self, conversation_id: ConversationId) -> tuple[TaskPayload, ...]:
        """Make messages that stayed queued during a withdrawal due again; return the task for them."""
        box = await self._over_mailbox(conversation_id, lambda box: reopen(box, self.clock.now()))
        if box is None or not box.inbox or not box.free(self.clock.now()):
            return ()
        return (TaskPayload(conversation_id=conversation_id, kind=JobKind.ANSWER, seq=box.last_token, state_version=0),)

    async def _over_mailbox(
        self, conversation_id: ConversationId, step: Callable[[Mailbox], Mailbox]
    ) -> Mailbox | None:
        """Apply a change to the newest mailbox; None if it does not exist."""

        async def attempt() -> Mailbox | None:
            held = await self.store.mailbox(conversation_id)
            if held is None:
                return None
            box = step(held.box)
            if box is not held.box:
                await self.store.save_mailbox(VersionedMailbox(box=box, version=held.version))
            return box

        return await retry_conflicts(SESSION_WRITES, attempt, "the mailbox")


def outdated(names: Sequence[str], shown: ConsentVersions, texts: ConsentFile) -> tuple[str, ...]:
    """Return the consents whose stated version is not the current one."""
    return tuple(name for name in names if getattr(shown, name) != texts.versions[name])


def consents_shown(texts: ConsentFile, consents: Mapping[str, Consent], locale: Locale) -> MyConsents:
    """Return the state of each consent; after a withdrawal with a note on stored data."""
    due = lacking(consents, texts.required)
    states = []
    for text in texts.consents:
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
    return MyConsents(consents=tuple(states), note=texts.withdrawn.at(locale) if withdrawn else "")
