"""Words that speak to the model instead of about a person: they are never kept where later prompts would repeat them.

The rules are data (`data/instructions.yaml`). They are the second line: the first is that whatever stands in a prompt's
block is data (`shared/prompts/data.py`), so that an instruction that no rule knows can still not forge anything.
"""

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, field_validator

from shared.content.loader import load_yaml
from shared.domain.model import Model
from shared.domain.visible_text import visible

_FILE = Path(__file__).parent / "data" / "instructions.yaml"
_SENTENCE = re.compile(r".+?(?:[.!?。…]+[\"'”’)\]]*(?=\s|$)|\n|$)", re.DOTALL)
_LOOK_ALIKE = str.maketrans("аеорсухіѕјһԁԛԝοαερτυνκ", "aeopcyxisjhdqwoaeptuvk")
"""Cyrillic and Greek small letters that read as Latin ones (UTS #39, confusables)."""


class InstructionRule(Model):
    """One way of speaking to the model.

    Attributes:
        positives: Texts that this rule must find.
        negatives: Texts that no rule may find.
    """

    id: str = Field(pattern=r"^[a-z]+$")
    patterns: tuple[str, ...] = Field(min_length=1)
    positives: tuple[str, ...] = Field(min_length=2)
    negatives: tuple[str, ...] = Field(min_length=2)

    @field_validator("patterns")
    @classmethod
    def _compiles(cls, patterns: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"no regular expression: {pattern!r}: {error}") from error
        return patterns


class InstructionRules(Model):
    """The file."""

    rules: tuple[InstructionRule, ...] = Field(min_length=1)


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
    sentences = [_read(sentence) for sentence in _sentences(text)]
    return tuple(name for name, pattern in _compiled() if any(pattern.search(sentence) for sentence in sentences))


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


@cache
def _compiled() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((rule.id, re.compile("|".join(rule.patterns))) for rule in instruction_rules().rules)


def _sentences(text: str) -> list[str]:
    return [found for found in _SENTENCE.findall(visible(text)) if found.strip()]


def _read(sentence: str) -> str:
    """Return a sentence as the patterns want it."""
    plain = unicodedata.normalize("NFKC", sentence)
    bare = "".join(char for char in unicodedata.normalize("NFD", plain) if not unicodedata.combining(char))
    folded = unicodedata.normalize("NFC", bare).casefold().translate(_LOOK_ALIKE)
    return " ".join(folded.split())
