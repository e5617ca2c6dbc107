"""Opens, ends and rates conversations."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import Field

from functions.chat.use_cases.consents import ConsentChanges, outdated
from functions.chat.use_cases.rights_audit_log import GIVEN, about_consents
from functions.chat.use_cases.user_documents import update_user_document
from shared.content.schemas.consents import ConsentFile
from shared.contracts.chat import Consents, ConversationCreated, CreateConversation, Ended, Greeting, StateSnapshot
from shared.contracts.rating import Satisfaction
from shared.domain.consents import lacking, refused, taken_back_since
from shared.domain.conversation import Message
from shared.domain.counseling.profile import Profile, agreed, kept_until
from shared.domain.counseling.session import Session, SessionType
from shared.domain.counseling.session_events import Rated, SessionClosed
from shared.domain.errors import CBotError, ConsentRequired, GuardianRequired, NotFound, SessionOpen, TooManyRequests
from shared.domain.ids import ConversationId, UserId
from shared.domain.records import Record
from shared.engine.capacity import Capacity
from shared.engine.enqueue import begin_enqueueing
from shared.engine.extra_writes import ExtraWrites
from shared.engine.flow import ServicePolicy
from shared.engine.unit_of_work import Decision, change
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.ports.clock import Clock
from shared.ports.conversation_store import ConversationStore
from shared.ports.identity import Caller
from shared.ports.task_queue import TaskQueue
from shared.ports.user_store import VersionedUser
from shared.services.counseling.exits import exit_during_follow_up
from shared.web.text import clean


class Rating(Record):
    """One rating. Id: the session's version after it, since a user may rate again."""

    collection: ClassVar[str] = "ratings"
    rating: int | None = Field(default=None, ge=1, le=5)
    comment: str


def comment_of(given: Satisfaction) -> Satisfaction:
    """Return a rating with a cleaned comment."""
    return given.model_copy(update={"comment": clean(given.comment)})


def rating_id(state: Session) -> str:
    """Return the id of the rating that made this version of the session."""
    return f"{Rating.collection}-{state.state_version}"


def rating_of(state: Session, given: Satisfaction) -> Rating:
    """Return the record of a rating, without the comment if no text is stored."""
    return Rating(
        record_id=str(state.state_version),
        created_at=state.updated_at,
        expire_at=state.expire_at,
        rating=given.rating,
        comment=given.comment if state.keeps_words else "",
    )


log = logging.getLogger(__name__)

DEFAULT_PER_HOUR = 30
OPENINGS_AT_ONCE = 100
"""Openings that an instance runs at a time; each takes some 6 ms of CPU, so the last is answered within a second."""
HOUR = timedelta(hours=1)

OpenSession = Callable[[UserId, CreateConversation, datetime, Profile | None], tuple[Session, Message]]
"""Creates a session and its greeting, from the profile if there is one."""
ClosingText = Callable[[Session], str]
"""Returns the last message of a conversation that its user ended by the endpoint."""


@dataclass(frozen=True)
class ConversationLifecycle:
    """Opens, ends and rates conversations.

    Attributes:
        consent_changes: Applies consents given again at an opening to all conversations.
        per_hour: Conversations that one user may open within an hour.
        openings: Places for openings; they are not counted among the turns, since an opening asks no model.
    """

    store: ConversationStore[Session]
    policy: ServicePolicy[Session]
    queue: TaskQueue
    clock: Clock
    open_session: OpenSession
    closing_text: ClosingText
    consents: ConsentFile
    consent_changes: ConsentChanges
    per_hour: int = DEFAULT_PER_HOUR
    openings: Capacity = field(default_factory=lambda: Capacity(OPENINGS_AT_ONCE))

    async def create(self, caller: Caller, request: CreateConversation) -> ConversationCreated:
        """Open a conversation. A follow-up continues from the profile, if there is one.

        A level that staff set for the user counts where the request has none: how deep to go is the user's choice.

        Raises:
            GuardianRequired: The user is under 14, by age band or stated age.
            ConsentRequired: A consent is missing.
            TooManyRequests: The user opened too many within the hour.
            Overloaded: Too many users open a conversation at this moment.
            StoreUnavailable: The store does not answer, or everything of the user is being erased. Nothing is stored in
                any of these cases.
        """
        if request.age_band == "under_14":
            raise GuardianRequired("under 14")
        if missing := missing_consents(request, self.consents):
            raise ConsentRequired(missing, self.consents.versions)
        if request.counseling_level is None:
            request = request.model_copy(update={"counseling_level": caller.counseling_level})
        now = self.clock.now()
        with self.openings.place(caller.user_id):
            session, greeting, anew = await self._open(caller, request, now)
        if anew:
            await self._spread(caller, anew, session, now)
        view = self.policy.view(session)
        return ConversationCreated(
            conversation_id=session.conversation_id,
            greeting=Greeting(text=greeting.text),
            state_snapshot=StateSnapshot.model_validate(view.state_snapshot),
        )

    async def end(self, caller: Caller, conversation_id: ConversationId) -> Ended:
        """End a conversation; repeating it changes nothing and returns the same answer.

        Raises:
            NotFound: The conversation does not exist or belongs to another user.
        """
        now = self.clock.now()

        def decide(state: Session) -> Decision[Session, bool]:
            require_owner(state, caller)
            if state.ended:
                return Decision(value=False)
            left = exit_during_follow_up(state, state.seq, now)
            events = (SessionClosed(), *left.events)
            return Decision(value=True, events=events, extra_writes=lambda _: ExtraWrites(audit=left.audit))

        closed = await change(self.store, self.policy, self.clock, conversation_id, decide)
        if closed is None:
            raise NotFound("conversation")
        state = closed.state
        if closed.value:
            log_event(log, LogEvent.SESSION_COMPLETED, conversation=conversation_id, turns=state.seq)
        await begin_enqueueing(self.queue, self.policy.due(state))
        return Ended(
            message=self.closing_text(state),
            state_snapshot=StateSnapshot.model_validate(self.policy.view(state).state_snapshot),
        )

    async def rate(self, caller: Caller, conversation_id: ConversationId, given: Satisfaction) -> Session:
        """Store the user's rating of an ended conversation; the newest one counts.

        Raises:
            NotFound: The conversation does not exist or belongs to another user.
            SessionOpen: The conversation has not ended.
            ConsentRequired: The rating has a comment, and a consent was withdrawn.
        """

        def decide(state: Session) -> Decision[Session, None]:
            require_owner(state, caller)
            if not state.ended:
                raise SessionOpen("the conversation is not over")
            if given.comment and (missing := refused(state.consents)):
                raise ConsentRequired(missing, self.consents.versions)
            return Decision(
                None, (Rated(rating=given.rating),), lambda after: ExtraWrites(records=(rating_of(after, given),))
            )

        rated = await change(self.store, self.policy, self.clock, conversation_id, decide)
        if rated is None:
            raise NotFound("conversation")
        return rated.state

    async def profile(self, caller: Caller) -> Profile | None:
        found = await self.store.user(caller.user_id, Profile)
        return found.document if found else None

    async def _spread(self, caller: Caller, names: tuple[str, ...], opened: Session, at: datetime) -> None:
        """Give consents in the user's other conversations.

        The new conversation exists already, so failures are only logged; those conversations ask at their next message.
        """
        try:
            await self.consent_changes.give(caller, {name: opened.consents[name] for name in names}, at)
        except CBotError as error:
            log_event(log, LogEvent.CONSENTS_NOT_SPREAD, error=error, conversation=opened.conversation_id)

    async def _open(
        self, caller: Caller, request: CreateConversation, now: datetime
    ) -> tuple[Session, Message, tuple[str, ...]]:
        """Create the conversation in one commit with the user's profile, where the consents are stored.

        So nothing of an erased profile is written, and a later withdrawal wins, whichever is written first.

        Returns:
            Session, greeting, and the names of consents that were not given in the profile before.
        """
        first = SessionType(request.session_type) is SessionType.FIRST_SESSION

        async def opened(found: VersionedUser[Profile] | None) -> tuple[Session, Message, tuple[str, ...]]:
            profile = found.document if found else None
            if profile is not None and profile.under_14:
                raise GuardianRequired("under 14, as they stated in a talk")
            openings = self._openings(profile, now)
            if since := taken_back_since(profile.consents if profile else {}, now):
                raise ConsentRequired(since, self.consents.versions)
            session, greeting = self.open_session(caller.user_id, request, now, None if first else profile)
            after = kept_until(agreed(profile, caller.user_id, session.consents, now), session.expire_at)
            after = after.model_copy(update={"openings": (*openings, now)})
            await self.store.create(
                session,
                greeting,
                self.policy.view(session),
                VersionedUser(after, found.version if found else None),
                (about_consents(session, session.consents, GIVEN, now),),
            )
            return session, greeting, lacking(profile.consents, self.consents.versions) if profile else ()

        return await update_user_document(self.store, caller.user_id, opened)

    def _openings(self, profile: Profile | None, now: datetime) -> tuple[datetime, ...]:
        """Return the times at which the user opened conversations within the hour, deleted ones included.

        Raises:
            TooManyRequests: The limit is reached.
        """
        found = tuple(at for at in profile.openings if at > now - HOUR) if profile else ()
        if len(found) >= self.per_hour:
            wait = found[-self.per_hour] + HOUR - now
            raise TooManyRequests(int(wait.total_seconds()) + 1, "conversations")
        return found


def missing_consents(request: CreateConversation, texts: ConsentFile) -> tuple[str, ...]:
    """Return the names of consents that are missing or name another version than the current one.

    A version that is not stated is stored as such (`Consent.stated`).
    """
    refused = tuple(name for name in Consents.model_fields if not getattr(request.consents, name))
    stated = [name for name in Consents.model_fields if getattr(request.versions, name) is not None]
    return refused + outdated([name for name in stated if name not in refused], request.versions, texts)


def require_owner(state: Session, caller: Caller) -> None:
    """Check that the caller owns the conversation.

    Raises:
        NotFound: It belongs to another user.
    """
    if state.user_id != caller.user_id:
        raise NotFound("conversation")
