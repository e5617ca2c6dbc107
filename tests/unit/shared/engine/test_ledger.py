from hypothesis import given
from hypothesis import strategies as st

from shared.domain.conversation import Budget
from shared.domain.turn import AgentRun, DecidedBy
from shared.engine.ledger import Ledger, cost_krw
from shared.ports.model_answers import Usage
from shared.ports.model_settings import ModelSettings


def test_the_total_is_the_sum_of_all_runs_each_priced_per_million_tokens():
    run = AgentRun(agent="a", decided_by=DecidedBy.MODEL, attempts=2, prompt_tokens=30, output_tokens=4, cost_krw=0.15)
    assert Ledger(runs=[run, run]).spent() == Budget(llm_calls=4, prompt_tokens=60, output_tokens=8, cost_krw=0.3)
    settings = ModelSettings(model="m", price_in=420, price_out=3500)
    assert cost_krw(Usage(prompt_tokens=1_000_000, output_tokens=2_000), settings) == 427


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 10)), max_size=8))
def test_overlapping_waits_count_once(spans):
    ledger = Ledger()
    for start, length in spans:
        ledger.waited(start, start + length)
    union = {second for start, length in spans for second in range(start, start + length)}
    assert ledger.waiting_seconds() == len(union)
