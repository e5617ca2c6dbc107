"""Has each agent decide on its written cases, and prints precision and recall by group.

The model is the configured one: Gemini with GEMINI_API_KEY (or Vertex AI), the simulator without. The simulator gives
fixed answers: against it the run only shows that every case reaches its agent.
"""

import os
import sys
from collections.abc import Awaitable, Iterator, Mapping

from shared.config.settings import ModelAccess
from shared.engine.runner import AgentRunner
from shared.ports.language_model import LanguageModel
from tests.evaluation import agent_cases, background_agents, service_agents
from tests.evaluation.decisions import Decision, report
from tests.evaluation.goals import WRONG_CONFIG, is_simulated, measured, runner_of
from tests.evaluation.risk import SIMULATED


async def decide_all(model: LanguageModel, access: ModelAccess) -> list[Decision]:
    """Have every case decided, one after the other, each in a conversation of its own."""
    return [decision for deciding in _all(runner_of(model, access)) for decision in await deciding]


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Have the cases decided, and print. Returns 0, or 2 in a wrong environment: no threshold is set yet."""
    decisions = measured(environment, decide_all)
    if decisions is None:
        return WRONG_CONFIG
    loud = f"{SIMULATED}\n" if is_simulated(ModelAccess.read(environment)) else ""
    sys.stdout.write(f"{loud}{report(decisions)}\n{loud}")
    return 0


def _all(runner: AgentRunner) -> Iterator[Awaitable[list[Decision]]]:
    """Yield the decision of each case, to be awaited before the next is asked for."""
    supervision = agent_cases.written("supervision")
    for told in agent_cases.written("booking_extraction").extraction:
        yield service_agents.extract_values(told, runner)
    for dialogue in supervision.supervision:
        yield background_agents.judge_replies(dialogue, supervision.tasks[dialogue.task], runner)
    for summary in agent_cases.written("summary").summaries:
        yield background_agents.keep_facts(summary, runner)


if __name__ == "__main__":
    sys.exit(main())
