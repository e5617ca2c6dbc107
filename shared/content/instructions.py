"""Words that speak to the model instead of about a person: they are never kept where later prompts would repeat them.

The rules are data (`data/instructions.yaml`). They are the second line: the first is that whatever stands in a prompt's
block is data (`shared/prompts/data.py`), so that an instruction that no rule knows can still not forge anything.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, model_validator

from shared.content.disguises import readings
from shared.content.loader import load_yaml
from shared.model import Model
from shared.visible_text import visible

_FILE = Path(__file__).parent / "data" / "instructions.yaml"
_SENTENCE = re.compile(r".+?(?:[.!?。…]+[\"'”’)\]]*(?=\s|$)|\n|$)", re.DOTALL)
_FRAGMENT = re.compile(r"%([a-z_]+)%")


class InstructionRule(Model):
    """One way of speaking to the model.

    Attributes:
        reported: It does not hold where somebody's life is told, in which there are rules and orders as well.
        positives: Texts that this rule must find.
        negatives: Texts that no rule may find.
    """

    id: str = Field(pattern=r"^[a-z]+$")
    reported: bool = True
    patterns: tuple[str, ...] = Field(min_length=1)
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)


class InstructionRules(Model):
    """The file. `%name%` in a pattern stands for the fragment of that name.

    Attributes:
        reported: How somebody's life is told.
        addressed: Words that are in no such telling.
    """

    fragments: dict[str, str]
    reported: tuple[str, ...] = Field(min_length=1)
    addressed: tuple[str, ...] = Field(min_length=1)
    rules: tuple[InstructionRule, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _compiles(self) -> "InstructionRules":
        for pattern in (*self.reported, *self.addressed, *(one for rule in self.rules for one in rule.patterns)):
            try:
                self.compiled((pattern,))
            except (re.error, KeyError) as error:
                raise ValueError(f"no regular expression: {pattern!r}: {error}") from error
        return self

    def compiled(self, patterns: tuple[str, ...]) -> re.Pattern[str]:
        """Return one expression that finds any of some patterns."""
        return re.compile("|".join(_FRAGMENT.sub(lambda name: self.fragments[name[1]], one) for one in patterns))


class Sifted(NamedTuple):
    """What is left of a text, and how many of its sentences spoke to the model."""

    text: str
    dropped: int


@cache
def instruction_rules() -> InstructionRules:
    """Return the rules as written, with their examples.

    Raises:
        ContentError: The file is wrong.
    """
    return load_yaml(_FILE, InstructionRules)


def spoken_to_the_model(text: str) -> tuple[str, ...]:
    """Return the ids of the rules that find something in a text."""
    found = {rule for sentence in _sentences(text) for reading in readings(sentence) for rule in _found(reading)}
    return tuple(rule.id for rule in instruction_rules().rules if rule.id in found)


def instructive(*texts: str) -> bool:
    """Tell whether one of the texts speaks to the model."""
    return any(spoken_to_the_model(text) for text in texts)


def sifted(text: str) -> Sifted:
    """Return a text without the sentences that speak to the model."""
    sentences = _sentences(text)
    kept = [sentence for sentence in sentences if not instructive(sentence)]
    if len(kept) == len(sentences):
        return Sifted(text, 0)
    return Sifted("".join(kept).strip(), len(sentences) - len(kept))


class _Patterns(NamedTuple):
    reported: re.Pattern[str]
    addressed: re.Pattern[str]
    rules: tuple[tuple[InstructionRule, re.Pattern[str]], ...]


@cache
def _compiled() -> _Patterns:
    file = instruction_rules()
    rules = tuple((rule, file.compiled(rule.patterns)) for rule in file.rules)
    return _Patterns(file.compiled(file.reported), file.compiled(file.addressed), rules)


def _found(reading: str) -> Iterator[str]:
    patterns = _compiled()
    for rule, pattern in patterns.rules:
        if pattern.search(reading) and not (rule.reported and _tells_of_a_life(reading)):
            yield rule.id


def _tells_of_a_life(reading: str) -> bool:
    patterns = _compiled()
    return bool(patterns.reported.search(reading)) and not patterns.addressed.search(reading)


def _sentences(text: str) -> list[str]:
    return [found for found in _SENTENCE.findall(visible(text)) if found.strip()]
