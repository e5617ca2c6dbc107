"""Sends a planned answer at the model's pace, and cuts connections as planned."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.types import Receive, Scope, Send

from local.gemini.calls import Call
from local.gemini.faults import Fault
from local.gemini.json_types import JsonObject
from local.gemini.plan import REFUSALS, Ending, Plan
from local.gemini.problems import ApiProblem
from local.gemini.replies import Replies
from local.gemini.simulator import Simulator

GARBAGE = "<html><body>502 Bad Gateway</body></html>"
_BROKEN_LINE = 'data: {"candidates": [{"content": {"par\r\n\r\n'


class ConnectionCut(Exception):
    """Raised out of the app, so that the server drops the connection."""


class Delivery:
    """An ASGI response that ends early if the client disconnects or the simulator stops."""

    def __init__(self, simulator: Simulator, call: Call, plan: Plan, replies: Replies, *, stream: bool) -> None:
        self._simulator = simulator
        self._call = call
        self._plan = plan
        self._replies = replies
        self._send_all = self._stream if stream else self._whole

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        work = asyncio.ensure_future(self._send_all(send))
        gone = asyncio.ensure_future(_disconnected(receive))
        stop = asyncio.ensure_future(self._simulator.stopping.wait())
        tasks = (work, gone, stop)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if not work.cancelled():
            self._call.outcome = "cut" if work.exception() else "answered"
            work.result()
        elif gone.cancelled():
            self._call.outcome = "cut"
            raise ConnectionCut
        else:
            self._call.outcome = "disconnected"

    async def _whole(self, send: Send) -> None:
        plan = self._plan
        await self._until_first()
        for index in range(len(plan.pieces)):
            await self._until_token(index)
        match plan.ending:
            case Ending.ERROR:
                problem = ApiProblem(*REFUSALS[Fault.UNAVAILABLE])
                await _send_body(send, json.dumps(problem.body()), "application/json", status=problem.code)
            case Ending.GARBAGE:
                await _send_body(send, GARBAGE, "text/html")
            case Ending.CUT:
                await _start(send, "application/json")
                await _more(send, '{"candidates": [{"content": {"par')
                raise ConnectionCut
            case _:
                await _send_body(send, _dump(self._replies.whole(plan)), "application/json")

    async def _stream(self, send: Send) -> None:
        plan = self._plan
        await self._until_first()
        if plan.ending is Ending.GARBAGE and not plan.pieces:
            await _send_body(send, GARBAGE, "text/html")
        else:
            await self._events(send)

    async def _events(self, send: Send) -> None:
        await _start(send, "text/event-stream")
        async for item in self._chunks():
            await _more(send, f"data: {_dump(item)}\r\n\r\n")
        match self._plan.ending:
            case Ending.CUT:
                raise ConnectionCut
            case Ending.ERROR:
                await _more(send, f"data: {_dump(ApiProblem(*REFUSALS[Fault.UNAVAILABLE]).body())}\r\n\r\n")
            case Ending.GARBAGE:
                await _more(send, _BROKEN_LINE)
            case _:
                pass
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _chunks(self) -> AsyncIterator[JsonObject]:
        plan, replies = self._plan, self._replies
        if plan.ending is Ending.BLOCKED_PROMPT:
            yield replies.blocked_prompt()
            return
        finishes = plan.ending is Ending.FINISH
        last = len(plan.pieces) - 1
        text = ""
        for index, piece in enumerate(plan.pieces):
            await self._until_token(index)
            text += piece
            if index == last or not index % self._simulator.latency.chunk_tokens:
                yield replies.piece(text, index + 1, plan.finish if finishes and index == last else None, plan.thoughts)
                text = ""
        if finishes and not plan.pieces:
            yield replies.piece("", 0, plan.finish, plan.thoughts)

    async def _until_first(self) -> None:
        if self._plan.ending is Ending.HANG:
            await asyncio.get_running_loop().create_future()
        await self._simulator.latency.first(self._replies.ttft_factor)
        await self._simulator.latency.tokens(self._plan.thoughts)

    async def _until_token(self, index: int) -> None:
        if self._plan.slow_from is not None and index >= self._plan.slow_from:
            await asyncio.sleep(self._plan.slow_ms / 1000)
        elif index:
            await self._simulator.latency.tokens(1)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _start(send: Send, media_type: str, status: int = 200) -> None:
    headers = [(b"content-type", media_type.encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def _more(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _send_body(send: Send, text: str, media_type: str, status: int = 200) -> None:
    await _start(send, media_type, status)
    await send({"type": "http.response.body", "body": text.encode(), "more_body": False})


def _dump(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False)
