"""Texts of the background agents."""

from collections.abc import Sequence
from functools import cache

from pydantic import Field

from local.gemini.counsellor.clauses import gist, sentences
from local.gemini.counsellor.data_files import Data, load
from local.gemini.counsellor.messages import danger_in, is_small_talk
from local.gemini.counsellor.prompt import Language, Prompt
from local.gemini.counsellor.themes import themes_of


class Topics(Data):
    """Display names of the themes; `moods` are used only if nothing else is found."""

    ko: dict[str, str]
    en: dict[str, str]
    any: dict[str, str]
    moods: frozenset[str]

    def names(self, language: Language) -> dict[str, str]:
        """Return the names by theme."""
        return self.ko if language == "ko" else self.en

    def situations(self, text: str, language: Language) -> list[str]:
        """Return the names of a text's themes without moods."""
        names = self.names(language)
        return [names[theme] for theme in themes_of(text) if theme in names and theme not in self.moods]

    def main(self, text: str, language: Language) -> str:
        """Return the name of a text's main theme, or ""."""
        names = self.names(language)
        found = [*self.situations(text, language), *(names[theme] for theme in themes_of(text) if theme in names)]
        return next(iter(found), "")


class PlannedWords(Data):
    """A task's texts in one language."""

    title: str
    description: str
    target: str
    criteria: str
    restrictions: str


class SlotWords(Data):
    """A slot's texts in one language; `casual` are its questions in 반말."""

    label: str
    questions: tuple[str, ...]
    casual: tuple[str, ...] = ()


class PlannedSlot(Data):
    """Something that a task should learn."""

    name: str
    kind: str
    ko: SlotWords
    en: SlotWords


class Planned(Data):
    """A task that a plan may contain.

    Attributes:
        modules: The module instead of `module_id`, by the first theme that is told of.
        levels: The counselling levels at which it is planned.
    """

    kind: str
    module_id: str
    modules: dict[str, str] = Field(default_factory=dict)
    levels: frozenset[int] = frozenset(range(1, 6))
    priority: str
    ko: PlannedWords
    en: PlannedWords
    slots: tuple[PlannedSlot, ...] = ()


class PersonaSign(Data):
    """What users of a persona type say; `name` occurs in the type's name."""

    name: str
    said: str


class ClosingWords(Data):
    """Sentences of a closing in one voice; see data/background.yaml."""

    told: tuple[str, ...]
    lighter: str
    wished: str
    others: tuple[str, ...]


class BackgroundData(Data):
    """See data/background.yaml."""

    topics: Topics
    keywords: dict[str, str]
    goals: dict[str, str]
    tasks: tuple[Planned, ...]
    answers: dict[str, Planned]
    personas: tuple[PersonaSign, ...]
    supervision: dict[str, dict[str, str]]
    review: dict[str, dict[str, str]]
    summary: dict[str, dict[str, str]]
    closing: dict[str, ClosingWords]
    next_session: dict[str, dict[str, str]]


@cache
def background_data() -> BackgroundData:
    return load("background", BackgroundData)


def told_by_user(prompt: Prompt) -> tuple[str, ...]:
    """Return the user's messages."""
    return tuple(line.text for line in prompt.dialogue if line.by_user)


def told_without_danger(prompt: Prompt) -> tuple[str, ...]:
    """Return the user's messages without those about danger or safety."""
    return tuple(
        line.text for line in prompt.dialogue if line.by_user and not line.marked and danger_in(line.text) == "none"
    )


def user_sentences(prompt: Prompt) -> tuple[str, ...]:
    """Return the user's sentences without small talk."""
    return tuple(one for text in told_by_user(prompt) for one in sentences(text) if not is_small_talk(one))


def topic(prompt: Prompt, newest: int | None = None) -> str:
    """Return the name of the main theme; with `newest`, of so many newest messages."""
    topics, told = background_data().topics, " ".join(told_without_danger(prompt)[-(newest or 0) :])
    return topics.main(told, prompt.language) or topics.any[prompt.language]


def weightiest(texts: Sequence[str], *, korean: bool) -> tuple[str, ...]:
    """Return the two weightiest quotable clauses, in the order of the messages."""
    found = [(gist(text, korean=korean), place) for place, text in enumerate(texts)]
    heavy = sorted((-one.weight, place, one.said) for one, place in found if one.said and one.weight >= 3)
    distinct = list(dict.fromkeys((said, place) for _, place, said in heavy))[:2]
    return tuple(said for said, _ in sorted(distinct, key=lambda pair: pair[1]))
