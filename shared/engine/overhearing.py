"""A flow that hears what another flow answers: who is in danger is heard in any service.

Both work at once. The listener gets nothing of the answer, and nothing that cannot be taken back is done, before the
hearing flow lets the message pass.
"""

import asyncio
from dataclasses import replace

from shared.contracts.events import StreamEvent
from shared.domain.conversation import S
from shared.engine.flow import Answering, Flow, Hears, Outcome, Turn
from shared.engine.ledger import Ledger
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.send_budget import SendBudget

HEARING_SENDS = 4
"""Requests of the hearing flow, of which its call gets two and a re-ask one. They are its own: neither does it wait for
requests of the flow that answers, nor does that have fewer for it."""


async def run_overheard(turn: Turn[S], flow: Flow[S], hears: Hears[S]) -> Outcome[S] | Answering[S]:
    """Run a flow while another one hears the message.

    Returns:
        The flow's outcome, behind the words of the hearing flow if it has some, or what answers the message instead;
        then the flow was cancelled and its tokens are wasted.
    """
    passed, held, ledger = asyncio.Event(), list[StreamEvent](), Ledger()
    show = held.append

    def emit(event: StreamEvent) -> None:
        show(event)

    own = replace(turn.scope, emit=emit, ledger=ledger)
    hearing_turn = replace(turn, scope=replace(turn.scope, sends=SendBudget(HEARING_SENDS)))
    hearing = asyncio.ensure_future(hears(hearing_turn))
    working = asyncio.ensure_future(flow.run(replace(turn, scope=own, cleared=passed.wait)))
    unused = True
    try:
        instead = await hearing
        if not (instead is None or isinstance(instead, str)):
            return instead
        before = ReplyPrefix(instead or "", turn.scope.emit)
        for event in held:
            before.emit(event)
        show, unused = before.emit, False
        passed.set()
        outcome = await working
        return replace(outcome, reply=before.before(outcome.reply)) if instead else outcome
    finally:
        hearing.cancel()
        working.cancel()
        await asyncio.gather(hearing, working, return_exceptions=True)
        turn.scope.ledger.add(ledger.wasted() if unused else ledger)
