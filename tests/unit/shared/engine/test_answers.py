"""A turn knows whether its message could be an answer to the newest reply."""

import asyncio

from shared.engine.flow import Outcome
from tests.fakes.engine import SmallService, incoming


async def test_a_message_sent_while_another_is_answered_is_no_answer_to_that_reply():
    service = SmallService()
    await service.open()
    answers = {}

    def outcome(turn):
        answers[turn.text] = turn.answers
        service.clock.advance(1)
        return Outcome(reply="shall we stop?")

    service.flow.outcome = outcome
    service.flow.hold = asyncio.Event()
    turns = service.instance()
    streams = [await turns.submit(incoming(f"m{n}", f"stop {n}")) for n in (1, 2)]
    service.flow.hold.set()
    for stream in streams:
        await stream.end()
    await (await turns.submit(incoming("m3", "yes"))).end()
    assert answers == {"stop 1": True, "stop 2": False, "yes": True}
