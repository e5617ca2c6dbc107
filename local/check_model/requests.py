"""Collects each agent's real requests from stories that are played with the simulator."""

from collections.abc import AsyncGenerator, Callable, Mapping

from local.demo.__main__ import chosen
from local.demo.session import play
from local.demo.stage import embedded
from shared.ports.language_model import LanguageModel, ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply

NOT_SERVED = frozenset({"chat", "agreement_triage"})
"""Agents that no story reaches: the template's, and the one for questions that no rule knows."""


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
        progress: Called with a line per story.
    """
    requests: dict[str, ModelRequest] = {}
    async with embedded(lambda model: RecordingModel(model, requests)) as here:
        for story in chosen():
            if agents <= requests.keys():
                break
            progress(f"a story is played with the simulator: {story.id}")
            await play(story, here)
    return {agent: requests[agent] for agent in sorted(agents & requests.keys())}
