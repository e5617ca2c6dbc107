"""What the Counselor is told for one turn; everything in it was decided before the Counselor speaks."""

from enum import StrEnum

from pydantic import Field, JsonValue

from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.task import Part
from shared.domain.ids import ModuleId, TaskId
from shared.model import Model


class Stance(StrEnum):
    """What the reply is for."""

    WORK = "work"
    """Go on with the task."""
    BRIDGE = "bridge"
    """The plan is being made: reflect and summarise what was heard; open no new ground."""
    PROPOSE_WRAP_UP = "propose_wrap_up"
    """Ask whether it is time to close."""
    CONFIRM_END = "confirm_end"
    """Ask whether to end here: they seem to want it, or all is covered (`EndCause`)."""
    CARE = "care"
    """A crisis is being followed through."""
    ACCOMPANY = "accompany"
    """Nothing is open: listen, and let the user lead."""


class Heed(StrEnum):
    """What a finding of the safety gate asks of the reply, beside the stance."""

    HELPER = "helper"
    """Somebody else is at risk: help the helper."""
    HARM_TO_OTHERS = "harm_to_others"
    ABUSE = "abuse"
    """Violence that goes on."""
    ABUSE_TOLD = "abuse_told"
    """Violence that is past, or cruelty: believe, and do not press."""


class EndCause(StrEnum):
    """Why the user is asked whether to end."""

    ASKED = "asked"
    """They asked for it, or said that they have said it all."""
    COVERED = "covered"
    """Everything in the closing Part is covered; nothing shows that they want to stop."""


class Ask(Model):
    """The one thing to ask for, if it fits.

    Attributes:
        error: Why the last value did not hold: say so first.
    """

    slot: str
    question: str
    error: str | None = None


class CarriedGist(Model):
    """What the Counselor knows of earlier sessions; of more it may not speak."""

    summary: str = ""
    goals: tuple[str, ...] = ()
    next_plan: str = ""


class Directive(Model):
    """The plan of one reply.

    Attributes:
        module_change_reason: In words; the session keeps the code.
        known: What the user already gave, by label: never asked again.
        declined: Labels of what the user does not want to tell: neither asked for nor mentioned.
        concern: Something the user said may mean danger: ask about it directly.
        heed: What else the safety gate found, in this turn or shortly before.
        supervision: Improvements asked for, only when the score was low (domain.md, "Supervisor").
        parse_error: What the user just said could not be read: say so, and ask for it once more (seed 004); with an
            `ask` by putting that question again.
        proposes: What the reply asks the user to agree to.
        end_cause: Why it is asked whether to end; None with every other stance.
        carried: What is known from earlier sessions, where the Part goes back to it; in a turn's record without words.
    """

    stance: Stance
    part: Part
    task_id: TaskId | None = None
    task_title: str | None = None
    task_target: str | None = None
    restrictions: str | None = None
    execution_guide: str = ""
    module_id: ModuleId
    module_name: str
    module_summary: tuple[str, ...]
    module_changed: bool = False
    module_change_reason: str | None = None
    ask: Ask | None = None
    known: dict[str, str] = Field(default_factory=dict)
    declined: tuple[str, ...] = ()
    part_changed: bool = False
    part2_goal: str | None = None
    persona: str | None = None
    supervision: tuple[str, ...] = ()
    supervision_urgent: bool = False
    concern: bool = False
    heed: Heed | None = None
    parse_error: bool = False
    proposes: WrapUpAim | None = None
    carried: CarriedGist | None = None
    end_cause: EndCause | None = None

    def for_record(self) -> dict[str, JsonValue]:
        """Return it for the turn's record, which never changes: of what was carried only that there was something.

        The words are another session's. The session holds them, and there they can be erased when that one is.
        """
        carried = CarriedGist() if self.carried else None
        return self.model_copy(update={"carried": carried}).model_dump(mode="json")
