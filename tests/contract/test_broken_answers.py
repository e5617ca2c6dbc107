"""A message's reading over the adapter and its SDK, while the simulator breaks the answer."""

import pytest
from pydantic import SecretStr

from functions.chat.reading import NOTHING_READ, READER, reader_input
from local.gemini.faults import Injection
from local.gemini.latency import INSTANT
from local.gemini.server import serve
from shared.adapters.gemini import GeminiConnection, GeminiLanguageModel
from shared.domain.turn import DecidedBy
from shared.engine.runner import AgentRunner
from tests.builders.sessions import session
from tests.builders.shipped_settings import shipped_settings
from tests.builders.small_service import scope_of
from tests.fakes.settable_clock import SettableClock

TEXT = "오늘은 그냥 집에 있었어요"
ANSWER = {**NOTHING_READ.model_dump(mode="json"), "danger": [{"kind": "own_crisis", "quote": TEXT}]}
GIVEN = reader_input(session(), TEXT, ())


@pytest.mark.parametrize("fault", ["max_tokens", "cut_json", "cut_stream", "unfinished", "error_in_stream"])
async def test_a_danger_at_its_beginning_counts_and_a_whole_answer_is_asked_for(fault):
    async with await serve(latency=INSTANT) as running:
        running.simulator.set_script({"Reading": [ANSWER, NOTHING_READ.model_dump(mode="json")]})
        running.simulator.faults.put(Injection.model_validate({"fault": fault, "times": 1, "after_tokens": 30}))
        model = GeminiLanguageModel(GeminiConnection(api_key=SecretStr("any"), base_url=running.address))
        clock = SettableClock()
        scope = scope_of(clock)
        try:
            runner = AgentRunner(model, shipped_settings(), clock)
            answer = await runner.ask(READER, GIVEN, scope, partial=lambda _: None)
        finally:
            await model.aclose()
        methods = [call.method for call in running.simulator.calls.recent]
    assert methods == ["streamGenerateContent", "generateContent"]
    assert [one.kind for one in answer.danger] == ["own_crisis"]
    assert scope.ledger.runs[-1].decided_by is DecidedBy.MODEL
