"""The simulator's state: answers, latency, faults and calls."""

import asyncio
import json
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from local.gemini.agents import AgentAnswers
from local.gemini.calls import Call, CallLog
from local.gemini.embedding import body_of, embed
from local.gemini.faults import Fault, FaultBox
from local.gemini.json_types import JsonObject, JsonValue
from local.gemini.latency import Latency
from local.gemini.plan import NO_ACCESS, REFUSALS, Plan, plan_for
from local.gemini.problems import ApiProblem
from local.gemini.protocol import GenerateRequest
from local.gemini.roles import role_of
from local.gemini.schema_answers import answer_for
from local.gemini.stories import StoryAnswers

EMBEDDER = "embedder"


class Simulator:
    """One simulated provider; tests may reach into it beside its HTTP control endpoints.

    Args:
        latency: How slow it is; the demo's default.
        stories: A folder with stories beside the product's.
    """

    def __init__(self, latency: Latency | None = None, stories: Path | None = None) -> None:
        self._agents = AgentAnswers(StoryAnswers(stories))
        self.latency = latency or Latency()
        self.faults = FaultBox()
        self.calls = CallLog()
        self.stopping = asyncio.Event()
        self._script: dict[str, deque[JsonValue]] = {}

    def set_script(self, answers: Mapping[str, Sequence[JsonValue]]) -> None:
        """Replace the script: each agent's answers in order, texts or JSON values; then the agents' answers follow."""
        self._script = {agent.casefold(): deque(items) for agent, items in answers.items()}

    def begin(self, request: GenerateRequest, method: str) -> tuple[Call, Plan]:
        """Record a call and plan its answer.

        Raises:
            ApiProblem: A fault refuses it.
        """
        role = role_of(request)
        injection = self.faults.draw(role, request.model)
        fault = str(injection.fault) if injection else None
        call = Call(role, request.model, method, request.raw, fault)
        self.calls.add(call)
        try:
            return call, plan_for(request, lambda: self._answer(role, request), injection)
        except ApiProblem:
            call.outcome = "refused"
            raise

    async def embed(self, model: str, method: str, raw: bytes) -> JsonObject:
        """Record a request for embeddings by the agent "embedder", and return its answer.

        Raises:
            ApiProblem: It is wrong, or a fault refuses it.
        """
        body = body_of(raw)
        injection = self.faults.draw(EMBEDDER, model)
        call = Call(EMBEDDER, model, method, body, str(injection.fault) if injection else None, "refused")
        self.calls.add(call)
        if injection is not None and injection.fault in REFUSALS:
            raise ApiProblem(*REFUSALS[injection.fault])
        if injection is not None and injection.fault is Fault.HANG:
            await self.stopping.wait()
        answer = embed(model, method, body)
        await self.latency.first()
        call.outcome = "answered"
        return answer

    def check_served(self, model: str) -> None:
        """Refuse a look at a model if a pending fault denies it to all agents; uses no hit of it."""
        for injection in self.faults.waiting():
            if injection.fault in NO_ACCESS and injection.agent == "*" and injection.model in {"*", model}:
                raise ApiProblem(*REFUSALS[injection.fault])

    def _answer(self, role: str, request: GenerateRequest) -> str:
        script = self._script.get(role.casefold())
        if script:
            item = script.popleft()
            return item if isinstance(item, str) else _dump(item)
        if request.schema is not None:
            value = self._agents.answer_json(role, request.system, request.contents)
            return _dump(answer_for(request.schema) if value is None else value)
        text = self._agents.answer_text(request.system, request.contents)
        return _dump({"text": text}) if request.wants_json else text


def _dump(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)
