"""`goals.yaml`: the goals that the session manager checks in each type of session."""

from pydantic import Field, model_validator

from shared.domain.counseling.review import Evidence, SessionGoal
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import TaskKind
from shared.locale import Locale, Localized
from shared.model import Model


class GoalEntry(Model):
    """A goal in both languages; the fields are those of `SessionGoal`."""

    id: str = Field(pattern=r"^[a-z][a-z_]{0,31}$")
    title: Localized
    evidence: Evidence
    wish: bool = False
    told_in: TaskKind | None = None
    description: Localized

    def at(self, locale: Locale) -> SessionGoal:
        return SessionGoal(
            id=self.id,
            title=self.title.at(locale),
            description=self.description.at(locale),
            evidence=self.evidence,
            wish=self.wish,
            told_in=self.told_in,
        )


class GoalFile(Model):
    first_session: tuple[GoalEntry, ...] = Field(min_length=1)
    follow_up: tuple[GoalEntry, ...] = Field(min_length=1)
    closing: tuple[GoalEntry, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_unique(self) -> "GoalFile":
        for session_type in SessionType:
            ids = [goal.id for goal in self.of(session_type)]
            if len(set(ids)) != len(ids):
                raise ValueError(f"a goal of {session_type.value} occurs twice")
        return self

    def of(self, session_type: SessionType) -> tuple[GoalEntry, ...]:
        return {
            SessionType.FIRST_SESSION: self.first_session,
            SessionType.FOLLOW_UP: self.follow_up,
            SessionType.CLOSING: self.closing,
        }[session_type]
