"""The demo's brain: answers each of the product's agents by rule, from nothing but what a model would get."""

from collections.abc import Callable, Mapping, Sequence

from local.gemini.counsellor.brief import brief_of
from local.gemini.counsellor.choices import choose_module, choose_task, read_answer
from local.gemini.counsellor.completion import complete
from local.gemini.counsellor.fitting import fit
from local.gemini.counsellor.planning import guess_persona, plan
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.remembering import close, summarize
from local.gemini.counsellor.reply import reply
from local.gemini.counsellor.reviewing import review
from local.gemini.counsellor.state import read_state
from local.gemini.counsellor.supervising import supervise
from local.gemini.json_types import JsonObject
from local.gemini.protocol import Content
from local.gemini.schema_answers import Unanswerable

Answer = Callable[[Prompt], JsonObject]

ANSWERS: Mapping[str, Answer] = {
    "TaskCompletion": complete,
    "UserStateReading": read_state,
    "TaskChoice": choose_task,
    "ModulePick": choose_module,
    "WrapUpAnswer": read_answer,
    "PlanProposal": plan,
    "PersonaGuess": guess_persona,
    "Judgement": supervise,
    "SessionReview": review,
    "Summary": summarize,
    "ClosingWork": close,
}
"""By the answer schema's title."""


class CounsellorBrain:
    """A rule-based counsellor (a `Brain`); the same seed and prompt give the same answer.

    Args:
        seed: Changes which wording is taken where several would do.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def answer_json(self, role: str, schema: JsonObject, system: str, contents: Sequence[Content]) -> JsonObject | None:
        """Answer an agent; None for one that it does not know."""
        answer = ANSWERS.get(role)
        if answer is None or not contents:
            return None
        # A re-ask follows the matter itself, which stands first.
        try:
            made = fit(schema, answer(Prompt(contents[0].text, told=system)))
        except (Unanswerable, KeyError):
            return None
        return made if isinstance(made, dict) else None

    def answer_text(self, role: str, system: str, contents: Sequence[Content]) -> str:
        """Speak as the Counselor."""
        del role
        return reply(brief_of(system, contents), self._seed)
