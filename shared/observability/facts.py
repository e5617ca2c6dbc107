"""Facts of a turn and of an agent's run, for log lines, metrics and spans."""

from shared.domain.turn import AgentRun, DecidedBy, TurnRecord
from shared.observability.fields import Fields

DEGRADED = "degraded"
CRISIS_HOOK = "crisis_detected"
GUARD = "output_guard"
ANSWER_CACHE = "answer_cache"
"""Agent name in the turn record; its output is `hit` or `miss`."""


def turn_facts(record: TurnRecord) -> Fields:
    """Return the facts of a committed turn.

    `agents` counts the runs that called a model, `safe_defaults` those of them that failed.
    """
    asked = [run for run in record.agents if run.decided_by is not DecidedBy.RULE]
    facts: Fields = {
        "conversation": record.conversation_id,
        "seq": record.seq,
        "flow": record.flow,
        "degraded": DEGRADED in record.result.flags,
        "total_ms": record.total_ms,
        "overhead_ms": record.overhead_ms,
        "agents": len(asked),
        "safe_defaults": sum(run.decided_by is DecidedBy.SAFE_DEFAULT for run in asked),
        "model_calls": record.spent.llm_calls,
        "prompt_tokens": record.spent.prompt_tokens,
        "output_tokens": record.spent.output_tokens,
        "cost_krw": record.spent.cost_krw,
    }
    cut = _guarded(record)
    if cut is not None:
        facts["guarded"] = cut
    cached = next((run.output for run in record.agents if run.agent == ANSWER_CACHE), None)
    if isinstance(cached, str):
        facts["cache"] = cached
    level = _crisis(record)
    if level is not None:
        facts["crisis"] = level
    return facts


def agent_facts(run: AgentRun, conversation: str) -> Fields:
    facts: Fields = {
        "agent": run.agent,
        "conversation": conversation,
        "decided_by": run.decided_by.value,
        "attempts": run.attempts,
        "latency_ms": run.latency_ms,
        "prompt_tokens": run.prompt_tokens,
        "output_tokens": run.output_tokens,
        "cost_krw": run.cost_krw,
    }
    if run.thought_tokens:
        facts["thought_tokens"] = run.thought_tokens
    if run.model is not None:
        facts["model"] = run.model
    if run.prompt is not None:
        facts["prompt"] = run.prompt
    if run.first_token_ms is not None:
        facts["first_token_ms"] = run.first_token_ms
    return facts


def error_code(run: AgentRun) -> str | None:
    """Return the code of a run's error without its message, which may quote the answer."""
    return run.error.partition(":")[0] if run.error else None


def _guarded(record: TurnRecord) -> str | None:
    found = [run.output for run in record.agents if run.agent == GUARD]
    return next((category for category in found if isinstance(category, str)), None)


def _crisis(record: TurnRecord) -> str | None:
    levels = [hook.data.get("level") for hook in record.result.hooks if hook.type == CRISIS_HOOK]
    return next((level for level in levels if isinstance(level, str)), None)
