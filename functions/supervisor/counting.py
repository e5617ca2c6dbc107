"""Counts what code can count in the judged replies: their length, their questions and their register.

The bands are those of the rubric (shared/content/data/supervisor_rubric.json).
"""

import re
from collections.abc import Mapping, Sequence

from shared.domain.counseling.supervision import Criterion
from shared.lexicon.asking import asks_of
from shared.locale import Locale, Register
from shared.model import Model
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation

NO_OCCASION = 7
"""The rubric's score of a criterion without occasion in the dialogue."""
MOST_SENTENCES = 4
"""The Counselor's prompt allows so many."""
FITTING_SENTENCES = 3
MOST_LETTERS: Mapping[Locale, int] = {Locale.KO: 200, Locale.EN: 400}
"""Letters of four short sentences."""
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…。？！])\s+|(?<=[.!?…。？！][\"'”’)])\s+|\n+")
_QUESTION_CAPS = {0: 10, 1: 10, 2: 4}
"""Highest score of the questions, by the most that one reply asks; three and more are an interrogation."""
_MANY_QUESTIONS_CAP = 2
_CONSISTENT, _ONE_SLIP, _MOSTLY_WRONG, _MIXED = 9, 6, 4, 2
LOW = 4
"""A counted score up to this asks for improvement."""


class Exchange(Model):
    """A judged reply.

    Attributes:
        said: The message that it answers.
        with_help_lines: Fixed help lines may stand in it, so that its length is not counted.
    """

    said: str
    reply: str
    with_help_lines: bool = False


class Counts(Model):
    """What was counted.

    Attributes:
        length: Score of the length, the mean over the replies rounded down.
        register_score: Score of the register.
        question_cap: Highest score of the questions.
        register_broken: A sentence is in the wrong register.
    """

    length: int = NO_OCCASION
    register_score: int = NO_OCCASION
    question_cap: int = 10
    register_broken: bool = False

    def applied_to(self, scores: Mapping[Criterion, int]) -> dict[Criterion, int]:
        """Return all eight scores: the model's, with what was counted."""
        asked = min(scores[Criterion.APPROPRIATE_QUESTIONS], self.question_cap)
        counted = {Criterion.REGISTER: self.register_score, Criterion.LENGTH: self.length}
        return {**scores, **counted, Criterion.APPROPRIATE_QUESTIONS: asked}

    @property
    def low(self) -> tuple[Criterion, ...]:
        """The criteria whose count asks for improvement."""
        found = {
            Criterion.REGISTER: self.register_broken,
            Criterion.APPROPRIATE_QUESTIONS: self.question_cap <= LOW,
            Criterion.LENGTH: self.length <= LOW,
        }
        return tuple(criterion for criterion, low in found.items() if low)


def count(exchanges: Sequence[Exchange], locale: Locale, register: Register, rules: GuardRules) -> Counts:
    """Count in the judged replies of a session.

    Args:
        exchanges: The replies with what they answer.
        locale: The session's language; only Korean has registers.
        register: The session's register.
        rules: The output guard's rules, which recognise a sentence in the wrong register.
    """
    lengths = [_length(one, locale) for one in exchanges if not one.with_help_lines]
    asked = max((len(asks_of(one.reply)) for one in exchanges), default=0)
    known = {} if locale is Locale.EN else _register([_sentences(one.reply) for one in exchanges], register, rules)
    return Counts(
        length=sum(lengths) // len(lengths) if lengths else NO_OCCASION,
        question_cap=_QUESTION_CAPS.get(asked, _MANY_QUESTIONS_CAP),
        **known,
    )


def _length(exchange: Exchange, locale: Locale) -> int:
    sentences, letters = len(_sentences(exchange.reply)), len(exchange.reply)
    most = MOST_LETTERS[locale]
    over = max(sentences / MOST_SENTENCES, letters / most)
    if over > 3 or len(exchange.reply.split()) < 2:
        return 2
    if over > 1.5:
        return 4
    if over > 1:
        return 6
    fits = letters <= max(most // 2, 2 * len(exchange.said))
    return 9 if fits and sentences <= FITTING_SENTENCES else 8


def _register(replies: Sequence[Sequence[str]], register: Register, rules: GuardRules) -> dict[str, int | bool]:
    guard = OutputGuard(rules, Situation(register=register), lambda _category: "")
    every = [sentence for reply in replies for sentence in reply]
    wrong = sum(guard.over(sentence).category is Category.REGISTER for sentence in every)
    many = _MOSTLY_WRONG if 2 * wrong > len(every) else _MIXED
    score = {0: _CONSISTENT, 1: _ONE_SLIP}.get(wrong, many)
    return {"register_score": score, "register_broken": wrong > 0}


def _sentences(text: str) -> list[str]:
    return [sentence for part in _BETWEEN_SENTENCES.split(text) if (sentence := part.strip())]
