"""Plans Part 2 for every written first Part and judges the plans by the rubric.

The model is the configured one: Gemini with GEMINI_API_KEY (or Vertex AI), the simulator without.
"""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import TypeVar

import httpx

from functions.chat.flows.counseling.opening import open_session
from functions.planner.plan_part2 import plan_part2
from local.gemini.latency import INSTANT
from local.gemini.server import serve
from shared.adapters.documents import writes
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.system_clock import SystemClock
from shared.config.agents import agent_models
from shared.config.settings import ModelAccess
from shared.content.catalogue import content
from shared.contracts.chat import CreateConversation
from shared.domain.conversation import Message, Role
from shared.domain.counseling.level import LevelSource
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import PlanStatus, Session
from shared.domain.counseling.task import Part
from shared.domain.errors import ConfigError
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.engine.claims import Delivery
from shared.engine.runner import AgentRunner
from shared.platform.language_model import language_model
from shared.ports.language_model import LanguageModel
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.composed import model_at
from tests.evaluation.cases import Case, cases
from tests.evaluation.rubric import MadePlan, Verdict, judge
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.support.chat_client import CONSENTS

GOOD_ENOUGH = 0.9  # the share of criteria that must hold over all cases. Own threshold
WORSE, WRONG_CONFIG = 1, 2
T = TypeVar("T")
Evaluation = Callable[[LanguageModel, ModelAccess], Awaitable[T]]


@dataclass(frozen=True)
class Judged:
    """A case, the plan that was made for it, who made it ("model" or "template") and the verdicts."""

    case: Case
    plan: MadePlan
    origin: str
    verdicts: tuple[Verdict, ...]


async def evaluate(model: LanguageModel, access: ModelAccess, chosen: Sequence[Case]) -> list[Judged]:
    return [await _judged(case, model, access) for case in chosen]


def table(results: Sequence[Judged]) -> str:
    """Return a line for each case, its failed criteria below it, and the total."""
    lines = []
    for result in results:
        held = sum(verdict.holds for verdict in result.verdicts)
        head = f"{result.case.id:<30} level {result.case.level}  {held}/{len(result.verdicts)}  by the {result.origin}"
        lines += [head, f"    {result.plan.goal}", f"    {', '.join(result.plan.keywords)}"]
        lines += [f"  ✗ {verdict.criterion}: {verdict.why}" for verdict in result.verdicts if not verdict.holds]
    return "\n".join(
        [*lines, f"total: {share(results):.0%} of {sum(len(one.verdicts) for one in results)} criteria hold"]
    )


def share(results: Sequence[Judged]) -> float:
    found = [verdict.holds for result in results for verdict in result.verdicts]
    return sum(found) / max(1, len(found))


def runner_of(model: LanguageModel, access: ModelAccess, runner: type[AgentRunner] = AgentRunner) -> AgentRunner:
    """Return a runner as the environment says."""
    models = agent_models(access)
    return runner(model, models.by_agent, SystemClock(), patience=models.patience)


@asynccontextmanager
async def configured_model(access: ModelAccess) -> AsyncIterator[LanguageModel]:
    """Open the configured model; without a key, the simulator in this process."""
    async with AsyncExitStack() as stack:
        if access.configured:
            model = language_model(access)
        else:
            simulator = await stack.enter_async_context(await serve(latency=INSTANT))
            model = model_at(simulator.address)
        stack.push_async_callback(model.aclose)
        yield model


def is_simulated(access: ModelAccess) -> bool:
    """Return whether CBot's own simulator would answer; every reply of it says so."""
    if not access.configured:
        return True
    with suppress(httpx.HTTPError):
        return bool(access.base_url) and "x-cbot-demo" in httpx.get(str(access.base_url), timeout=10).headers
    return False


def measured(environment: Mapping[str, str], evaluation: Evaluation[T]) -> T | None:
    """Evaluate the configured model; in a wrong environment, report it on stderr and return None."""

    async def run(access: ModelAccess) -> T:
        async with configured_model(access) as model:
            return await evaluation(model, access)

    try:
        return asyncio.run(run(ModelAccess.read(environment)))
    except ConfigError as error:
        sys.stderr.write(f"cbot: {error}\n")
        return None


def main(environment: Mapping[str, str] = os.environ) -> int:
    """Evaluate and print; returns 0 when enough criteria hold, 1 when not, 2 when the environment is wrong."""
    results = measured(environment, lambda model, access: evaluate(model, access, cases()))
    if results is None:
        return WRONG_CONFIG
    sys.stdout.write(table(results) + "\n")
    return 0 if share(results) >= GOOD_ENOUGH else WORSE


async def _judged(case: Case, model: LanguageModel, access: ModelAccess) -> Judged:
    database = MemoryDocumentDatabase()
    store: DocumentConversationStore[Session] = DocumentConversationStore(database, Session)
    context = CounselingJobContext.over(store, content(), runner_of(model, access))
    await _talked(case, context, database)
    await plan_part2(context, ConversationId(case.id), Delivery("plan", case.id))
    state = await context.state(ConversationId(case.id))
    record = await store.record(ConversationId(case.id), "plans", "0")
    assert state is not None
    assert record is not None, "the planner left no plan"
    tasks = tuple(task for task in state.tasks if task.part is Part.EXPLORATION)
    plan = MadePlan(state.part2_goal or "", state.selected_keywords, tasks)
    return Judged(case, plan, str(record["origin"]), judge(case, plan))


async def _talked(case: Case, context: CounselingJobContext, database: MemoryDocumentDatabase) -> None:
    """Store a session with the case's Part 1 dialogue and a pending plan."""
    now, turns = context.clock.now(), len(case.dialogue)
    request = CreateConversation.model_validate({"age_band": "adult", "consents": CONSENTS})
    opened, greeting = open_session(content(), ConversationId(case.id), UserId("evaluation"), request, now)
    persona = persona_of(content().personas, case.type, case.level, LevelSource.GIVEN)
    talked = {"seq": turns, "message_count": turns, "plan_status": PlanStatus.PLANNING, "user_persona": persona}
    state = opened.model_copy(update=talked)
    await context.store.create(state, greeting, CounselingPolicy(content()).view(state))
    for seq, exchange in enumerate(case.dialogue, start=1):
        asked = Message(seq=seq - 1, role=Role.COUNSELOR, text=exchange.counselor, created_at=now)
        said = Message(seq=seq, role=Role.USER, text=exchange.user, created_at=now, message_id=MessageId(f"m{seq}"))
        later = now + timedelta(seconds=seq)
        both = [one.model_copy(update={"created_at": later}) for one in (asked, said) if one.seq > 0]
        await database.commit([writes.message(state.conversation_id, one, state.expire_at) for one in both])
