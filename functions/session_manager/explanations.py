"""What the counsellor explained: the replies that asked a task's question, which holds the explanation."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.domain.conversation import Message, Role
from shared.domain.counseling.directive import counselors
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Task, TaskKind
from shared.domain.turn import TurnRecord
from shared.lexicon.lexicon import Lexicon
from shared.lexicon.session_words import without_questions
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.fixed_replies import by_rule

SHARED_WORDS = 2
"""Minimum content words that a quote shares with the task's fixed text; one may be chance."""


@dataclass(frozen=True)
class Explanation:
    """A reply that explained something.

    Attributes:
        seq: Its turn.
        kind: The kind of the task that was asked about.
        guide: Content words of the task's fixed text, without its questions.
    """

    seq: int
    kind: TaskKind
    text: str
    guide: frozenset[str]

    def holds(self, quote: str, lexicon: Lexicon) -> bool:
        """Return whether a quote is of this reply and of what it explained."""
        shared = self.guide & lexicon.read(quote).content_words
        return is_verbatim_quote(quote, self.text) and len(shared) >= SHARED_WORDS


def explanations(
    session: Session, messages: Sequence[Message], turns: Mapping[int, TurnRecord], lexicon: Lexicon
) -> Iterator[Explanation]:
    """Yield the replies that a model wrote and that asked a slot of their task, unless the user did not agree.

    `turns` are the records by turn.
    """
    for message in messages:
        record = turns.get(message.seq) if message.role is Role.COUNSELOR else None
        if record is None or by_rule(record):
            continue
        directive = counselors(record.directive)
        if directive is None:
            continue
        task = session.task(directive.task_id)
        asked = directive.ask.slot if directive.ask else None
        if task is not None and any(slot.name == asked for slot in task.slots) and _agreed(session, task):
            yield Explanation(seq=message.seq, kind=task.kind, text=message.text, guide=_guide(task, lexicon))


def _agreed(session: Session, task: Task) -> bool:
    return all(session.user_info.get(slot.name) is True for slot in task.slots if slot.agrees)


def _guide(task: Task, lexicon: Lexicon) -> frozenset[str]:
    fixed = (without_questions(question) for slot in task.slots for question in slot.questions)
    return lexicon.read(" ".join(fixed)).content_words
