"""Reads the tagged sections of a rendered prompt; what is absent reads as empty."""

import re
from dataclasses import dataclass
from functools import cached_property

from shared.prompts.data import decoded

NEWEST = "newest_message"
_ATTRIBUTE = re.compile(r'([a-z_]+)="([^"]*)"')
_LINE = re.compile(r"^(내담자|상담사|Client|Counsellor|User|사용자): (.*)$")
_HANGUL = re.compile(r"[가-힣]")


@dataclass(frozen=True)
class Tag:
    """One section."""

    text: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class Said:
    """One message of a dialogue section."""

    by_user: bool
    text: str


class Prompt:
    """A prompt's text; a person's words in it hold no angle brackets, so a tag is a tag."""

    def __init__(self, text: str, told: str = "") -> None:
        """Take the text with the sections, and the instructions if they stand elsewhere."""
        self.text = text
        self.told = told or text

    def tags(self, name: str) -> tuple[Tag, ...]:
        """Return the sections of a name, in order."""
        pattern = rf'<{name}((?:\s+[a-z_]+="[^"<>]*")*)\s*>([^<]*(?:<(?!/{name}>)[^<]*)*)</{name}>'
        return tuple(
            Tag(found[2].strip(), dict(_ATTRIBUTE.findall(found[1]))) for found in re.finditer(pattern, self.text)
        )

    def text_of(self, name: str) -> str:
        """Return the first section's text, or an empty one; the newest message as it was written."""
        text = next((tag.text for tag in self.tags(name)), "")
        return decoded(text) if name == NEWEST else text

    def attribute(self, name: str, attribute: str) -> str:
        """Return an attribute of the first section of a name, or an empty text."""
        return next((tag.attributes.get(attribute, "") for tag in self.tags(name)), "")

    def notices(self) -> frozenset[str]:
        """Return the kinds of the notices."""
        return frozenset(tag.attributes.get("kind", "") for tag in self.tags("notice"))

    def notice(self, kind: str) -> str:
        """Return the text of the first notice of a kind, or an empty text."""
        return next((tag.text for tag in self.tags("notice") if tag.attributes.get("kind") == kind), "")

    def field(self, section: str, *labels: str) -> str:
        """Return what stands after `label:` on a line of a section."""
        for line in self.text_of(section).splitlines():
            label, colon, value = line.strip().removeprefix("- ").partition(":")
            if colon and label.strip() in labels:
                return value.strip()
        return ""

    def fields(self, section: str) -> dict[str, str]:
        """Return a section's `- label: value` lines."""
        pairs = (
            line.strip()[2:].partition(": ") for line in self.text_of(section).splitlines() if line.startswith("-")
        )
        return {label.strip(): value.strip() for label, colon, value in pairs if colon}

    @cached_property
    def dialogue(self) -> tuple[Said, ...]:
        """The dialogue section: a message a line; a line without a speaker belongs to the one before."""
        messages: list[Said] = []
        for line in self.text_of("dialogue").splitlines():
            found = _LINE.match(line.strip())
            if found:
                messages.append(Said(found[1] not in {"상담사", "Counsellor"}, decoded(found[2])))
            elif messages and line.strip():
                last = messages.pop()
                messages.append(Said(last.by_user, f"{last.text}\n{line.strip()}"))
        return tuple(messages)

    @cached_property
    def is_korean(self) -> bool:
        """The instructions are Korean, whatever the person writes."""
        told = re.sub(r"<([a-z_]+)[^<>]*>[^<]*</\1>", "", self.told)
        return len(_HANGUL.findall(told)) > 20 or not re.search(r"[A-Za-z]{4,}", told)
