"""What a language model answers: text, pieces of a stream, and the tokens that they took."""

from pydantic import Field

from shared.model import Model


class Usage(Model):
    """Tokens of one call, as the provider counts them.

    Attributes:
        output_tokens: All that is billed as output: the answer and the thoughts before it.
        thought_tokens: The thoughts among them.
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
        sends: Requests that it took, retries included.
    """

    text: str
    usage: Usage = Usage()
    sends: int = Field(default=1, ge=0)


class ModelChunk(Model):
    """A piece of a stream; the last one may have an empty text.

    Attributes:
        usage: What the call has used up so far, as far as the provider said: who closes a stream early knows it too.
        sends: Requests that the call took, retries included.
    """

    text: str
    usage: Usage | None = None
    sends: int = Field(default=1, ge=0)
