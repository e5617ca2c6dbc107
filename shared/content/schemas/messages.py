"""`messages.yaml`: every sentence that code, not a model, says to a user or a client."""

from typing import NamedTuple

from pydantic import Field, model_validator

from shared.content.schemas.voice import Voiced, VoicedVariants, placeholders
from shared.locale import Locale, Localized, Register
from shared.model import Model

FALLBACK_PROBLEM = "internal"
FAULT_FIELDS = frozenset({"field", "expected", "limit"})
RECALL_FIELDS = frozenset({"name", "words"})


class ProblemText(NamedTuple):
    """The words of an error: `detail` is a template with named placeholders."""

    title: str
    detail: str

    def fill(self, **values: object) -> str:
        """Return the detail with its placeholders filled; surplus values are ignored."""
        return self.detail.format_map(values)


class ProblemEntry(Model):
    """The text of an error.

    Attributes:
        fields: The fields of the error; a template may use these and no others.
    """

    title: Localized
    detail: Localized
    fields: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _knows_its_placeholders(self) -> "ProblemEntry":
        for template in (self.detail.ko, self.detail.en):
            unknown = placeholders(template) - set(self.fields)
            if unknown:
                raise ValueError(f"unknown placeholder {{{min(unknown)}}}; this error has {list(self.fields)}")
        return self


class FaultTexts(Model):
    """What is wrong in a request, in a few words each.

    Attributes:
        whole: Replaces `{field}` if the request as a whole is wrong.
        other: For every kind without a text of its own.
        kinds: Keyed by pydantic's error type, or by one of our own.
    """

    whole: Localized
    other: Localized
    kinds: dict[str, Localized]

    @model_validator(mode="after")
    def _knows_its_placeholders(self) -> "FaultTexts":
        for key, text in {"other": self.other, **self.kinds}.items():
            if unknown := (placeholders(text.ko) | placeholders(text.en)) - FAULT_FIELDS:
                raise ValueError(f"{key}: unknown placeholder {{{min(unknown)}}}; there are {sorted(FAULT_FIELDS)}")
        return self


class MessageFile(Model):
    """All sentences.

    Attributes:
        texts: One sentence or short paragraph each, without placeholders.
        variants: Sentences that may be repeated soon, in several wordings.
        recalled: Sentences of a follow-up greeting: `{name}` is the user's name, `{words}` what was agreed.
        labels: What an agent is doing, for users who wait; keyed by the agent's name.
        retry_labels: The same for an agent that is asked once more; `other` covers the unlisted.
        problems: Keyed by the error's code.
        validation: What may be wrong in a request: the `{detail}` of `invalid_request`.
    """

    texts: dict[str, Voiced]
    variants: dict[str, VoicedVariants]
    recalled: dict[str, Voiced]
    labels: dict[str, Voiced]
    retry_labels: dict[str, Voiced]
    problems: dict[str, ProblemEntry] = Field(min_length=1)
    validation: FaultTexts

    @model_validator(mode="after")
    def _is_sayable(self) -> "MessageFile":
        if FALLBACK_PROBLEM not in self.problems:
            raise ValueError(f"problem {FALLBACK_PROBLEM!r} is missing: other codes fall back to it")
        if "other" not in self.retry_labels:
            raise ValueError("retry_labels has no 'other'")
        for key, voiced in (*self.texts.items(), *self.labels.items(), *self.retry_labels.items()):
            if any(placeholders(text) for text in voiced.all):
                raise ValueError(f"{key} has a placeholder that is never filled")
        for key, voiced in self.recalled.items():
            if any(placeholders(text) - RECALL_FIELDS for text in voiced.all):
                raise ValueError(f"{key}: unknown placeholder; there are {sorted(RECALL_FIELDS)}")
        return self


class Messages:
    """The sentences of one conversation's language and register."""

    def __init__(self, file: MessageFile, locale: Locale, register: Register) -> None:
        self._file = file
        self._locale = locale
        self._register = register

    def text(self, key: str) -> str:
        """Return a sentence; an unknown key is a programming error (KeyError)."""
        return self._file.texts[key].at(self._locale, self._register)

    def consent(self, name: str) -> str:
        """Return the name of a consent within a sentence; an unlisted one gets the general name."""
        key = f"consent_{name}"
        return self.text(key if key in self._file.texts else "consent_any")

    def variants(self, key: str) -> tuple[str, ...]:
        """Return all wordings of a sentence."""
        return self._file.variants[key].at(self._locale, self._register)

    def every_variant(self) -> tuple[str, ...]:
        """Return all wordings of all sentences that have several."""
        return tuple(text for each in self._file.variants.values() for text in each.at(self._locale, self._register))

    def recall(self, key: str, *, name: str = "", words: str = "") -> str:
        """Return a sentence of a follow-up greeting."""
        return self._file.recalled[key].at(self._locale, self._register).format(name=name, words=words)

    def label(self, agent: str, attempt: int = 1) -> str:
        """Return what an agent is doing, in a few words; from the second `attempt` on, that it is asked once more.

        An unlisted agent gets the counselor's label, or `other` for a retry.
        """
        if attempt > 1:
            entry = self._file.retry_labels.get(agent) or self._file.retry_labels["other"]
        else:
            entry = self._file.labels.get(agent) or self._file.labels["counselor"]
        return entry.at(self._locale, self._register)

    def problem(self, code: str) -> ProblemText:
        """Return an error's text; a code without its own gets that of `internal`."""
        entry = self._file.problems.get(code) or self._file.problems[FALLBACK_PROBLEM]
        return ProblemText(entry.title.at(self._locale), entry.detail.at(self._locale))

    def fault(self, kind: str, *, field: str, expected: str, limit: str) -> str:
        """Return what is wrong in a request; an empty `field` is the request as a whole."""
        words = self._file.validation
        template = words.kinds.get(kind, words.other).at(self._locale)
        return template.format(field=field or words.whole.at(self._locale), expected=expected, limit=limit)
