"""The step of a safety plan that the newest reply asked for, and what an answer to it may be."""

from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.safety_plan import PlanStep, step_of
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import CompletionRule, Task
from shared.lexicon.words import Answer


def plan_task(session: Session) -> Task | None:
    """Return the plan's task while it is in progress."""
    task = session.task_in_progress
    return task if task is not None and task.completion_rule is CompletionRule.STEPS else None


def asked_step(state: Session) -> PlanStep | None:
    """Return the step that the newest reply asked for, if it asked for one."""
    asked = state.last_asked
    return step_of(asked) if asked is not None and state.asked_seq.get(asked) == state.seq else None


def answers_signs(message: UserMessage, state: Session) -> bool:
    """Return whether the message answers the question for the user's own warning signs."""
    return message.answers and plan_task(state) is not None and asked_step(state) is PlanStep.SIGNS


def names_warning_sign(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the message is a warning sign and no new danger: it says when a thought of dying comes."""
    return answers_signs(message, state) and content.safety_plan.names_sign(message.text)


def says_yes(message: UserMessage) -> bool:
    """Return whether the message is a plain yes, without hesitation."""
    return message.words.answer is Answer.CONFIRM and not message.words.hesitates


def asks_back(message: UserMessage) -> bool:
    return message.text.rstrip().endswith(("?", "？"))
