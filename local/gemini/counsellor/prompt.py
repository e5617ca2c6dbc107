"""Reads the schema and the tags of a prompt; headings, labels of other things than speakers and sentences are ignored.

Two facts are taken from the instructions without reading their words: the language, from their script, and the closer's
current level, from its position before the list of the five levels.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from shared.prompts.data import decoded

READ = {
    "ask": "the question to put; slot=",
    "call": "a call that was run, and what it found",
    "depth": "how far to go; level=",
    "dialogue": "a message a line, after [its number], if any, its speaker and a colon",
    "fact": "what helps to answer the question of a booking",
    "feedback": "a line each: - source/kind: reason",
    "follows": "the question that code puts behind the reply",
    "goal": "the goal of Part 2; origin=",
    "keywords": "with commas between",
    "known": "a line each: - label: value; the labels are those of the content's slots",
    "missing": "what an answer on a document still needs",
    "module": "id=",
    "newest_message": "the person's words",
    "notice": "what to say; kind=",
    "part": "number=",
    "passage": "[label] title: text of a passage of a document",
    "problem": "why a value for a booking was not taken",
    "question": "what to ask for a booking",
    "register": "반말, or anything else",
    "session": "part=",
    "session_goal": "id=",
    "slot_error": "why the question is put again",
    "stance": "what a reply is for",
    "summary": "the summary so far; a sentence a line after its number in brackets, before its quote in parentheses",
    "task": "title, aim and criteria, a line each after a label and a colon, and then whatever else; id= "
    "or title — aim; status=",
    "types": "a line each: id: name — description",
}
"""The tags that are read, with their content; `name=` is an attribute."""
LABELS = {"name": ("이름", "name"), "today_focus": ("오늘의 초점", "today's focus")}
"""Labels of slots in the content."""
USER_LABELS = frozenset({"내담자", "질문자", "Client", "Asker"})
"""What the lines of a dialogue call the user."""
Language = Literal["ko", "en"]

_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_HANGUL = re.compile(r"[가-힣]")
_NUMBERED = re.compile(r"(?:\[(?P<seq>\d+)\] )?(?P<line>.*)")
_POLITE = re.compile(r"(?:요|니다|니까|죠)[.?!~]*(?:\s|$)")
_LEVEL = re.compile(r"([1-5])\D+1\D+2\D+3\D+4\D+5")


@dataclass(frozen=True)
class Tag:
    text: str
    attributes: dict[str, str]

    @property
    def title(self) -> str:
        """The text before the dash."""
        return self.text.partition(" — ")[0]


@dataclass(frozen=True)
class Said:
    """One message of a dialogue section.

    Attributes:
        seq: Its number, if the prompt numbers the messages.
    """

    by_user: bool
    text: str
    seq: int = 0

    @property
    def marked(self) -> bool:
        """Whether the prompt marks it as a fixed text or as about safety."""
        return self.text.startswith("(")


@dataclass(frozen=True)
class Prompt:
    """A prompt; user text in it holds no angle brackets, so every tag is real.

    Attributes:
        text: The text with the tags.
        instructions: The agent's instructions.
    """

    text: str
    instructions: str = ""

    def tags(self, name: str) -> tuple[Tag, ...]:
        """Return the sections of a name, in order (`ValueError` for a name not in `READ`)."""
        if name not in READ:
            raise ValueError(name)
        pattern = rf'<{name}((?:\s+[a-z_]+="[^"<>]*")*)\s*>([^<]*(?:<(?!/{name}>)[^<]*)*)</{name}>'
        return tuple(
            Tag(found[2].strip(), dict(_ATTRIBUTE.findall(found[1]))) for found in re.finditer(pattern, self.text)
        )

    def text_of(self, name: str) -> str:
        """Return the first section's text, or ""; the newest message is decoded."""
        text = next((tag.text for tag in self.tags(name)), "")
        return decoded(text) if name == "newest_message" else text

    def attribute(self, name: str, attribute: str) -> str:
        """Return an attribute of the first section of a name, or ""."""
        return next((tag.attributes.get(attribute, "") for tag in self.tags(name)), "")

    def notice(self, kind: str) -> str:
        """Return the text of the first notice of a kind, or ""."""
        return next((tag.text for tag in self.tags("notice") if tag.attributes.get("kind") == kind), "")

    def values(self, name: str) -> tuple[str, ...]:
        """Return the texts after the labels of the first section's lines."""
        return tuple(line.partition(":")[2].strip() for line in self.text_of(name).splitlines())

    @property
    def known(self) -> dict[str, str]:
        """Known facts about the user, by label."""
        pairs = (line.removeprefix("- ").partition(": ") for line in self.text_of("known").splitlines())
        return {label.strip(): value.strip() for label, colon, value in pairs if colon}

    def known_as(self, slot: str) -> str:
        """Return what is known of a slot of `LABELS`, or ""."""
        return next((self.known[label] for label in LABELS[slot] if label in self.known), "")

    @cached_property
    def dialogue(self) -> tuple[Said, ...]:
        """The messages of the dialogue section."""
        found = (_NUMBERED.fullmatch(line) for line in self.text_of("dialogue").splitlines())
        lines = [(int(one["seq"] or 0), *one["line"].partition(": ")) for one in found if one and ": " in one["line"]]
        return tuple(Said(speaker in USER_LABELS, decoded(text), seq) for seq, speaker, _, text in lines)

    @cached_property
    def language(self) -> Language:
        """The language of the instructions."""
        told = re.sub(r"<([a-z_]+)[^<>]*>[^<]*</\1>", "", self.instructions)
        return "ko" if len(_HANGUL.findall(told)) > 20 or not re.search(r"[A-Za-z]{4,}", told) else "en"

    @property
    def is_korean(self) -> bool:
        """Whether the answer must be Korean."""
        return self.language == "ko"

    @property
    def casual(self) -> bool:
        """Whether the counsellor speaks 반말, by the register, else by most of their messages."""
        if register := self.text_of("register"):
            return register == "반말"
        polite = [bool(_POLITE.search(line.text)) for line in self.dialogue if not line.by_user]
        return self.is_korean and bool(polite) and 2 * sum(polite) < len(polite)

    @property
    def level(self) -> int:
        """The current level; 1 by default."""
        found = _LEVEL.search(self.instructions)
        return int(found[1]) if found else 1
