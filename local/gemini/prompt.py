"""Reads the tags of a prompt; its headings and sentences are ignored.

Two facts are taken from the instructions without reading their words: the language, from their script, and the closer's
current level, from its position before the list of the five levels.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from shared.prompts.data import decoded

USER_LABELS = frozenset({"내담자", "질문자", "Client", "Asker"})
"""What the lines of a dialogue call the user."""
Language = Literal["ko", "en"]

_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_HANGUL = re.compile(r"[가-힣]")
_NUMBERED = re.compile(r"(?:\[(?P<seq>\d+)\] )?(?P<speaker>[^:]*): (?P<text>.*)")
_LEVEL = re.compile(r"([1-5])\D+1\D+2\D+3\D+4\D+5")


@dataclass(frozen=True)
class Tag:
    """A section; text of people in it holds no angle brackets."""

    text: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class Said:
    """A message of the user's.

    Attributes:
        seq: Its number, or 0 if the prompt numbers no messages.
    """

    seq: int
    text: str


@dataclass(frozen=True)
class Prompt:
    """A prompt.

    Attributes:
        text: The text with the tags.
        instructions: The agent's instructions.
    """

    text: str
    instructions: str = ""

    def tags(self, name: str) -> tuple[Tag, ...]:
        """Return the sections of a name, in order."""
        pattern = rf'<{name}((?:\s+[a-z_]+="[^"<>]*")*)\s*>([^<]*(?:<(?!/{name}>)[^<]*)*)</{name}>'
        return tuple(
            Tag(found[2].strip(), dict(_ATTRIBUTE.findall(found[1]))) for found in re.finditer(pattern, self.text)
        )

    def text_of(self, name: str) -> str:
        """Return the first section's text as a person wrote it, or ""."""
        return next((decoded(tag.text) for tag in self.tags(name)), "")

    def attribute(self, name: str, attribute: str) -> str:
        """Return an attribute of the first section of a name, or ""."""
        return next((tag.attributes.get(attribute, "") for tag in self.tags(name)), "")

    @cached_property
    def said(self) -> tuple[Said, ...]:
        """What the user said in the dialogue, oldest first."""
        lines = next((tag.text for tag in self.tags("dialogue")), "").splitlines()
        found = (_NUMBERED.fullmatch(line) for line in lines)
        return tuple(
            Said(int(one["seq"] or 0), decoded(one["text"])) for one in found if one and one["speaker"] in USER_LABELS
        )

    @property
    def language(self) -> Language:
        """The language of the instructions."""
        told = re.sub(r"<([a-z_]+)[^<>]*>[^<]*</\1>", "", self.instructions)
        return "ko" if len(_HANGUL.findall(told)) > 20 or not re.search(r"[A-Za-z]{4,}", told) else "en"

    @property
    def level(self) -> int:
        """The current level; 1 by default."""
        found = _LEVEL.search(self.instructions)
        return int(found[1]) if found else 1
