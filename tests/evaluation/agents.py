"""Has each agent decide on its written cases, and prints precision and recall by group.

The model is the configured one: Gemini with GEMINI_API_KEY (or Vertex AI), the simulator without. The simulator answers
by short lists of words: against it the run only shows that every case reaches its agent.
"""

import os
import sys
from collections.abc import Awaitable, Iterator, Mapping

from shared.config.settings import ModelAccess
from shared.engine.runner import AgentRunner
from shared.ports.language_model import LanguageModel
from tests.evaluation import agent_cases, background_agents, service_agents, turn_agents
from tests.evaluation.decisions import Decision, Group, report
from tests.evaluation.goals import WRONG_CONFIG, measured, runner_of
from tests.evaluation.one_call import OneCallRunner
from tests.evaluation.risk import SIMULATED


async def decide_all(model: LanguageModel, access: ModelAccess) -> tuple[list[Decision], list[Decision]]:
    """Have every case decided, one after the other, each in a conversation of its own.

    Returns:
        The decisions of all agents, each asked by itself, and those of checker and detector asked in one call.
    """
    apart, together = (runner_of(model, access, kind) for kind in (AgentRunner, OneCallRunner))
    return (
        [decision for each in (_analysed, _others) for deciding in each(apart) for decision in await deciding],
        [decision for deciding in _analysed(together) for decision in await deciding],
    )


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Have the cases decided, and print. Returns 0, or 2 in a wrong environment: no threshold is set yet."""
    decisions = measured(environment, decide_all)
    if decisions is None:
        return WRONG_CONFIG
    loud = "" if ModelAccess.read(environment).configured else f"{SIMULATED}\n"
    apart, together = map(report, decisions)
    sys.stdout.write(f"{loud}{apart}\n\nchecker and detector in one call, as a turn asks them\n\n{together}\n{loud}")
    return 0


def _analysed(runner: AgentRunner) -> Iterator[Awaitable[list[Decision]]]:
    """Yield the decision of each case of the checker and the detector, to be awaited before the next is asked for."""
    completion, state = agent_cases.completion_cases(), agent_cases.state_cases()
    for case in completion.completion:
        yield turn_agents.judge_completion(case, completion.tasks[case.task], runner)
    for one in completion.slots:
        yield turn_agents.read_slots(one, completion.labels, runner)
    read = {Group.RESISTANCE: state.resistance, Group.TOPIC: state.topic_change, Group.CIRCULAR: state.circular}
    for group, cases in {**read, Group.EMOTION: state.emotion}.items():
        for message in cases:
            yield turn_agents.read_state(group, message, runner)


def _others(runner: AgentRunner) -> Iterator[Awaitable[list[Decision]]]:
    """Yield the decision of each other case."""
    selection, supervision = agent_cases.selection_cases(), agent_cases.supervision_cases()
    for choice in selection.selection:
        yield turn_agents.choose_task(choice, selection.plans[choice.plan], runner)
    modules = agent_cases.module_cases()
    for group, chosen in {Group.MODULE_STATE: modules.states, Group.TECHNIQUE: modules.techniques}.items():
        for heard in chosen:
            yield turn_agents.choose_module(group, heard, modules.tasks[heard.task], runner)
    for doubtful in agent_cases.intent_cases().intent:
        yield service_agents.name_service(doubtful, runner)
    for told in agent_cases.extraction_cases().extraction:
        yield service_agents.extract_values(told, runner)
    for dialogue in supervision.supervision:
        yield background_agents.judge_replies(dialogue, supervision.tasks[dialogue.task], runner)
    for summary in agent_cases.summary_cases().summaries:
        yield background_agents.keep_facts(summary, runner)


if __name__ == "__main__":
    sys.exit(main())
