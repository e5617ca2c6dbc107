"""The record of one turn: what came in, who decided what, what went out."""

import hashlib
from datetime import datetime
from enum import StrEnum

from pydantic import Field, JsonValue

from shared.domain.conversation import Budget
from shared.domain.ids import ConversationId, MessageId
from shared.model import Model


class DecidedBy(StrEnum):
    """Who gave an agent's answer."""

    MODEL = "model"
    RULE = "rule"
    """Code decided; no model was called."""
    SAFE_DEFAULT = "safe_default"
    """The model failed and the safe default holds."""
    FALLBACK_MODEL = "fallback_model"


class AgentRun(Model):
    """One agent's part in a turn.

    Attributes:
        reason: Why a rule decided, or why the model failed.
        prompt: `agent/v1.ko`, or None when no prompt was rendered.
        input_digest: SHA-256 of the rendered prompt, first 16 hex digits.
        attempts: Calls made, the one re-ask included.
        latency_ms: From start to answer; for a stream, to its last token.
        first_token_ms: Streams only.
        thought_tokens: The thoughts among `output_tokens`.
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


class Hook(Model):
    """Something that happened in a turn, for the client and for server-side handlers."""

    type: str
    data: dict[str, JsonValue] = Field(default_factory=dict)


class TurnResult(Model):
    """What the caller gets; identical however often it is asked for.

    Attributes:
        state_snapshot: The client's view of the state after the turn (seed 004, rule 3).
        flags: `degraded`, `crisis`, …
    """

    message_id: MessageId
    seq: int
    reply: str
    state_snapshot: dict[str, JsonValue]
    hooks: tuple[Hook, ...] = ()
    flags: tuple[str, ...] = ()


class TurnRecord(Model):
    """The decision ledger of one turn, created by its commit: a turn that has one is answered and never changes again.

    Attributes:
        snapshot_version: `state_version` of the one snapshot that every agent saw.
        text: The message; empty where its conversation keeps no words.
        text_digest: SHA-256 of the text and of what was declined: another under the same id is a conflict.
        overhead_ms: Everything but waiting for the model.
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
    agents: tuple[AgentRun, ...] = ()
    events: tuple[str, ...] = ()
    spent: Budget = Budget()
    total_ms: float = 0
    overhead_ms: float = 0
    committed_at: datetime
    result: TurnResult


def digest_of(text: str, declines: str | None = None) -> str:
    """Return the SHA-256 of a message, in hex: of its text and, where there is any, of what it declines."""
    whole = text if declines is None else f"{text}\x00{declines}"
    return hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()
