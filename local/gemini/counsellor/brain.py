"""The demo's model: answers each of the product's agents by rule, from the prompt only."""

from collections.abc import Callable, Mapping, Sequence

from cases.answers import without_question
from local.gemini.counsellor.agreement import cited_answer, evaluate, plan_search, triage
from local.gemini.counsellor.brief import brief_of
from local.gemini.counsellor.earlier_replies import EarlierReplies
from local.gemini.counsellor.fitting import fit
from local.gemini.counsellor.planning import guess_persona, plan
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.remembering import close, summarize
from local.gemini.counsellor.reply import reply
from local.gemini.counsellor.reviewing import review
from local.gemini.counsellor.services import extract
from local.gemini.counsellor.supervising import supervise
from local.gemini.json_types import JsonObject
from local.gemini.protocol import Content
from local.gemini.schema_answers import Unanswerable
from local.gemini.stories import StoryAnswers
from shared.prompts.data import decoded

Answer = Callable[[Prompt], JsonObject]

ANSWERS: Mapping[str, Answer] = {
    "ratings": plan,
    "confidence": guess_persona,
    "scores": supervise,
    "part2_completed": review,
    "next_session": close,
    "sentences": summarize,
    "in_scope": triage,
    "tool": plan_search,
    "sufficient": evaluate,
    "date_words": extract,
}
"""By a property of the answer's schema; the first match counts, since one schema may have the properties of another."""


def answering(schema: JsonObject) -> Answer | None:
    """Return the function that answers for a schema's agent, or None."""
    properties = schema.get("properties")
    return next(
        (answer for name, answer in ANSWERS.items() if isinstance(properties, dict) and name in properties), None
    )


class CounsellorBrain:
    """Always answers, deterministically for a seed, a prompt and the dialogue so far: by the stories, else by rule.

    Args:
        seed: Selects among equivalent wordings.
        stories: What the stories answer; the product's by default.
    """

    def __init__(self, seed: int = 0, stories: StoryAnswers | None = None) -> None:
        self._seed = seed
        self._stories = stories or StoryAnswers()
        self._earlier = EarlierReplies()

    def answer_json(self, schema: JsonObject, system: str, contents: Sequence[Content]) -> JsonObject | None:
        """Answer an agent; None for an unknown one, which gets a generic value of its schema."""
        answer = self._answering(schema)
        if answer is None or not contents:
            return None
        # The first content is the input; a re-ask follows it.
        try:
            made = fit(schema, answer(Prompt(contents[0].text, system)), schema)
        except (Unanswerable, KeyError):
            return None
        return made if isinstance(made, dict) else None

    def _answering(self, schema: JsonObject) -> Answer | None:
        properties, answer = schema.get("properties"), answering(schema)
        if isinstance(properties, dict) and "signs" in properties:
            return lambda prompt: self._stories.read(prompt.text)
        if answer is plan:
            return lambda prompt: self._stories.planned(prompt, plan(prompt))
        if answer is review:
            return lambda prompt: self._stories.reviewed(prompt, review(prompt))
        return answer

    def answer_text(self, system: str, contents: Sequence[Content]) -> str:
        """Answer from passages if the instructions show some; else reply as the counsellor."""
        if contents and Prompt(system).tags("passage"):
            return cited_answer(system, decoded(contents[-1].text))
        said = self._stories.reply(system, contents) or reply(
            brief_of(system, contents), self._seed, self._earlier.before(contents)
        )
        if Prompt(system).tags("follows"):
            said = without_question(said)
        self._earlier.keep(contents, said)
        return said
