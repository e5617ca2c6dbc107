from datetime import UTC, datetime

from shared.domain.conversation import Budget
from shared.domain.turn import AgentRun, DecidedBy, Hook, TurnRecord, TurnResult
from shared.observability.facts import agent_facts, error_code, turn_facts
from shared.observability.fields import checked

NOW = datetime(2026, 11, 22, tzinfo=UTC)
WORDS = "나는 요즘 너무 힘들어 secret words of a person"


def run(**fields):
    return AgentRun(**{"agent": "counselor", "decided_by": DecidedBy.MODEL, **fields})


def record(*, agents=(), hooks=(), flags=(), **fields):
    result = TurnResult(message_id="m", seq=4, reply=WORDS, state_snapshot={"last": WORDS}, hooks=hooks, flags=flags)
    return TurnRecord(
        conversation_id="c1",
        message_id="m",
        text=WORDS,
        text_digest="0",
        received_at=NOW,
        expire_at=NOW,
        seq=4,
        flow="counseling",
        snapshot_version=3,
        committed_at=NOW,
        agents=agents,
        result=result,
        **fields,
    )


def test_a_turn_comes_to_ids_and_numbers():
    spent = Budget(llm_calls=3, prompt_tokens=100, output_tokens=20, cost_krw=0.5)
    agents = (run(), run(decided_by=DecidedBy.RULE), run(decided_by=DecidedBy.SAFE_DEFAULT), run())
    hooks = (Hook(type="other"), Hook(type="crisis_detected", data={"level": "imminent"}))
    facts = turn_facts(record(agents=agents, hooks=hooks, flags=("degraded",), spent=spent, total_ms=12, overhead_ms=2))
    assert facts == {
        "conversation": "c1",
        "seq": 4,
        "flow": "counseling",
        "degraded": True,
        "crisis": "imminent",
        "total_ms": 12,
        "overhead_ms": 2,
        "agents": 3,
        "safe_defaults": 1,
        "model_calls": 3,
        "prompt_tokens": 100,
        "output_tokens": 20,
        "cost_krw": 0.5,
    }


def test_every_fact_may_be_logged():
    full = run(model="gemini-3.6-flash", prompt="counselor/v1.ko", first_token_ms=3.5)
    assert checked({**turn_facts(record()), **agent_facts(full, "c1")})[1] == ()


def test_a_turn_without_a_crisis_has_no_level():
    assert "crisis" not in turn_facts(record())


def test_of_a_runs_error_only_the_code_is_a_fact():
    assert error_code(run(error=f"model_schema_mismatch: {WORDS}")) == "model_schema_mismatch"
    assert error_code(run()) is None
    assert WORDS not in str(agent_facts(run(error=WORDS, output=WORDS, reason=WORDS), "c1"))


def test_what_the_output_guard_cut_is_told_by_its_category():
    cut = run(agent="output_guard", decided_by=DecidedBy.RULE, output="diagnosis")
    assert turn_facts(record(agents=(run(), cut)))["guarded"] == "diagnosis"
    assert "guarded" not in turn_facts(record(agents=(run(),)))
