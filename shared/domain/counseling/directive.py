"""The counsellor's instructions for one turn; everything in them is decided before the counsellor speaks."""

from collections.abc import Mapping
from enum import StrEnum

from pydantic import Field, JsonValue

from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.task import Part
from shared.domain.ids import ModuleId, TaskId
from shared.model import Model


class Stance(StrEnum):
    """Purpose of the reply."""

    WORK = "work"
    """Continue the task."""
    BRIDGE = "bridge"
    """The plan is being made: reflect and summarise; start no new topic."""
    PROPOSE_WRAP_UP = "propose_wrap_up"
    """Ask whether it is time to close."""
    CONFIRM_END = "confirm_end"
    """Ask whether to end the session: the user seems to want it, or everything is covered (`EndCause`)."""
    CARE = "care"
    """A crisis is being followed up."""
    GATHER = "gather"
    """Every task of Part 2 is covered and not reviewed yet: give back what was shared, and ask what still matters."""
    ACCOMPANY = "accompany"
    """No task is open: listen and let the user lead."""


class Heed(StrEnum):
    """What a safety finding asks of the reply, in addition to the stance."""

    HELPER = "helper"
    """Another person is at risk: support the user as a helper."""
    HARM_TO_OTHERS = "harm_to_others"
    ABUSE = "abuse"
    """Ongoing violence."""
    ABUSE_TOLD = "abuse_told"
    """Past violence or cruelty: believe, and do not press."""


class EndCause(StrEnum):
    """Why the user is asked whether to end."""

    ASKED = "asked"
    """The user asked for it or said that they have said everything."""
    COVERED = "covered"
    """Everything in the closing Part is covered; the user gave no sign of wanting to stop."""
    SHORT_ANSWERS = "short_answers"
    """The user has said little for some turns: a rest is offered too, in fixed words."""


class Ask(Model):
    """A question to ask if it fits.

    Attributes:
        error: Why the last value was invalid; to be said first.
    """

    slot: str
    question: str
    error: str | None = None


class CarriedGist(Model):
    """What the counsellor may mention of earlier sessions."""

    summary: str = ""
    goals: tuple[str, ...] = ()
    next_plan: str = ""


class Directive(Model):
    """The plan of one reply.

    Attributes:
        module_examples: Sentences of a counsellor who uses it, in the session's register; none in a safety turn.
        module_change_reason: In words for the counsellor.
        ask: One thing to ask, in the model's words; what the user feels or asks goes first.
        quiet: The reply asks nothing.
        notices: What the message does that the reply must meet, as the effects of `conditions.yaml`.
        facts: What the reply answers from, for a question of the user or a limit of the AI.
        corrected: The values, by label, that the user has just put right.
        follows: Code's own question, which is appended to the reply as it stands: the model asks nothing else.
        known: Slots the user filled, by label; not asked again.
        declined: Labels of slots the user declined; neither asked for nor mentioned.
        concern: The message may mean a danger, which `follows` asks about.
        heed: A further safety finding, of this turn or shortly before.
        supervision: Requested improvements, only if the score was low.
        parse_error: The message could not be read: say so and ask again, with an `ask` by repeating its question.
        offers_plan: `follows` offers a safety plan.
        proposes: What `follows` asks the user to agree to.
        end_cause: Why it asks whether to end; None with other stances.
        carried: The gist of earlier sessions, if the Part refers to it; without texts in a turn's record.
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
    module_examples: tuple[str, ...] = ()
    module_changed: bool = False
    module_change_reason: str | None = None
    ask: Ask | None = None
    quiet: bool = False
    notices: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    corrected: dict[str, str] = Field(default_factory=dict)
    follows: str = ""
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
    offers_plan: bool = False
    proposes: WrapUpAim | None = None
    end_cause: EndCause | None = None
    carried: CarriedGist | None = None

    def for_record(self) -> dict[str, JsonValue]:
        """Return it for the turn's record, which never changes: the texts of earlier sessions are removed.

        The session keeps those texts; they are erased there when the earlier session is.
        """
        carried = CarriedGist() if self.carried else None
        return self.model_copy(update={"carried": carried}).model_dump(mode="json")


RETIRED = frozenset({"contradiction", "ruled", "misread", "skipped", "resisted"})
"""Fields of older records, which nothing reads any more."""


def counselors(directive: Mapping[str, JsonValue] | None) -> Directive | None:
    """Return the counsellor's instructions in a turn's record; None if no counsellor spoke or another service answered.

    Another service's record names it.
    """
    if not directive or "service" in directive:
        return None
    return Directive.model_validate({name: value for name, value in directive.items() if name not in RETIRED})
