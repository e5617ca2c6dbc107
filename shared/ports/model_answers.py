"""Answers of a language model: text, chunks and token counts."""

from pydantic import Field

from shared.model import Model


class Usage(Model):
    """Tokens of one call, as the provider counts them.

    Attributes:
        output_tokens: Billed output: the answer and its thoughts.
        thought_tokens: Thoughts among the output tokens.
    """

    prompt_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            thought_tokens=self.thought_tokens + other.thought_tokens,
        )


class ModelReply(Model):
    """A whole answer; `text` is never blank.

    Attributes:
        sends: Requests sent, retries included.
    """

    text: str
    usage: Usage = Usage()
    sends: int = Field(default=1, ge=0)


class ModelChunk(Model):
    """A piece of a stream; the last one may have no text.

    Attributes:
        usage: Tokens so far, as far as the provider reported them.
        sends: Requests sent, retries included.
    """

    text: str
    usage: Usage | None = None
    sends: int = Field(default=1, ge=0)
