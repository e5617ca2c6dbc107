"""The demo's model: answers each of the product's agents from its prompt alone, by a story, else with fixed texts."""

from collections.abc import Callable, Mapping, Sequence

from local.gemini import neutral
from local.gemini.json_types import JsonObject
from local.gemini.prompt import Prompt
from local.gemini.protocol import Content
from local.gemini.stories import StoryAnswers
from local.gemini.story_answers import without_question


class AgentAnswers:
    """Always answers, and the same request alike.

    Args:
        stories: What the stories answer; the product's by default.
    """

    def __init__(self, stories: StoryAnswers | None = None) -> None:
        told = self._stories = stories or StoryAnswers()
        self.by_schema: Mapping[str, Callable[[Prompt], JsonObject]] = {
            "Reading": told.read,
            "PlanProposal": told.plan,
            "SessionReview": told.review,
            "Summary": told.summarize,
            "ClosingWork": told.close,
            "ToolPlan": neutral.search,
            "Sufficiency": neutral.evaluate,
        }

    def answer_json(self, agent: str, system: str, contents: Sequence[Content]) -> JsonObject | None:
        """Answer the agent with this schema; None for an unknown one, which gets a generic value of its schema."""
        if not contents:
            return None
        answer = self.by_schema.get(agent)
        # The first content is the input; a re-ask follows it.
        return answer(Prompt(contents[0].text, system)) if answer else neutral.fixed().get(agent)

    def answer_text(self, system: str, contents: Sequence[Content]) -> str:
        """Answer from the passages that the instructions show, else by the story, else with a calm reply."""
        said = neutral.cite(system) or self._stories.reply(system, contents) or neutral.reply(system, contents)
        return without_question(said) if Prompt(system).tags("follows") else said
