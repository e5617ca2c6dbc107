"""How soon the reader's first look is there, and what a reading costs: recorded answers, streamed by the simulator."""

import random
import time

from functions.chat.reading import AGENT, READER
from local.gemini.tokens import count_tokens
from shared.adapters.system_clock import SystemClock
from shared.config.settings import ModelAccess
from shared.engine.partial_json import so_far
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.platform.language_model import language_model
from tests.evaluation.reader import chosen, parsed, reader_settings
from tests.evaluation.recorded import ANSWERS, Question, load, newest
from tests.load.figures import Figure, median, progress
from tests.load.first_token import TOKEN_MS, TTFT_MS
from tests.support.simulator import Simulator

SEED = 3
LOOK_ENDS = "values"
"""The field that follows the first look: danger, signs, what is answered, next task and module."""


async def first_look(simulator: Simulator, cases: int) -> list[Figure]:
    """Ask the reader for `cases` recorded answers, one after the other, and take the times of each stream."""
    from shared.content.catalogue import content  # noqa: PLC0415 - a bench of another part needs no content

    questions = chosen(content(), parsed(["--without", "written,examples"]))
    recorded = newest(questions, load(sorted(ANSWERS.glob("*.jsonl")))[0])
    answered = random.Random(SEED).sample(recorded, min(cases, len(recorded)))
    if not answered:
        return [
            Figure("first look", None, " ms", None, "recorded answers of tests/fixtures/readings", note="none recorded")
        ]
    simulator.reset()
    simulator.pace(ttft_ms=TTFT_MS, token_ms=TOKEN_MS)
    access = ModelAccess.read(simulator.access)
    model = language_model(access)
    runner = AgentRunner(model, {AGENT: reader_settings(access)}, SystemClock())
    looks, ends, costs = list[float](), list[float](), list[float]()
    try:
        for number, (question, text) in enumerate(answered, start=1):
            progress(f"first look: {number} of {len(answered)}")
            simulator.script({READER.answers.__name__: [text]})
            look, end, cost = await _asked(runner, question)
            looks.append(look)
            ends.append(end)
            costs.append(cost)
    finally:
        await model.aclose()
        simulator.reset()
    how = f"{len(looks)} recorded readings, streamed at {TTFT_MS} ms and {TOKEN_MS} ms a token"
    first = [text[: text.find(f'"{LOOK_ENDS}"')] for _, text in answered]
    return [
        Figure("first look of the reader", median(looks), " ms", None, how),
        Figure("whole reading", median(ends), " ms", None, how),
        Figure("first look / first token of a bare call", median(looks) / TTFT_MS, "", None, how),
        Figure("tokens of a first look", median([count_tokens(text) for text in first]), "", None, "the simulator's"),
        Figure("cost of a reading", median(costs), " won", None, "the simulator's tokens, prices of models.yaml"),
    ]


async def _asked(runner: AgentRunner, question: Question) -> tuple[float, float, float]:
    """Return the milliseconds until the first look and until the end, and the cost in won."""
    looked = list[float]()

    def partial(begun: str) -> None:
        if not looked and LOOK_ENDS in so_far(begun):
            looked.append(time.monotonic())

    scope = Scope(locale=question.locale, deadline=runner.clock.monotonic() + 60)
    began = time.monotonic()
    await runner.ask(READER, question.given, scope, partial=partial)
    ended = time.monotonic()
    return (looked[0] - began) * 1000, (ended - began) * 1000, scope.ledger.spent().cost_krw
