"""`safety_plan.yaml`: the task that makes a safety plan, what rules say about it, and how users speak of it."""

from pydantic import Field, model_validator

from shared.content.schemas.tasks import TaskEntry
from shared.content.schemas.voice import Voiced, placeholders
from shared.domain.counseling.safety_plan import PlanStep
from shared.domain.counseling.task import CompletionRule
from shared.lexicon.lexicon_file import ExemplifiedPhrases
from shared.lexicon.session_words_file import WordFile
from shared.model import Model

_FIELDS = {
    "known": {"words"},
    "shown": {"plan"},
    "opened": {"plan"},
    "opened_here": {"plan"},
    "read_out": {"plan"},
    "line": {"label", "words"},
    "help_line": {"name", "number", "hours"},
}


class PlanQuestion(Model):
    """A question about the plan.

    Attributes:
        about: `what` if it asks what the plan, or a step, is.
    """

    about: str
    asked: ExemplifiedPhrases
    answer: Voiced


class SafetyPlanFile(WordFile):
    """The file.

    Attributes:
        tasks: The one task; its optional slots are the steps, in order.
        invites: Behind the first answer to a question about the offer.
        leaves_open: Behind any further answer.
        questions: Questions about the plan, with the answers.
        steps: What each step means.
        known: Stands before the question for a step that is known.
        shown: The whole plan, and the question whether to keep it.
        opened: The kept plan in a crisis.
        opened_here: The plan in a crisis that was written in this session and is not kept.
        erased_where: Where the page deletes the kept plan.
        shows: Asks to see the plan.
        erases: Asks to delete it.
        wants: Asks for a plan or to change it.
        accepts: A yes to the offer, as a whole message.
        later: Puts it off.
        refuses: A plain no to it, as a whole message.
        keeps: A yes to the question whether to keep the plan, as a whole message.
        keeps_after_all: Asks to keep it some turns after the question, as a whole message.
        stops: Does not want to go on with it, as a whole message.
        no_answer: Gives no step.
        unstored: An answer cannot be stored; before the next question.
        conditions: A clause that says when something comes; what is behind it is read for danger by itself.
        present: Tells of this moment, of a plan or of an act, so that no condition holds.
        family: Relatives.
        means: What may be a means or a place of suicide.
    """

    tasks: tuple[TaskEntry, ...] = Field(min_length=1, max_length=1)
    offer: Voiced
    offer_to_returning: Voiced
    offer_again: Voiced
    invites: Voiced
    leaves_open: Voiced
    questions: tuple[PlanQuestion, ...] = Field(min_length=1)
    steps: dict[PlanStep, Voiced]
    known: Voiced
    shown: Voiced
    kept: Voiced
    not_kept: Voiced
    not_yet: Voiced
    not_possible: Voiced
    keep_question: Voiced
    unread: Voiced
    unstored: Voiced
    none_yet: Voiced
    erased_where: Voiced
    nothing_to_erase: Voiced
    read_out: Voiced
    opened: Voiced
    opened_here: Voiced
    line: Voiced
    help_line: Voiced
    wants: ExemplifiedPhrases
    shows: ExemplifiedPhrases
    erases: ExemplifiedPhrases
    accepts: ExemplifiedPhrases
    later: ExemplifiedPhrases
    refuses: ExemplifiedPhrases
    keeps: ExemplifiedPhrases
    keeps_after_all: ExemplifiedPhrases
    stops: ExemplifiedPhrases
    no_answer: ExemplifiedPhrases
    conditions: ExemplifiedPhrases
    present: ExemplifiedPhrases
    family: ExemplifiedPhrases
    means: ExemplifiedPhrases

    @model_validator(mode="after")
    def _has_the_six_steps(self) -> "SafetyPlanFile":
        task = self.tasks[0]
        if task.completion_rule is not CompletionRule.STEPS:
            raise ValueError("the plan's task is complete by its steps")
        if [slot.name for slot in task.optional_slots] != [step.slot for step in PlanStep]:
            raise ValueError("the optional slots are the plan's steps, in order")
        if set(self.steps) != set(PlanStep):
            raise ValueError("every step is explained")
        return self

    @model_validator(mode="after")
    def _knows_its_placeholders(self) -> "SafetyPlanFile":
        for name, entry in self:
            if isinstance(entry, Voiced):
                fields = _FIELDS.get(name, set())
                if any(placeholders(text) != fields for text in entry.all):
                    raise ValueError(f"{name} needs exactly the placeholders {sorted(fields)}")
        return self
