"""What each agent really sends: taken from scripted sessions that are played against the simulator."""

from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path

from local.demo.client import CLIENTS, chosen, clients
from local.demo.session import play
from local.demo.stage import embedded
from shared.ports.language_model import LanguageModel, ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply

_OWN = Path(__file__).parent / "clients"
_PLAYED = ("asking_for_more", "circular")
NOT_SERVED = frozenset({"chat"})
"""Agents of the template for new services: no conversation reaches them."""


class RecordingModel:
    """A language model that keeps the newest request of each agent.

    Attributes:
        requests: By agent.
    """

    def __init__(self, model: LanguageModel, requests: dict[str, ModelRequest]) -> None:
        """Take the model that answers, and where the requests go."""
        self._model = model
        self.requests = requests

    async def generate(self, request: ModelRequest) -> ModelReply:
        """Return the whole answer."""
        self.requests[request.agent] = request
        return await self._model.generate(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Yield the answer as it comes."""
        self.requests[request.agent] = request
        async for chunk in self._model.stream(request):
            yield chunk

    async def check(self, model: str) -> bool:
        """Ask whether a model is served."""
        return await self._model.check(model)

    async def warm(self) -> None:
        """Load what the first call needs."""
        await self._model.warm()

    async def aclose(self) -> None:
        """Close connections."""
        await self._model.aclose()


async def collected(agents: frozenset[str], progress: Callable[[str], None]) -> Mapping[str, ModelRequest]:
    """Play sessions until every agent has sent something, and return what: the fullest prompts come late.

    Args:
        agents: Whose requests are wanted.
        progress: Is told which client talks.
    """
    requests: dict[str, ModelRequest] = {}
    own = clients(_OWN)
    async with embedded(lambda model: RecordingModel(model, requests)) as here:
        for client in (*own, *chosen(clients(CLIENTS), _PLAYED)):
            if agents <= requests.keys():
                break
            progress(f"a scripted client talks to the simulator: {client.name}")
            await play(client, here)
    return {agent: requests[agent] for agent in sorted(agents & requests.keys())}
