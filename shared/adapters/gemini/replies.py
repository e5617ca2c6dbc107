"""Reads the SDK's responses: text, usage, and whether the answer is whole."""

from typing import TYPE_CHECKING

from shared.domain.errors import (
    ModelBlocked,
    ModelEmpty,
    ModelStreamBroken,
    ModelTruncated,
    ModelUnavailable,
)
from shared.ports.model_answers import Usage

if TYPE_CHECKING:
    from google.genai import types

# https://ai.google.dev/api/generate-content#FinishReason
_BLOCKED = frozenset(
    {
        "SAFETY",
        "PROHIBITED_CONTENT",
        "BLOCKLIST",
        "SPII",
        "RECITATION",
        "ESCALATION",
        "MODEL_ARMOR",
        "PUP_LIMITED_DISABLED",
    }
)


class AnswerReader:
    """One answer, taken in response by response (one of a plain call, many of a stream).

    Attributes:
        usage: Tokens as last reported; the provider counts up from chunk to chunk.
    """

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self._texts: list[str] = []
        self._finish: str | None = None

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._texts)

    def take(self, response: "types.GenerateContentResponse") -> str:
        """Add a response and return its text, without thoughts; may be empty.

        Raises:
            ModelBlocked: The prompt was blocked.
        """
        self.usage = _usage(response) or self.usage
        feedback = response.prompt_feedback
        if feedback is not None and feedback.block_reason is not None:
            raise ModelBlocked(f"prompt blocked: {feedback.block_reason.value}")
        if not response.candidates:
            return ""
        candidate = response.candidates[0]
        if candidate.finish_reason is not None:
            self._finish = candidate.finish_reason.value
        parts = (candidate.content and candidate.content.parts) or []
        text = "".join(part.text for part in parts if part.text and not part.thought)
        self._texts.append(text)
        return text

    def check_whole(self, *, streamed: bool) -> None:
        """Raise what is wrong with the answer now that no more is coming.

        Args:
            streamed: A stream without an end was cut; a plain reply without one holds no answer.

        Raises:
            ModelBlocked: A filter stopped the answer.
            ModelTruncated: It met max_output_tokens; what `take` returned so far is its beginning.
            ModelStreamBroken: It just ended, without a finish reason.
            ModelEmpty: It finished normally and says nothing, or there is no candidate at all.
            ModelUnavailable: The model gave up for a reason of its own (OTHER, LANGUAGE, …).
        """
        finish = self._finish
        if finish is None:
            raise ModelStreamBroken("no finish reason") if streamed else ModelEmpty("no finished candidate")
        if finish in _BLOCKED:
            raise ModelBlocked(f"answer blocked: {finish}")
        if finish in {"MAX_TOKENS", "CONTINUATION"}:
            raise ModelTruncated(f"answer cut: {finish}")
        if finish != "STOP":
            raise ModelUnavailable(f"finish reason {finish}")
        if not self.text.strip():
            raise ModelEmpty("blank text with STOP")


def _usage(response: "types.GenerateContentResponse") -> Usage | None:
    counts = response.usage_metadata
    if counts is None:
        return None
    thoughts = counts.thoughts_token_count or 0
    return Usage(
        prompt_tokens=counts.prompt_token_count or 0,
        output_tokens=(counts.candidates_token_count or 0) + thoughts,  # thoughts are billed as output
        thought_tokens=thoughts,
    )
