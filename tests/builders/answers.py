"""Answers with every field, as a provider gives them: those of an agent's safe default, but for what a test says."""

from functools import partial

from functions.chat.flows.counseling.detectors import first_look
from functions.chat.flows.counseling.detectors.task_completion import CHECKER
from functions.chat.flows.counseling.detectors.user_state import DETECTOR
from functions.chat.flows.counseling.selectors.module_selector import PICKER
from functions.chat.flows.counseling.selectors.task_selector import SELECTOR
from functions.chat.flows.counseling.wrap_up import READER
from functions.planner.infer_persona import INFERRER
from functions.session_manager.close import CLOSER
from functions.session_manager.findings import REVIEWER
from functions.session_manager.provenance import SourcedSentence
from functions.session_manager.summarize import Summary
from functions.supervisor.judgement import SUPERVISOR
from shared.domain.counseling.supervision import Criterion


def filled(agent, **given):
    """Return an answer as JSON has it; what a test gives may be wrong."""
    return {**agent.safe_default.model_dump(mode="json", by_alias=True), **given}


def answer(agent, **given):
    """Return an answer that fits the schema."""
    return agent.answers.model_validate(filled(agent, **given))


def joint(completion, reading):
    """Return the analyst's answer that says what the checker and the detector say, as JSON has it."""
    done, state = (one if isinstance(one, dict) else one.model_dump(mode="json") for one in (completion, reading))
    intensity = state.get("intensity", 0)
    strength = next((word for word, band in first_look.STRENGTHS.items() if intensity in band), None)
    changed = state.get("emotion_change", "none")
    found = [
        state.get("risk") if state.get("risk") != "none" else None,
        f"violence_{state['violence']}" if state.get("violence", "none") != "none" else None,
        *(name for name in (first_look.BY_FAMILY, first_look.DENIES_DANGER) if state.get(name)),
        first_look.COMPLETE if done.get("complete") else None,
        *(f"{first_look.VALUE}{one['name']}" for one in done.get("slots", ())),
        f"{state['resistance']}_resistance" if state.get("resistance", "none") != "none" else None,
        state.get("emotion") if state.get("emotion", "neutral") != "neutral" else "sadness" if intensity else None,
        strength,
        changed if changed != "none" else None,
        *(name for name in (first_look.TOPIC_CHANGED, first_look.CIRCULAR) if state.get(name)),
    ]
    return {
        "look": [word for word in found if word],
        "slots": list(done.get("slots", ())),
        "intensity": intensity,
        "state_evidence": state.get("evidence", ""),
        "task_evidence": done.get("evidence", ""),
    }


def scores(score):
    return {criterion.value: score for criterion in Criterion}


def resting_on(quote, text, seq=1):
    """Return a summary's sentences that rest on these words of the user."""
    return (SourcedSentence(seq=seq, quote=quote, text=text),)


def summary_resting_on(quote, text, seq=1):
    return Summary(sentences=resting_on(quote, text, seq))


def judgement(score=8, **given):
    """Return a judgement in which every criterion has this score."""
    return answer(SUPERVISOR, scores=scores(score), **given)


user_state_reading = partial(answer, DETECTOR)
task_completion = partial(answer, CHECKER)
task_choice = partial(answer, SELECTOR)
module_pick = partial(answer, PICKER)
wrap_up_answer = partial(answer, READER)
persona_guess = partial(answer, INFERRER)
closing_work = partial(answer, CLOSER)
session_review = partial(answer, REVIEWER)
