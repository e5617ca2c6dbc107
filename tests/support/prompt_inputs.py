"""Every prompt there is, with a value of one's choice in every field that a person or a model can fill."""

from collections.abc import Callable
from typing import TypeAlias

from pydantic import BaseModel

from functions.chat.flows.counseling.counselor import SPEAKER, CounselorInput
from functions.chat.flows.counseling.detectors.task_completion import CHECKER, CompletionInput, GivenSlot
from functions.chat.flows.counseling.detectors.user_state import DETECTOR, UserStateInput
from functions.chat.flows.counseling.selectors.module_selector import PICKER, ModuleInput, Option
from functions.chat.flows.counseling.selectors.task_selector import SELECTOR, Candidate, SelectionInput
from functions.chat.flows.counseling.wrap_up import READER, WrapUpInput
from functions.chat.flows.minimal.flow import CHAT, ChatInput
from functions.planner.infer_persona import INFERRER, PersonaInput, TypeShown
from functions.planner.material import ToldLine
from functions.planner.plan_part2 import PLANNER, PlanInput
from functions.planner.prompt_view import CarriedShown, TechniqueShown
from functions.planner.replan import REPLANNER, Feedback, ReplanInput
from functions.planner.replan import ReplanTask as PlannedTask
from functions.session_manager.close import CLOSER, ClosingInput
from functions.session_manager.findings import REVIEWER, ReviewedTask, ReviewInput
from functions.session_manager.summarize import SUMMARIZER, SummaryInput
from functions.supervisor.judgement import SUPERVISOR, Anchors, JudgedLine, SupervisionInput, Technique
from shared.domain.counseling.directive import Ask, CarriedGist, Directive, Stance
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.review import SessionGoal
from shared.domain.counseling.task import Part
from shared.engine.runner import REASK, ReaskInput
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line
from tests.fakes.counselling import slot

Fill: TypeAlias = Callable[[str], str]
"""Gives the value of a field by its name."""
Filled: TypeAlias = tuple[Prompt, BaseModel]

OF_THE_TURN = {"module_id": "m", "module_name": "M", "module_summary": ("하나", "둘", "셋")}


def filled(fill: Fill) -> list[Filled]:
    """Return every prompt with what it is rendered from."""
    return [*of_a_turn(fill), *_of_the_planner(fill), *_of_the_session_manager(fill), _supervisor(fill), _reask(fill)]


def talk(fill: Fill, kind: type[Line] = Line) -> tuple:
    """Return a dialogue of two messages."""
    return (kind(speaker="user", text=fill("heard")), kind(speaker="counselor", text=fill("replied")))


def counselor(fill: Fill, **more: object) -> Filled:
    """Return the Counselor's prompt with all there can be in it, but for what `more` says otherwise."""
    full = {
        "stance": Stance.WORK,
        "part": Part.EXPLORATION,
        "task_id": "task_a",
        **{name: fill(name) for name in ("task_title", "task_target", "restrictions", "execution_guide")},
        **OF_THE_TURN,
        "module_changed": True,
        "module_change_reason": fill("module_change_reason"),
        "ask": Ask(slot="name", question=fill("question"), error=fill("error")),
        "known": {fill("label"): fill("value")},
        "part_changed": True,
        "part2_goal": fill("part2_goal"),
        "persona": fill("persona"),
        "supervision": (fill("remark"), fill("another_remark")),
        "supervision_urgent": True,
        "concern": True,
        "carried": CarriedGist(summary=fill("before"), goals=(fill("wish"), "둘"), next_plan=fill("next_plan")),
    }
    directive = Directive.model_validate(full | more)
    given = CounselorInput(directive=directive, speech_register="존댓말", summary=fill("summary"), first_turn=True)
    return SPEAKER.prompt, given


def of_a_turn(fill: Fill) -> list[Filled]:
    """Return the prompts that a turn renders."""
    lines, text = talk(fill), fill("text")
    title, target, goal = fill("task_title"), fill("task_target"), fill("part2_goal")
    return [
        counselor(fill),
        (CHAT.prompt, ChatInput(summary=fill("summary"))),
        (
            CHECKER.prompt,
            CompletionInput(
                task_title=title,
                task_target=target,
                completion_criteria=fill("completion_criteria"),
                judged=False,
                slots=(slot("name", label=fill("label")), slot("when", kind="choice", choices=(fill("choice"), "b"))),
                given=(GivenSlot(name="age", label=fill("given_label"), value=fill("value")),),
                last_question=fill("question"),
                supervision=(fill("remark"),),
                lines=lines,
                text=text,
            ),
        ),
        (DETECTOR.prompt, UserStateInput(topic=title, readings=(StateReading(seq=1),), lines=lines, text=text)),
        (
            SELECTOR.prompt,
            SelectionInput(
                candidates=(Candidate(id="a", title=title, target=target, priority="high", covered=False),),
                may_refuse=True,
                part2_goal=goal,
                state="calm",
                lines=lines,
                text=text,
            ),
        ),
        (
            PICKER.prompt,
            ModuleInput(
                options=(Option(id="a", name="A", description="about a"),),
                state="calm",
                persona=fill("persona"),
                task_title=title,
                lines=lines,
                text=text,
            ),
        ),
        (READER.prompt, WrapUpInput(aim="end", proposal=fill("replied"), text=text)),
    ]


def _of_the_planner(fill: Fill) -> list[Filled]:
    shared = {
        "level": 2,
        "depth": "깊이",
        "casual": False,
        "persona": "차분한 편",
        "keywords": ("하나", "둘"),
        "techniques": (TechniqueShown(id="m", name="M", description="about m"),),
        "known": {fill("label"): fill("value")},
        "carried": CarriedShown(goals=(fill("wish"),), next_plan=fill("next_plan")),
        "summary": fill("summary"),
        "lines": talk(fill, ToldLine),
    }
    replan = {
        "goal": fill("part2_goal"),
        "template": True,
        "selected_keywords": ("하나",),
        "tasks": (PlannedTask(title=fill("task_title"), target=fill("task_target"), status="pending"),),
        "feedback": (Feedback(source="supervisor", kind=fill("feedback_kind"), reason=fill("feedback_reason")),),
    }
    return [
        (
            INFERRER.prompt,
            PersonaInput(types=(TypeShown(id="a", name="A", description="a"),), lines=talk(fill, ToldLine)),
        ),
        (PLANNER.prompt, PlanInput.model_validate(shared)),
        (REPLANNER.prompt, ReplanInput.model_validate(shared | replan)),
    ]


def _of_the_session_manager(fill: Fill) -> list[Filled]:
    known = {fill("label"): fill("value")}
    return [
        (
            CLOSER.prompt,
            ClosingInput(
                casual=False,
                level=2,
                part=3,
                at_risk=True,
                known=known,
                summary=fill("summary"),
                lines=talk(fill),
                goals_before=(fill("wish"),),
            ),
        ),
        (SUMMARIZER.prompt, SummaryInput(limit=1200, summary=fill("summary"), known=known, lines=talk(fill))),
        (
            REVIEWER.prompt,
            ReviewInput(
                session_type="first_session",
                part=2,
                part2_goal=fill("part2_goal"),
                goals=(SessionGoal(id="g", title="목표", description="설명"),),
                tasks=(ReviewedTask(title=fill("task_title"), target=fill("task_target"), status="pending"),),
                met_before=("g",),
                declined=1,
                summary=fill("summary"),
                lines=talk(fill),
                replanned=True,
                replan_reason=fill("feedback_reason"),
            ),
        ),
    ]


def _supervisor(fill: Fill) -> Filled:
    given = SupervisionInput(
        register_name="존댓말",
        part=2,
        level=2,
        stance="work",
        task_title=fill("task_title"),
        task_target=fill("task_target"),
        restrictions=fill("restrictions"),
        part2_goal=fill("part2_goal"),
        anchors=(Anchors(criterion="empathy", bands={"9-10": "좋음"}),),
        red_items="위험을 지나침",
        techniques=(Technique(id="m", name="M"),),
        may_change_strategy=True,
        lines=talk(fill, JudgedLine),
    )
    return SUPERVISOR.prompt, given


def _reask(fill: Fill) -> Filled:
    return REASK, ReaskInput(problems=fill("problems"))
