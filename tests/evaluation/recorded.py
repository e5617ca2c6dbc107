"""Recorded answers of models to the reader's prompt: JSON, a row a case, each under the digest of what was asked."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from cases.case import Case
from functions.chat.reading import NOTHING_READ, READER, Heard, ReaderInput, Reading, reader_input, trust
from shared.content.catalogue import Content
from shared.content.conditions import load_conditions
from shared.domain.errors import ModelSchemaMismatch
from shared.engine.runner import parse
from shared.locale import Locale
from shared.model import Model
from shared.prompts.catalogue import Rendered

ANSWERS = Path(__file__).parents[1] / "fixtures" / "readings"


class Answer(Model):
    """A model's answer to a case.

    Attributes:
        prompt: Digest of the reader's wording (`prompt_digest`).
        input: Digest of the whole prompt (`Rendered.digest`).
        answer: As the model wrote it.
    """

    case: str
    prompt: str
    input: str
    model: str
    answer: str


@dataclass(frozen=True)
class Question:
    """A case and what the reader is asked about it."""

    case: Case
    given: ReaderInput
    rendered: Rendered

    @property
    def locale(self) -> Locale:
        return self.case.session.locale

    def answered(self, model: str, text: str) -> Answer:
        """Return the row of an answer."""
        digest = self.rendered.digest
        return Answer(case=self.case.id, prompt=prompt_digest(), input=digest, model=model, answer=text)


@dataclass(frozen=True)
class Read:
    """What counts of an answer; `broken` if it could not be read and the safe default counts."""

    question: Question
    heard: Heard
    broken: bool


def prompt_digest() -> str:
    """Return 16 hex digits of SHA-256 over the reader's templates, what they include, and the conditions' sentences."""
    asked = load_conditions().conditions.items()
    texts = [f"{name}: {one.sentence(locale)}" for name, one in asked for locale in Locale]
    texts += [READER.prompt.source(locale) for locale in Locale]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def question(case: Case, content: Content) -> Question:
    """Return what the reader is asked about a case."""
    locale = case.session.locale
    given = reader_input(case.session, case.text, content.modules(locale), booking_offered=case.booking_offered)
    return Question(case, given, READER.prompt.render(locale, given))


def read(asked: Question, text: str) -> Read:
    """Return what counts of an answer, without a second question about it."""
    torn = broken(text)
    return Read(asked, trust(NOTHING_READ if torn else parse(Reading, text, None), asked.given), torn)


def broken(text: str) -> bool:
    """Return whether an answer cannot be read."""
    try:
        parse(Reading, text, None)
    except ModelSchemaMismatch:
        return True
    return False


def load(paths: Iterable[Path]) -> tuple[list[Answer], int]:
    """Return the answers of files in their order, and how many lines are none (a run was killed in the middle)."""
    found, wrong = list[Answer](), 0
    for path in paths:
        for line in path.read_text("utf-8").splitlines():
            try:
                found.append(Answer.model_validate_json(line))
            except ValidationError:
                wrong += 1
    return found, wrong


def append(path: Path, answer: Answer) -> None:
    """Add an answer to a file at once, on a line of its own even if the line before was cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.read_bytes() if path.exists() else b""
    torn = bool(written) and not written.endswith(b"\n")
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if torn else "") + json.dumps(answer.model_dump(), ensure_ascii=False) + "\n")


@dataclass(frozen=True)
class Replay:
    """Recorded answers to questions: those under the same digest, by case, and how many cases have others only."""

    reads: tuple[Read, ...]
    stale: tuple[str, ...]
    missing: int


def replay(questions: Sequence[Question], answers: Iterable[Answer], *, stale_too: bool = False) -> Replay:
    """Read the recorded answers to questions; of several to one, the last.

    Args:
        stale_too: Answers that were given to another wording of a case count, too (to compare prompts).
    """
    fresh, seen = dict[str, str](), dict[str, str]()
    digests = {one.case.id: one.rendered.digest for one in questions}
    for one in answers:
        if one.case in digests:
            seen[one.case] = one.answer
        if digests.get(one.case) == one.input:
            fresh[one.case] = one.answer
    stale = tuple(name for name in digests if name in seen and name not in fresh)
    used: Mapping[str, str] = {**seen, **fresh} if stale_too else fresh
    reads = tuple(read(one, used[one.case.id]) for one in questions if one.case.id in used)
    return Replay(reads, stale, len(digests.keys() - seen.keys()))


def newest(questions: Iterable[Question], answers: Iterable[Answer]) -> list[tuple[Question, str]]:
    """Return the newest whole answer to each question's case, to whatever prompt."""
    whole = {one.case: one.answer for one in answers if not broken(one.answer)}
    return [(one, whole[one.case.id]) for one in questions if one.case.id in whole]


def unanswered(questions: Iterable[Question], answers: Iterable[Answer]) -> Iterator[Question]:
    """Return the questions to which no answer is recorded under the same digest."""
    done = {(one.case, one.input) for one in answers}
    return (one for one in questions if (one.case.id, one.rendered.digest) not in done)
