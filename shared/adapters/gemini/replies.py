"""Reads the SDK's responses: text, usage, and whether the answer is complete."""

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
    """One answer, from one response (plain call) or many (stream).

    Attributes:
        usage: Tokens as last reported; the provider counts up from chunk to chunk.
    """

    def __init__(self) -> None:
        self.usage: Usage | None = None
        self._texts: list[str] = []
        self._finish: str | None = None

    @property
    def text(self) -> str:
        return "".join(self._texts)

    def take(self, response: "types.GenerateContentResponse") -> str:
        """Add a response and return its text without thoughts; may be "".

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
        """Check the finished answer.

        Args:
            streamed: The answer is a stream: without a finish reason it was cut. A plain reply without one is empty.

        Raises:
            ModelBlocked: A filter stopped the answer.
            ModelTruncated: It reached max_output_tokens; the text so far is its beginning.
            ModelStreamBroken: A stream without a finish reason.
            ModelEmpty: It finished normally without text, or there is no candidate.
            ModelUnavailable: The model stopped for another reason (OTHER, LANGUAGE, …).
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
