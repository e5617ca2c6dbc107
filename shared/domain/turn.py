"""The record of one turn: input, decisions and output."""

import hashlib
from datetime import datetime
from enum import StrEnum

from pydantic import Field, JsonValue

from shared.domain.conversation import Budget
from shared.domain.ids import ConversationId, MessageId
from shared.model import Model


class DecidedBy(StrEnum):
    """The source of an agent's answer."""

    MODEL = "model"
    RULE = "rule"
    """Code decided; no model was called."""
    SAFE_DEFAULT = "safe_default"
    """The model failed and the safe default is used."""
    FALLBACK_MODEL = "fallback_model"


class AgentRun(Model):
    """One agent's part in a turn.

    Attributes:
        reason: Why a rule decided, or why the model failed.
        prompt: `agent/v1.ko`, or None if no prompt was rendered.
        input_digest: SHA-256 of the rendered prompt, first 16 hex digits.
        attempts: Requests sent, retries and the re-ask included.
        latency_ms: From start to answer; for a stream, to its last token.
        first_token_ms: Streams only.
        thought_tokens: Thought tokens among `output_tokens`.
        cancelled: Its answer was not used, so that its tokens were wasted: another stream spoke first, or the plan
            changed.
    """

    agent: str
    decided_by: DecidedBy
    reason: str = ""
    prompt: str | None = None
    model: str | None = None
    input_digest: str | None = None
    output: JsonValue = None
    attempts: int = 0
    latency_ms: float = 0
    first_token_ms: float | None = None
    prompt_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    cost_krw: float = 0
    error: str | None = None
    cancelled: bool = False


class Hook(Model):
    """An event of a turn for the client and for server-side handlers."""

    type: str
    data: dict[str, JsonValue] = Field(default_factory=dict)


class TurnResult(Model):
    """The answer to the caller; the same every time it is asked for.

    Attributes:
        state_snapshot: The client's view of the state after the turn.
        flags: `degraded`, `crisis`, …
    """

    message_id: MessageId
    seq: int
    reply: str
    state_snapshot: dict[str, JsonValue]
    hooks: tuple[Hook, ...] = ()
    flags: tuple[str, ...] = ()


class TurnRecord(Model):
    """The decision ledger of one turn, created by its commit and never changed.

    Attributes:
        snapshot_version: `state_version` of the snapshot that every agent read.
        text: The message; "" if its conversation stores no text.
        text_digest: SHA-256 of the text and the declined slot: another under the same id is a conflict.
        fixed: The parts of the reply that code worded.
        overhead_ms: Time without waits for the model.
    """

    conversation_id: ConversationId
    message_id: MessageId
    text: str
    text_digest: str
    received_at: datetime
    expire_at: datetime
    seq: int
    flow: str
    snapshot_version: int
    directive: dict[str, JsonValue] | None = None
    fixed: tuple[str, ...] = ()
    agents: tuple[AgentRun, ...] = ()
    events: tuple[str, ...] = ()
    spent: Budget = Budget()
    total_ms: float = 0
    overhead_ms: float = 0
    committed_at: datetime
    result: TurnResult


def digest_of(text: str, declines: str | None = None, document_id: str | None = None) -> str:
    """Return the SHA-256 of a message's text, declined slot and document, in hex."""
    whole = text if declines is None else f"{text}\x00{declines}"
    whole += "" if document_id is None else f"\x00\x00{document_id}"
    return hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()
