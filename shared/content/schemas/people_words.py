"""`people_words.yaml`: words for people in a user's life."""

import re
from collections.abc import Iterable, Iterator

from pydantic import Field, model_validator

from shared.model import Model


class PeopleGroup(Model):
    """Words for the same person.

    Attributes:
        told_as: Other groups whose words are ground enough for these.
    """

    ko: tuple[str, ...] = Field(min_length=1)
    en: tuple[str, ...] = Field(min_length=1)
    told_as: tuple[str, ...] = ()

    def pattern(self, particles: str) -> re.Pattern[str]:
        """Return a pattern for the group's words where they name somebody."""
        korean, english = _longest_first(self.ko), _longest_first(self.en)
        return re.compile(rf"(?<![가-힣])(?:{korean}){particles}(?![가-힣])|\b(?:{english})\b", re.IGNORECASE)


class PeopleFile(Model):
    """All groups, by name.

    Attributes:
        particles: A pattern for what may follow a Korean word for a person.
    """

    particles: str
    groups: dict[str, PeopleGroup]

    @model_validator(mode="after")
    def _groups_exist(self) -> "PeopleFile":
        for name, group in self.groups.items():
            if unknown := set(group.told_as) - set(self.groups):
                raise ValueError(f"{name}: unknown group {min(unknown)!r}")
        return self


class PeopleWords:
    """Finds people whom a text names and another does not."""

    def __init__(self, file: PeopleFile) -> None:
        self._groups = file.groups
        self._patterns = {name: group.pattern(file.particles) for name, group in file.groups.items()}
        korean = _longest_first(word for group in file.groups.values() for word in group.ko)
        english = _longest_first(word for group in file.groups.values() for word in group.en)
        self._owner = re.compile(
            rf"(?<![가-힣])(?:{korean})(?:의|는|은|가|이)?\s*(?:이름[은이]?\s*)?$"
            rf"|\b(?:{english})(?:'s name)?(?: is)?(?: called)?\s*$",
            re.IGNORECASE,
        )

    def unknown(self, text: str, told: str) -> tuple[str, ...]:
        """Return the groups of people whom `text` names though `told` does not."""
        return tuple(name for name in self._named(text) if not self._told(name, told))

    def own(self, name: str, text: str) -> bool:
        """Return whether every time that a text has the name it is another person's: "언니 이름은 수진이에요"."""
        befores = text.split(name)[:-1]
        return bool(befores) and all(self._owner.search(before) for before in befores)

    def _named(self, text: str) -> Iterator[str]:
        return (name for name, pattern in self._patterns.items() if pattern.search(text))

    def _told(self, name: str, told: str) -> bool:
        group = self._groups[name]
        groups = (group, *(self._groups[other] for other in group.told_as))
        folded = told.casefold()
        return any(word in folded for one in groups for word in (*one.ko, *one.en))


def _longest_first(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))
