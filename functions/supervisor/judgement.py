"""The supervisor's answer schema and prompt."""

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr, model_validator

from shared.domain.counseling.supervision import Criterion, HardFail, Verdict, judge
from shared.engine.agent import Agent, AnswerSchema
from shared.locale import Locale, Register
from shared.model import Model
from shared.prompts.catalogue import Prompt
from shared.safety.output_guard.categories import Category
from shared.safety.output_guard.guard import OutputGuard
from shared.safety.output_guard.rules import GuardRules
from shared.safety.output_guard.situation import Situation
from shared.services.counseling.dialogue import Line

NO_OCCASION = 7
"""The rubric's score of a criterion without occasion in the dialogue."""
MOST_SENTENCES = 4
"""The Counselor's prompt allows so many."""
FITTING_SENTENCES = 3
MOST_LETTERS: Mapping[Locale, int] = {Locale.KO: 200, Locale.EN: 400}
"""Letters of four short sentences."""
_BETWEEN_SENTENCES = re.compile(r"(?<=[.!?…。？！])\s+|(?<=[.!?…。？！][\"'”’)])\s+|\n+")
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’")
_QUESTION = re.compile(r"[^.?!…！？\n]*[?？]+")
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
        reply: The Counselor's own words in it.
    """

    said: str
    reply: str


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
    lengths = [_length(one, locale) for one in exchanges]
    asked = max((len(questions_of(one.reply)) for one in exchanges), default=0)
    known = {} if locale is Locale.EN else _register([_sentences(one.reply) for one in exchanges], register, rules)
    return Counts(
        length=sum(lengths) // len(lengths) if lengths else NO_OCCASION,
        question_cap=_QUESTION_CAPS.get(asked, _MANY_QUESTIONS_CAP),
        **known,
    )


def questions_of(reply: str) -> tuple[str, ...]:
    """Return the sentences of a reply that end in a question mark, without what is quoted."""
    return tuple(question.strip() for question in _QUESTION.findall(_QUOTED.sub(" ", reply)))


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


AGENT = "supervisor"
LOWEST, HIGHEST = 1, 10


def _score(value: Any) -> Any:
    """Round a number down and limit it to the scale; other values are left to the schema."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return value
    return min(HIGHEST, max(LOWEST, math.floor(value)))


class Scores(AnswerSchema):
    """A score for each criterion that code does not count; one outside of the scale is brought into it."""

    empathy: int = Field(ge=1, le=10)
    appropriate_questions: int = Field(ge=1, le=10)
    non_judgement: int = Field(ge=1, le=10)
    advice_timing: int = Field(ge=1, le=10)
    task_adherence: int = Field(ge=1, le=10)
    information_stage: int = Field(ge=1, le=10)
    _mended: bool = PrivateAttr(default=False)

    @model_validator(mode="wrap")
    @classmethod
    def _onto_the_scale(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        inside = {name: _score(value) for name, value in given.items()} if isinstance(given, dict) else given
        scores = handler(inside)
        scores._mended = inside != given  # noqa: SLF001 - its own
        return scores

    @property
    def mended(self) -> bool:
        """Whether a score was adjusted to the scale."""
        return self._mended

    def by_criterion(self) -> dict[Criterion, int]:
        """Return the scores under the rubric's names."""
        return {Criterion(name): score for name, score in self.model_dump().items()}


class Judgement(AnswerSchema):
    """The model's judgement; the total is counted from it."""

    strengths: tuple[str, ...] = Field(
        description="At most three; empty if nothing stands out", max_length=20, json_schema_extra={"maxItems": 3}
    )
    improvements: tuple[str, ...] = Field(
        description="At most three, each one actionable sentence; or empty",
        max_length=20,
        json_schema_extra={"maxItems": 3},
    )
    red_item: bool = Field(description="A red item of the rubric occurs in the counsellor's replies")
    restriction_violated: bool = Field(description="The task's restriction is broken")
    scores: Scores
    needs_improvement: bool = Field(description="Something is to be done better in the next reply")
    strategy: str = Field(description="Which other strategy, and why; empty unless strategy_change is to be true")
    strategy_change: bool = Field(description="The present plan of Part 2 works against the client")
    suggested_module: str = Field(description="Id of a technique that would serve better, or empty")

    def verdict(self, counts: Counts) -> Verdict:
        """Compute the total from the scores and what was counted."""
        violated = self.restriction_violated or counts.register_broken
        found = {HardFail.RED_ITEM: self.red_item, HardFail.VIOLATION: violated}
        scores = counts.applied_to(self.scores.by_criterion())
        return judge(scores, tuple(fail for fail, present in found.items() if present))


class Anchors(Model):
    """Descriptions of a criterion's score bands."""

    criterion: str
    bands: dict[str, str]


class Technique(Model):
    """A module that may be suggested."""

    id: str
    name: str


class JudgedLine(Line):
    """One line of the dialogue.

    Attributes:
        notices: What the Counselor's prompt told it to meet in the message.
        lifted: It lifted the task's restrictions, because advice was asked for.
        quiet: It ordered the reply to ask nothing.
        asks: The question that it ordered.
    """

    notices: tuple[str, ...] = ()
    lifted: bool = False
    quiet: bool = False
    asks: str = ""


class SupervisionInput(Model):
    """Input of the prompt.

    Attributes:
        stance: The newest reply's stance in its directive.
        red_items: The findings that the rubric caps lowest.
    """

    part: int
    level: int
    stance: str
    task_title: str
    task_target: str
    restrictions: str
    part2_goal: str
    anchors: tuple[Anchors, ...]
    red_items: str
    techniques: tuple[Technique, ...]
    may_change_strategy: bool
    lines: tuple[JudgedLine, ...]


SUPERVISOR = Agent(
    name=AGENT,
    prompt=Prompt(Path(__file__).parent / "prompts", AGENT, 5, SupervisionInput),
    answers=Judgement,
    # Never used: callers check first whether the model failed.
    safe_default=Judgement(
        strengths=(),
        improvements=(),
        red_item=False,
        restriction_violated=False,
        scores=Scores(**dict.fromkeys(Scores.model_fields, NO_OCCASION)),
        needs_improvement=False,
        strategy="",
        strategy_change=False,
        suggested_module="",
    ),
)
