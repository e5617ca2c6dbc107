"""A model that answers each of today's agents from a story: how the line is read, what is replied, and the plans."""

from cases.answers import Offered, reading
from functions.chat.flows.agreement.agents import EVALUATOR, RESPONDER, TOOL_PLANNER, TRIAGE
from functions.chat.flows.booking.extractor import EXTRACTOR
from functions.chat.flows.booking.flow import ASKER
from functions.chat.flows.counseling.detectors import first_look
from functions.chat.flows.counseling.detectors.task_completion import CHECKER, SlotFound
from functions.chat.flows.counseling.detectors.user_state import DETECTOR
from functions.chat.flows.counseling.selectors.module_selector import PICKER
from functions.chat.flows.counseling.selectors.task_selector import NONE_FITS, SELECTOR
from functions.chat.flows.counseling.wrap_up import READER
from functions.chat.reading import READER as READS
from functions.chat.reading import DangerKind
from functions.planner.infer_persona import INFERRER
from functions.planner.keywords import shown
from functions.planner.plan_part2 import PLANNER
from functions.planner.proposal import KeywordRating, PlanProposal, TaskProposal
from functions.session_manager.close import CLOSER
from functions.session_manager.findings import REVIEWER
from functions.session_manager.summarize import SUMMARIZER
from functions.supervisor.judgement import SUPERVISOR
from shared.content.catalogue import content
from shared.domain.counseling.user_state import EmotionLabel, Resistance
from tests.builders.answers import answer, judgement
from tests.fakes.scripted_model import ANALYST, ScriptedModel

SILENT = (TRIAGE, TOOL_PLANNER, EVALUATOR, EXTRACTOR, INFERRER, CLOSER, SUMMARIZER)
"""Agents of which a story tells nothing: they answer their safe default."""
SPEAKERS = ("counselor", RESPONDER.name, ASKER.name)
CALM = 8
"""The supervisor's score for everything."""
AHEAD = 2
"""Lines before a story's proposal to close from which the session manager finds Part 2 complete."""
_OWN = {DangerKind.OWN_IMMINENT: "imminent", DangerKind.OWN_CRISIS: "crisis", DangerKind.OWN_CONCERN: "concern"}
_VIOLENCE = {DangerKind.VIOLENCE_NOW: "now", DangerKind.VIOLENCE_ONGOING: "ongoing", DangerKind.VIOLENCE_PAST: "past"}


def completion(gold):
    """Return what the task completion checker answers for a gold reading."""
    told = [(name, *one, False) for name, one in gold.values.items()]
    told += [(name, *one, True) for name, one in gold.corrects.items()]
    return answer(
        CHECKER,
        complete="complete" in gold.signs,
        evidence=gold.signs.get("complete", ""),
        slots=[
            SlotFound(name=name, value=str(value).lower() if isinstance(value, bool) else str(value), quote=quote,
                      corrects=corrects)
            for name, value, quote, corrects in told
        ],
    )  # fmt: skip


def state_reading(gold):
    """Return what the user state detector answers; of danger it knows the user's own, and violence against them."""
    own = next((kind for kind in _OWN if kind in gold.dangers), None)
    violence = next((kind for kind in _VIOLENCE if kind in gold.dangers), None)
    resistance = next((kind for name, kind in first_look.RESISTANCE.items() if name in gold.signs), Resistance.NONE)
    shown_by = [gold.dangers[kind] for kind in (own, violence) if kind is not None]
    shown_by += [gold.signs[name] for name in ("denies_danger",) if name in gold.signs]
    shown_by += [gold.feeling[2]] if gold.feeling else []
    noted = (*first_look.RESISTANCE, "new_topic", "circular")
    shown_by += [gold.signs[name] for name in noted if name in gold.signs]
    return answer(
        DETECTOR,
        risk=_OWN[own] if own else "none",
        violence=_VIOLENCE[violence] if violence else "none",
        denies_danger="denies_danger" in gold.signs,
        resistance=resistance,
        emotion=gold.feeling[0] if gold.feeling else EmotionLabel.NEUTRAL,
        intensity=gold.feeling[1] if gold.feeling else 0,
        topic_changed="new_topic" in gold.signs,
        circular="circular" in gold.signs,
        evidence=next(iter(shown_by), ""),
    )


class GoldModel(ScriptedModel):
    """Answers by the line at `number` (1 is the first) of a story."""

    def __init__(self, story):
        self.story, self.number, self._plans = story, 1, list(story.plan)
        scripts = {agent.name: answer(agent) for agent in SILENT}
        scripts |= dict.fromkeys(SPEAKERS, lambda _: self.line.reply)
        super().__init__(
            scripts
            | {
                CHECKER.name: lambda request: self._among_the_asked(request, completion(self.line.reading)),
                DETECTOR.name: lambda _: state_reading(self.line.reading),
                READS.name: self._reading,
                SELECTOR.name: self._task,
                PICKER.name: self._module,
                READER.name: lambda _: self._wrap_up(),
                PLANNER.name: lambda _: self._plan(),
                REVIEWER.name: self._review,
                SUPERVISOR.name: lambda _: judgement(CALM),
            }
        )

    @property
    def line(self):
        return self.story.lines[self.number - 1]

    def _among_the_asked(self, request, checked):
        """Leave out values that the analyst is not asked for: its look cannot name them."""
        if request.agent != ANALYST:
            return checked
        words = _offered(request, "look", "items")
        slots = tuple(one for one in checked.slots if f"{first_look.VALUE}{one.name}" in words)
        return checked.model_copy(update={"slots": slots})

    def _reading(self, request):
        return reading(self.line.reading, Offered.by(request.messages[0].text), self.story.plan)

    def _task(self, request):
        gold, offered = self.line.reading.next_task, _offered(request, "task_id")
        chosen = gold if gold in offered else NONE_FITS if gold == "none" and NONE_FITS in offered else ""
        return answer(SELECTOR, task_id=chosen, return_quote=self.line.client, selection_reason="story")

    def _module(self, request):
        offered = _offered(request, "module_id")
        return answer(PICKER, module_id=next((one for one in self.line.reading.module if one in offered), ""))

    def _wrap_up(self):
        signs = self.line.reading.signs
        return answer(READER, agreed="agrees" in signs, quote=signs.get("agrees", ""))

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
