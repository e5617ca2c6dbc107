"""What a crisis reply takes when the model never answers."""

from local.gemini.faults import Fault
from tests.load.figures import Figure, percentile, progress
from tests.support.chat_client import signed_in
from tests.support.local_server import LocalServer
from tests.support.simulator import Simulator
from tests.support.stored import stored

DANGER = "이제 정말 죽고 싶어요."
REPEATED = 3
"""Messages of a conversation: fewer than the rate limit minds."""
GOAL_MS = 50
"""safety.md, Crisis: complete in under 50 ms of own time."""


async def crisis_reply(server: LocalServer, simulator: Simulator, sessions: int) -> list[Figure]:
    """Measure with a model that hangs."""
    simulator.reset()
    simulator.fault(Fault.HANG)
    own: list[float] = []
    async with signed_in(server.address) as person:
        await person.say((await person.open()).id, DANGER)
        for number in range(sessions):
            progress(f"crisis reply: session {number + 1} of {sessions}")
            conversation = await person.open()
            for _ in range(REPEATED):
                await person.say(conversation.id, DANGER)
            async with stored(server.database) as store:
                own += [turn.overhead_ms for turn in await store.turns(conversation.id)]
    simulator.reset()
    how = f"ledger's `overhead_ms` of {len(own)} crisis messages; the model hangs"
    return [Figure("crisis reply, own time, p95", percentile(own, 95), " ms", GOAL_MS, how)]
