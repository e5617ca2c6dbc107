"""The user's profile across sessions, and how a session's closing is merged into it.

All functions are pure, and merging is idempotent: closings may arrive twice, late or out of order.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from pydantic import Field

from shared.domain.consents import merged
from shared.domain.conversation import RETENTION, Consent
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.closing import Closing
from shared.domain.counseling.measures import Moment
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.safety_plan import SafetyPlan
from shared.domain.counseling.session import Session, SessionType
from shared.domain.counseling.sources import Source, SourcedText
from shared.domain.ids import ConversationId, UserId
from shared.domain.user_document import UserDocument
from shared.model import Model
from shared.safety.levels import Danger
from shared.safety.reassurance import dangers

MOST_GOALS = 5
"""Most goals kept, newest first."""
NEWEST_MERGED = 20
"""Most merged sessions that are tracked, so that none counts twice."""
DANGER_REMEMBERED = timedelta(days=90)
"""How long after a session that ended in danger the next one asks about it first: the months after a crisis have the
highest risk."""
NAME_SLOT = "name"
"""Slot of every template for what the user likes to be called (`shared/content/data/tasks.yaml`)."""


class KeptPersona(UserPersona):
    """Persona and level for the next session, from the newest session."""

    updated_at: datetime


class KeptGoal(Model):
    """A goal and the session in which the user last named it.

    Attributes:
        source: The turn of that session and the user's words; None in older documents.
    """

    goal: str
    conversation_id: ConversationId
    source: Source | None = None


class LastSession(Model):
    """The newest session with a closing.

    Attributes:
        in_danger: It ended during a follow-up of a danger to the user's own life, or a measure after its end told of
            self-harm.
    """

    conversation_id: ConversationId
    session_type: SessionType
    ended_at: datetime
    in_danger: bool = False


class Profile(UserDocument):
    """What is known of a user beyond one session. Document: `users/{user_id}`.

    Attributes:
        name_source: Where the user said the name; None in older documents and after that conversation was erased.
        summary: The newest session's, as shown to the user.
        summary_sources: Its sentences with the user's words that they rest on.
        goals: Newest first, without duplicates.
        next_plan: The newest session's plan for the next one.
        last_session: None also after that session was deleted.
        sessions: Number of merged sessions.
        merged: Ids of the newest merged sessions, without deleted ones.
        consents: The latest statements by consent name.
        under_14: The user stated such an age and has not corrected it: no conversation is opened.
        safety_plan: The plan that the user agreed to keep; it stays until they delete it.
        openings: Times of conversations opened within an hour of the newest one, deleted ones included.
        uploads: Times of documents uploaded in the service day of the newest one, deleted ones included.
    """

    name: str | None = None
    name_source: Source | None = None
    persona: KeptPersona | None = None
    summary: str = ""
    summary_sources: tuple[SourcedText, ...] = ()
    goals: tuple[KeptGoal, ...] = ()
    next_plan: str = ""
    last_session: LastSession | None = None
    sessions: int = Field(default=0, ge=0)
    merged: tuple[ConversationId, ...] = ()
    consents: Mapping[str, Consent] = Field(default_factory=dict)
    under_14: bool = False
    safety_plan: SafetyPlan | None = None
    openings: tuple[datetime, ...] = ()
    uploads: tuple[datetime, ...] = ()


def merge(profile: Profile | None, session: Session, closing: Closing, now: datetime) -> Profile:
    """Merge the closing of an ended session into its user's profile.

    The newest session sets summary, plan, name, level and persona. An older session that closes late is counted, its
    goals are appended, and it sets the name if none is known. A closing that replaces a stand-in replaces it here too.

    Args:
        profile: As stored; None if there is none.
        session: The ended session.
        closing: Its closing.
        now: Time of the write.

    Returns:
        The new profile; the same object if the session was merged before.
    """
    known = profile or Profile(user_id=session.user_id, updated_at=now, expire_at=session.expire_at)
    identifier = session.conversation_id
    again = identifier in known.merged
    if again and session.stand_in_summary is None:
        return known
    ended_at = session.ended_at or session.updated_at
    last = known.last_session
    newest = last is None or ended_at > last.ended_at or last.conversation_id == identifier
    own = tuple(
        KeptGoal(goal=goal, conversation_id=identifier, source=_goal_source(closing, goal)) for goal in closing.goals
    )
    named, kept_name = _name(session), (known.name, known.name_source)
    others = tuple(kept for kept in known.goals if kept.conversation_id != identifier)
    taken = known.model_copy(
        update={
            "goals": _distinct((*own, *others) if newest else (*others, *own)),
            **_named((named or kept_name) if newest or known.name is None else kept_name),
            "sessions": known.sessions + (session.stand_in_summary is None),
            "merged": known.merged if again else (identifier, *known.merged)[:NEWEST_MERGED],
            "updated_at": max(now, known.updated_at),
            "expire_at": max(session.expire_at, known.expire_at),
        }
    )
    if not newest:
        return taken
    return taken.model_copy(
        update={
            "summary": closing.summary,
            "summary_sources": closing.summary_sources,
            "next_plan": closing.next_session,
            "persona": _persona(known.persona, session.user_persona, closing.suggested_level, now),
            "last_session": LastSession(
                conversation_id=identifier,
                session_type=session.session_type,
                ended_at=ended_at,
                in_danger=(session.risk.follow_through and Danger.OWN_LIFE in dangers(session.risk.found))
                or any(one.highest_self_harm for one in session.measures if one.moment is Moment.END),
            ),
        }
    )


def endangered(profile: Profile, conversation_id: ConversationId, now: datetime) -> Profile:
    """Store that the newest session ended in danger, found after its closing; the same object for another session."""
    last = profile.last_session
    if last is None or last.conversation_id != conversation_id or last.in_danger:
        return profile
    changed = {"last_session": last.model_copy(update={"in_danger": True}), "updated_at": max(now, profile.updated_at)}
    return profile.model_copy(update=changed)


def agreed(profile: Profile | None, user_id: UserId, consents: Mapping[str, Consent], now: datetime) -> Profile:
    """Merge consents into the profile; the first consent creates it.

    The latest statement wins, in any order of arrival. The expiry does not move.
    """
    known = profile or Profile(user_id=user_id, updated_at=now, expire_at=now + RETENTION)
    return known.model_copy(
        update={"consents": merged(known.consents, consents), "updated_at": max(now, known.updated_at)}
    )


def aged(profile: Profile, *, under_14: bool, now: datetime) -> Profile:
    """Store whether a user stated to be under 14; the same object if unchanged."""
    if profile.under_14 is under_14:
        return profile
    return profile.model_copy(update={"under_14": under_14, "updated_at": max(now, profile.updated_at)})


def planned(profile: Profile, plan: SafetyPlan | None, now: datetime) -> Profile:
    """Store a safety plan, or none; the same object if unchanged."""
    if profile.safety_plan == plan:
        return profile
    return profile.model_copy(update={"safety_plan": plan, "updated_at": max(now, profile.updated_at)})


def uploaded(profile: Profile, uploads: Iterable[datetime], now: datetime) -> Profile:
    """Store the times of the day's uploads, the newest one now."""
    return profile.model_copy(update={"uploads": (*uploads, now), "updated_at": max(now, profile.updated_at)})


def kept_until(profile: Profile, expire_at: datetime) -> Profile:
    """Extend a profile's expiry to that of a new conversation."""
    return profile.model_copy(update={"expire_at": max(profile.expire_at, expire_at)})


def forget(profile: Profile, conversation_id: ConversationId, now: datetime) -> Profile:
    """Remove what a deleted conversation told; name, persona, level and safety plan are the user's and stay.

    Returns:
        The new profile; the same object if nothing came from that conversation.
    """
    goals = tuple(kept for kept in profile.goals if kept.conversation_id != conversation_id)
    last = profile.last_session
    merged = tuple(known for known in profile.merged if known != conversation_id)
    was_last = last is not None and last.conversation_id == conversation_id
    named_there = profile.name_source is not None and profile.name_source.conversation_id == conversation_id
    if not was_last and not named_there and goals == profile.goals and merged == profile.merged:
        return profile
    left: dict[str, object] = {"goals": goals, "merged": merged, "updated_at": max(now, profile.updated_at)}
    if named_there:
        left["name_source"] = None
    if was_last:
        left |= {"summary": "", "summary_sources": (), "next_plan": "", "last_session": None}
    return profile.model_copy(update=left)


def carried_from(profile: Profile | None, now: datetime) -> Carried | None:
    """Return the gist for the next session; only goals if the newest session was deleted; None without any."""
    if profile is None or not (profile.last_session or profile.goals):
        return None
    last = profile.last_session
    return Carried(
        summary=profile.summary,
        goals=tuple(kept.goal for kept in profile.goals),
        goals_from=tuple(kept.conversation_id for kept in profile.goals),
        next_plan=profile.next_plan,
        name=profile.name,
        conversation_id=last.conversation_id if last else profile.goals[0].conversation_id,
        ended_at=last.ended_at if last else None,
        in_danger=last is not None and last.in_danger and now - last.ended_at < DANGER_REMEMBERED,
    )


def _persona(before: KeptPersona | None, present: UserPersona, level: int, now: datetime) -> KeptPersona:
    """Return the session's persona if it has a type, else the known one."""
    source = before if present.type is None and before is not None else present
    return KeptPersona(
        type=source.type,
        type_specific_keywords=source.type_specific_keywords,
        common_keywords=source.common_keywords,
        counseling_level=level,
        updated_at=now,
    )


def _name(session: Session) -> tuple[str, Source | None] | None:
    given, source = session.user_info.get(NAME_SLOT), session.info_sources.get(NAME_SLOT)
    if not isinstance(given, str) or not given:
        return None
    return given, source and source.said_in(session.conversation_id)


def _named(name: tuple[str | None, Source | None]) -> dict[str, object]:
    return {"name": name[0], "name_source": name[1]}


def _goal_source(closing: Closing, goal: str) -> Source | None:
    found = next((each for each in closing.goal_sources if each.text == goal), None)
    return Source(seq=found.seq, quote=found.quote) if found else None


def _distinct(goals: Iterable[KeptGoal]) -> tuple[KeptGoal, ...]:
    kept: dict[str, KeptGoal] = {}
    for each in goals:
        kept.setdefault("".join(each.goal.split()).casefold(), each)
    return tuple(kept.values())[:MOST_GOALS]
