"""Answers with every field, as a provider gives them: those of an agent's safe default, but for what a test says."""

from functools import partial

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
