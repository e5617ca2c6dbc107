"""The directive of the turn whose agents read one thing each; it goes with that turn."""

from pydantic import Field, JsonValue

from shared.domain.counseling.directive import Ask, CarriedGist, EndCause, Heed, Stance
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.domain.counseling.session import WrapUpAim
from shared.domain.counseling.task import Part
from shared.domain.ids import ModuleId, TaskId
from shared.model import Model


class Clarification(Model):
    """The question which of two values of a slot holds, in the words in which it is asked."""

    slot: str
    question: str


class Directive(Model):
    """The plan of one reply.

    Attributes:
        module_examples: Sentences of a counsellor who uses it, in the session's register; none in a safety turn.
        module_change_reason: In words for the counsellor.
        known: Slots the user filled, by label; not asked again.
        declined: Labels of slots the user declined; neither asked for nor mentioned.
        concern: The message may mean a danger: ask about it directly.
        heed: A further safety finding, of this turn or shortly before.
        supervision: Requested improvements, only if the score was low.
        parse_error: The message could not be understood: say so and ask again, with an `ask` by repeating its question.
        contradiction: The reply asks which of two values holds, and nothing else.
        ruled: A question that the reply asks in these words, in place of the model's own.
        misread: The user says that the last reply misread them: apologise briefly, and receive what they meant.
        offers_plan: The reply offers a safety plan, in fixed words.
        skipped: The user skips a question, or has said little for some turns: ask nothing in this reply.
        resisted: The user refused the talk shortly before, and has told nothing since.
        proposes: What the reply asks the user to agree to.
        end_cause: Why the reply asks whether to end; None with other stances.
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
    contradiction: Clarification | None = None
    ruled: str | None = None
    misread: bool = False
    skipped: bool = False
    resisted: bool = False
    offers_plan: bool = False
    proposes: WrapUpAim | None = None
    carried: CarriedGist | None = None
    end_cause: EndCause | None = None

    @property
    def quiet(self) -> bool:
        """Whether the reply asks nothing because the user resists, or did and has told nothing since.

        What a rule asks is asked all the same.
        """
        for_safety = self.concern or self.heed is not None or self.stance is Stance.CARE
        proposes = self.proposes is not None or self.offers_plan
        unread = self.parse_error or self.misread or self.contradiction is not None or self.ruled is not None
        asks = for_safety or proposes or unread or self.ask is not None
        return (self.resisted or self.module_id == RESISTANCE_MODULE) and not asks

    def without_ask(self) -> "Directive":
        """Return it for a reply that did not ask for the slot."""
        return self.model_copy(update={"ask": None})

    def for_record(self) -> dict[str, JsonValue]:
        """Return it for the turn's record, which never changes: the texts of earlier sessions are removed.

        The session keeps those texts; they are erased there when the earlier session is.
        """
        carried = CarriedGist() if self.carried else None
        return self.model_copy(update={"carried": carried}).model_dump(mode="json")
