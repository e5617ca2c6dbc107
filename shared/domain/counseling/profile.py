"""What a user carries from session to session, and how the closing of a session is taken into it.

Everything here is pure: a closing that comes twice, late or before an older one leads to the same profile.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from pydantic import Field

from shared.domain.consents import merged
from shared.domain.conversation import RETENTION, Consent
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.closing import Closing
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.session import Session, SessionType
from shared.domain.ids import ConversationId, UserId
from shared.domain.user_document import UserDocument
from shared.model import Model
from shared.safety.levels import Danger
from shared.safety.reassurance import dangers

MOST_GOALS = 5
"""Goals that are kept, the newest first. More than a person works on at a time, few enough to read."""
NEWEST_MERGED = 20
"""Sessions that are remembered as taken in, so that none counts twice."""
DANGER_REMEMBERED = timedelta(days=90)
"""How long a session that ended in danger has the next one ask about it first. The months after a crisis
are the most dangerous ones."""
NAME_SLOT = "name"
"""The slot in which every template keeps what the person likes to be called (`shared/content/data/tasks_*.yaml`)."""


class KeptPersona(UserPersona):
    """The persona and the level for the next session, as the newest session left them."""

    updated_at: datetime


class KeptGoal(Model):
    """A goal of the user's, and the session in which they voiced it last."""

    goal: str
    conversation_id: ConversationId


class LastSession(Model):
    """The newest session that has its closing.

    Attributes:
        in_danger: It ended while a danger to the person's own life was followed through.
    """

    conversation_id: ConversationId
    session_type: SessionType
    ended_at: datetime
    in_danger: bool = False


class Profile(UserDocument):
    """What is known of a user beyond one session. Document: `users/{user_id}`.

    Attributes:
        summary: The newest session's, as its user was given it.
        goals: The newest first, each once.
        next_plan: What the newest session left for the next one.
        last_session: None also when that session was deleted: nothing of it is left then.
        sessions: Ended sessions that were taken in.
        merged: The newest of them, by id; none that was deleted, since audit lines bear its id.
        consents: What the person agreed to last, or took back, by the consent's name.
        under_14: They stated such an age in a talk, and have not corrected it: nothing is opened for them.
        openings: When they opened conversations within an hour of the newest one, deleted ones too.
    """

    name: str | None = None
    persona: KeptPersona | None = None
    summary: str = ""
    goals: tuple[KeptGoal, ...] = ()
    next_plan: str = ""
    last_session: LastSession | None = None
    sessions: int = Field(default=0, ge=0)
    merged: tuple[ConversationId, ...] = ()
    consents: Mapping[str, Consent] = Field(default_factory=dict)
    under_14: bool = False
    openings: tuple[datetime, ...] = ()


def merge(profile: Profile | None, session: Session, closing: Closing, now: datetime) -> Profile:
    """Take the closing of an ended session into its user's profile.

    The newest ended session decides on summary, plan, name, level and persona; an older one whose closing comes late is
    counted, its goals come behind the others, and it fills in what nobody has told since. A closing that replaces one
    that stood in replaces it here too: its session counts once.

    Args:
        profile: As it is stored; None when there is none yet.
        session: The ended session.
        closing: Its closing.
        now: The time of the write; retention counts from what the user said last in the session.

    Returns:
        The profile after it; the same object when the session was taken in before.
    """
    known = profile or Profile(user_id=session.user_id, updated_at=now, expire_at=session.expire_at)
    identifier = session.conversation_id
    again = identifier in known.merged
    if again and session.stand_in_summary is None:
        return known
    ended_at = session.ended_at or session.updated_at
    last = known.last_session
    newest = last is None or ended_at > last.ended_at or last.conversation_id == identifier
    own = tuple(KeptGoal(goal=goal, conversation_id=identifier) for goal in closing.goals)
    others = tuple(kept for kept in known.goals if kept.conversation_id != identifier)
    taken = known.model_copy(
        update={
            "goals": _distinct((*own, *others) if newest else (*others, *own)),
            "name": (_name(session) or known.name) if newest else (known.name or _name(session)),
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
            "next_plan": closing.next_session,
            "persona": _persona(known.persona, session.user_persona, closing.suggested_level, now),
            "last_session": LastSession(
                conversation_id=identifier,
                session_type=session.session_type,
                ended_at=ended_at,
                in_danger=session.risk.follow_through and Danger.OWN_LIFE in dangers(session.risk.found),
            ),
        }
    )


def agreed(profile: Profile | None, user_id: UserId, consents: Mapping[str, Consent], now: datetime) -> Profile:
    """Keep what a person agreed to, or took back; with the first consent their profile begins.

    What they said later stands, in whatever order it comes; nothing is kept for longer because of it.
    """
    known = profile or Profile(user_id=user_id, updated_at=now, expire_at=now + RETENTION)
    return known.model_copy(
        update={"consents": merged(known.consents, consents), "updated_at": max(now, known.updated_at)}
    )


def aged(profile: Profile, *, under_14: bool, now: datetime) -> Profile:
    """Keep whether a person has stated that they are under 14; the same object when that is known."""
    if profile.under_14 is under_14:
        return profile
    return profile.model_copy(update={"under_14": under_14, "updated_at": max(now, profile.updated_at)})


def kept_until(profile: Profile, expire_at: datetime) -> Profile:
    """Keep a profile for as long as the conversation that its person begins."""
    return profile.model_copy(update={"expire_at": max(profile.expire_at, expire_at)})


def forget(profile: Profile, conversation_id: ConversationId, now: datetime) -> Profile:
    """Leave out what a deleted conversation told; name, persona and level stay, since they are the person's.

    Returns:
        The profile without it; the same object when nothing in it comes from that conversation.
    """
    goals = tuple(kept for kept in profile.goals if kept.conversation_id != conversation_id)
    last = profile.last_session
    merged = tuple(known for known in profile.merged if known != conversation_id)
    was_last = last is not None and last.conversation_id == conversation_id
    if not was_last and goals == profile.goals and merged == profile.merged:
        return profile
    left: dict[str, object] = {"goals": goals, "merged": merged, "updated_at": max(now, profile.updated_at)}
    if was_last:
        left |= {"summary": "", "next_plan": "", "last_session": None}
    return profile.model_copy(update=left)


def carried_from(profile: Profile | None, now: datetime) -> Carried | None:
    """Return what the next session takes along: where the newest session is gone, the goals of others; else None."""
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
    """Take the session's persona if it has a type, else keep the type that is known."""
    source = before if present.type is None and before is not None else present
    return KeptPersona(
        type=source.type,
        type_specific_keywords=source.type_specific_keywords,
        common_keywords=source.common_keywords,
        counseling_level=level,
        updated_at=now,
    )


def _name(session: Session) -> str | None:
    given = session.user_info.get(NAME_SLOT)
    return given if isinstance(given, str) and given else None


def _distinct(goals: Iterable[KeptGoal]) -> tuple[KeptGoal, ...]:
    """Keep the first of goals in the same words, whatever the spacing and case."""
    kept: dict[str, KeptGoal] = {}
    for each in goals:
        kept.setdefault("".join(each.goal.split()).casefold(), each)
    return tuple(kept.values())[:MOST_GOALS]
