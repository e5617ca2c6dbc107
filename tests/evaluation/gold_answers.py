"""A model that answers each agent from a story: how the line is read, what is replied, and the plans."""

from functions.chat.flows.agreement.agents import EVALUATOR, RESPONDER, TOOL_PLANNER, TRIAGE
from functions.chat.flows.booking.extractor import EXTRACTOR
from functions.chat.flows.booking.flow import ASKER
from functions.chat.reading import READER
from functions.planner.infer_persona import INFERRER
from functions.planner.keywords import shown
from functions.planner.plan_part2 import PLANNER
from functions.planner.proposal import KeywordRating, PlanProposal, TaskProposal
from functions.session_manager.close import CLOSER
from functions.session_manager.review_schema import REVIEWER
from functions.session_manager.summarize import SUMMARIZER
from functions.supervisor.judgement import SUPERVISOR
from local.gemini.story_answers import Offered, reading, without_question
from shared.content.catalogue import content
from tests.builders.answers import answer, judgement
from tests.fakes.scripted_model import ScriptedModel

SILENT = (TRIAGE, TOOL_PLANNER, EVALUATOR, EXTRACTOR, INFERRER, CLOSER, SUMMARIZER)
"""Agents of which a story tells nothing: they answer their safe default."""
SPEAKERS = ("counselor", RESPONDER.name, ASKER.name)
CALM = 8
"""The supervisor's score for everything."""
AHEAD = 2
"""Lines before a story's proposal to close from which the session manager finds Part 2 complete."""


class GoldModel(ScriptedModel):
    """Answers by the line at `number` (1 is the first) of a story."""

    def __init__(self, story):
        self.story, self.number, self._plans = story, 1, list(story.plan)
        scripts = {agent.name: answer(agent) for agent in SILENT}
        scripts |= dict.fromkeys(SPEAKERS, self._reply)
        super().__init__(
            scripts
            | {
                READER.name: self._reading,
                PLANNER.name: lambda _: self._plan(),
                REVIEWER.name: self._review,
                SUPERVISOR.name: lambda _: judgement(CALM),
            }
        )

    @property
    def line(self):
        return self.story.lines[self.number - 1]

    def _reply(self, request):
        return without_question(self.line.reply) if "</follows>" in request.system else self.line.reply

    def _reading(self, request):
        return reading(self.line.reading, Offered.by(request.messages[0].text), self.story.plan)

    def _plan(self):
        """Return the story's newest plan that was not answered yet, else none: the plan in force stays."""
        due = [plan for plan in self._plans if plan.after <= self.number or plan is self.story.plan[0]]
        if not due:
            return answer(PLANNER)
        self._plans = [plan for plan in self._plans if plan not in due]
        known = content().personas
        words = [*known.common_keywords, *(word for one in known.types for word in one.type_specific_keywords)]
        tasks = [
            TaskProposal(
                title=one.title,
                description=one.target,
                target=one.target,
                completion_criteria=one.criteria,
                restrictions="",
                kind=one.kind.value,
                module_id=one.pending().module_id,
                priority=one.priority.value,
                slots=(),
            )
            for one in due[-1].tasks
        ]
        ratings = [
            KeywordRating(keyword=word, quote="", relevance=0)
            for word in dict.fromkeys(shown(content(), words, self.story.locale))
        ]
        return PlanProposal(ratings=tuple(ratings), goal=due[-1].goal, tasks=tuple(tasks))

    def _review(self, request):
        """Find Part 2 complete shortly before the story proposes to close."""
        proposed = [at for at, line in enumerate(self.story.lines, start=1) if line.asks == "wrap_up"]
        near = bool(proposed) and self.number >= proposed[0] - AHEAD
        goals = _offered(request, "goals", "items", "properties", "goal")
        found = [{"goal": one, "met": False, "evidence": "", "answer": ""} for one in goals]
        return answer(REVIEWER, goals=found, part2_completed=near, wrap_up_advised=near, reason="story")


def _offered(request, *path):
    """Return the values that the schema of a request allows at a path."""
    whole = request.response_schema.model_json_schema()
    found = whole
    for step in ("properties", *path):
        found = found[step]
        if reference := found.get("$ref"):
            found = whole["$defs"][reference.rpartition("/")[2]]
    return found.get("enum", ())
