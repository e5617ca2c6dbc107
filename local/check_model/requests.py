"""Collects each agent's real requests from scripted sessions with the simulator."""

from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path

from local.demo.client import CLIENTS, chosen, clients
from local.demo.session import play
from local.demo.stage import embedded
from shared.ports.language_model import LanguageModel, ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply

_OWN = Path(__file__).parent / "clients"
_PLAYED = ("asking_for_more", "circular")
NOT_SERVED = frozenset({"chat", "agreement_triage"})
"""Agents that no scripted conversation reaches: the template's, and the one for questions that no rule knows."""


class RecordingModel:
    """A language model that records the newest request of each agent.

    Attributes:
        requests: Newest request by agent.
    """

    def __init__(self, model: LanguageModel, requests: dict[str, ModelRequest]) -> None:
        self._model = model
        self.requests = requests

    async def generate(self, request: ModelRequest) -> ModelReply:
        self.requests[request.agent] = request
        return await self._model.generate(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        self.requests[request.agent] = request
        async for chunk in self._model.stream(request):
            yield chunk

    async def warm(self) -> None:
        await self._model.warm()

    async def aclose(self) -> None:
        await self._model.aclose()


async def collected(agents: frozenset[str], progress: Callable[[str], None]) -> Mapping[str, ModelRequest]:
    """Play sessions until every agent has sent a request, and return the newest ones, which are the fullest.

    Args:
        agents: Names of the agents.
        progress: Called with a line per client.
    """
    requests: dict[str, ModelRequest] = {}
    # The checker and the detector are asked by themselves only in the second way, and the reader in the third.
    for way in ({}, {"CBOT_JOINT_ANALYSIS": "false"}, {"CBOT_TURN_ON_READING": "true"}):
        async with embedded(lambda model: RecordingModel(model, requests), **way) as here:
            for client in (*clients(_OWN), *chosen(clients(CLIENTS), _PLAYED)):
                if agents <= requests.keys():
                    break
                progress(f"a scripted client talks to the simulator: {client.name}")
                await play(client, here)
    return {agent: requests[agent] for agent in sorted(agents & requests.keys())}
