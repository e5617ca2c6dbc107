"""Every prompt, with a chosen value in every field that a user or a model can fill."""

from collections.abc import Callable
from typing import Any, TypeAlias

from pydantic import BaseModel

from functions.chat.flows.agreement.agents import EVALUATOR, RESPONDER, TOOL_PLANNER, TRIAGE
from functions.chat.flows.booking.extractor import EXTRACTOR
from functions.chat.flows.booking.flow import ASKER
from functions.chat.flows.minimal.flow import CHAT
from functions.chat.reading import READER
from functions.chat.speaking import CARE, SPEAKER
from functions.planner.infer_persona import INFERRER
from functions.planner.plan_part2 import PLANNER
from functions.planner.replan import REPLANNER
from functions.session_manager.close import CLOSER
from functions.session_manager.review_schema import REVIEWER
from functions.session_manager.summarize import SUMMARIZER
from functions.supervisor.judgement import SUPERVISOR
from shared.engine.runner import REASK
from shared.prompts.catalogue import Prompt
from tests.builders.sessions import slot

Fill: TypeAlias = Callable[[str], str]
"""Gives the value of a field by its name."""
Filled: TypeAlias = tuple[Prompt, BaseModel]


def filled(fill: Fill) -> list[Filled]:
    return [*of_a_turn(fill), *of_the_background(fill), (REASK, REASK.takes(problems=fill("problems")))]


def _given(prompt: Prompt, fill: Fill, **own: Any) -> Filled:
    """Return a prompt's input: what several prompts show by the same name, and what is its own."""
    words = ("text", "task_title", "task_target", "part2_goal", "summary", "restrictions")
    several = {
        **{name: fill(name) for name in words},
        "lines": [{"speaker": "user", "text": fill("heard")}, {"speaker": "counselor", "text": fill("replied")}],
        "known": {fill("label"): fill("value")},
        "sources": ({"seq": 1, "quote": fill("kept_quote"), "text": fill("kept_text")},),
        "carried": {"goals": (fill("wish"),), "next_plan": fill("next_plan")},
        "techniques": ({"id": "m", "name": "M"},),
        "document_title": fill("document_title"),
        "passages": ({"label": fill("label"), "title": fill("title"), "text": fill("passage")},),
        "outline": (fill("outline"),),
        "done": (fill("done"),),
        "earlier": ({"speaker": "user", "text": fill("heard")}, {"speaker": "service", "text": fill("replied")}),
    } | {"part": 2, "level": 2, "casual": False, "state": "calm", **own}
    taken = prompt.takes.model_fields
    return prompt, prompt.takes.model_validate({name: value for name, value in several.items() if name in taken})


def counselor(fill: Fill, **more: object) -> Filled:
    """Return the Counselor's prompt with all there can be in it, but for what `more` says otherwise."""
    words = ("task_title", "task_target", "restrictions", "execution_guide", "module_change_reason", "persona")
    carried = {"summary": fill("before"), "goals": (fill("wish"), "둘"), "next_plan": fill("next_plan")}
    directive = {
        **{name: fill(name) for name in (*words, "part2_goal")},
        "ask": {"slot": "name", "question": fill("question"), "error": fill("error")},
        "known": {fill("label"): fill("value")},
        "supervision": (fill("remark"), fill("another_remark")),
        "carried": carried,
    }
    directive |= {"stance": "work", "part": 2, "task_id": "task_a", "part_changed": True}
    directive |= {"module_id": "m", "module_name": "M", "module_summary": ("하나", "둘", "셋"), "module_changed": True}
    directive |= {"supervision_urgent": True, "notices": ("answer_first", "replace_slot"), "facts": (fill("fact"),)}
    directive |= {"corrected": {fill("label"): fill("value")}, **more}
    prompt = (CARE if directive["stance"] == "care" else SPEAKER).prompt
    return _given(prompt, fill, directive=directive, speech_register="존댓말", first_turn=True)


def of_a_turn(fill: Fill) -> list[Filled]:
    """Return the prompts that a turn renders."""
    booking = {"parse_error": True, "slot_errors": (fill("error"),), "facts": (fill("fact"),)}
    booking |= {"question": fill("question"), "known": fill("value")}
    heard = {
        "conditions": {"complete": "it is complete"},
        "task": {"id": "a", "title": fill("task_title"), "criteria": fill("completion_criteria"), "judged": True},
        "slots": (slot("name", label=fill("label")), slot("when", kind="choice", choices=(fill("choice"), "b"))),
        "known": ({"slot": slot("age", label=fill("given_label")), "value": fill("value")},),
        "tasks": ({"id": "a", "title": fill("task_title"), "current": True, "covered": False, "wants": ("name",)},),
        "modules": ({"id": "m", "current": True},),
        "asked": ("name",),
        "earlier": ({"seq": 1},),
    }
    return [
        counselor(fill),
        counselor(fill, follows=fill("follows")),
        counselor(fill, stance="care"),
        counselor(fill, stance="care", follows=fill("follows")),
        _given(CHAT.prompt, fill),
        _given(READER.prompt, fill, **heard),
        _given(TRIAGE.prompt, fill),
        _given(TOOL_PLANNER.prompt, fill, round=1, most_rounds=5, missing=fill("missing"), read=(fill("label"),)),
        _given(EVALUATOR.prompt, fill, round=1, most_rounds=5),
        _given(RESPONDER.prompt, fill),
        _given(EXTRACTOR.prompt, fill, today="2026-11-27", weekday="금요일", now="10:00", asked="date"),
        _given(ASKER.prompt, fill, speech_register="존댓말", **booking),
    ]


def of_the_background(fill: Fill) -> list[Filled]:
    named = {"id": "a", "name": "A", "description": "a"}
    planned = {"depth": "깊이", "persona": "차분한 편", "keywords": ("하나", "둘"), "techniques": (named,)}
    task = {"title": fill("task_title"), "target": fill("task_target"), "status": "pending"}
    feedback = {"source": "supervisor", "kind": fill("feedback_kind"), "reason": fill("feedback_reason")}
    replan = {"goal": fill("part2_goal"), "template": True, "selected_keywords": ("하나",), "tasks": (task,)}
    goal = {"id": "g", "title": "목표", "description": "설명"}
    review = {"session_type": "first_session", "goals": (goal,), "tasks": (task,), "met_before": ("g",), "declined": 1}
    rubric = {"anchors": ({"criterion": "empathy", "bands": {"9-10": "좋음"}},), "red_items": "위험을 지나침"}
    judged = {"stance": "work", "may_change_strategy": True}
    return [
        _given(INFERRER.prompt, fill, reasons=({"id": "a", "name": "A"},), types=(named,)),
        _given(PLANNER.prompt, fill, **planned),
        _given(REPLANNER.prompt, fill, **planned, **replan, feedback=(feedback,)),
        _given(CLOSER.prompt, fill, part=3, at_risk=True, goals_before=(fill("wish"),)),
        _given(SUMMARIZER.prompt, fill, limit=1200),
        _given(REVIEWER.prompt, fill, **review, replanned=True, replan_reason=fill("feedback_reason")),
        _given(SUPERVISOR.prompt, fill, **judged, **rubric),
    ]
