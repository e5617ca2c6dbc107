"""Has the supervisor and the summariser work on the written dialogues, each with its own prompt and schema."""

from collections.abc import Mapping
from datetime import timedelta

from pydantic import JsonValue

from functions.session_manager.summarize import DIALOGUE_CHARACTERS, SUMMARIZER, SummaryInput
from functions.supervisor.supervise import supervise
from shared.adapters.documents import writes
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.conversation import Message, Role
from shared.domain.counseling.background_events import PlanMade
from shared.domain.counseling.lifecycle import SUPERVISE_EVERY
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.session import Session
from shared.domain.counseling.supervision import SATISFACTORY, HardFail
from shared.domain.counseling.task import TaskStatus
from shared.domain.ids import MessageId, TaskId
from shared.engine.memory import LONGEST_SUMMARY
from shared.engine.runner import AgentRunner
from shared.services.counseling.dialogue import lines
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.policy import CounselingPolicy
from tests.evaluation.agent_cases import JudgedTask, SummaryCase, SupervisionCase, WrittenDialogue
from tests.evaluation.decisions import Decision, Group
from tests.evaluation.sessions import exploring, opened, scope_of
from tests.fakes.memory_database import MemoryDocumentDatabase

_TASK = TaskId("task_judged")


async def judge_replies(case: SupervisionCase, task: JudgedTask, runner: AgentRunner) -> list[Decision]:
    """Have the supervisor judge the replies of a stored session; what it stores is counted."""
    database, policy = MemoryDocumentDatabase(), CounselingPolicy(content())
    store: DocumentConversationStore[Session] = DocumentConversationStore(database, Session)
    context = CounselingJobContext(store=store, policy=policy, runner=runner, content=content())
    state = _session(case, task, runner)
    greeting = Message(seq=0, role=Role.COUNSELOR, text="…", created_at=state.created_at)
    await store.create(state, greeting, policy.view(state))
    talk = _talk(case, state.seq, runner)
    await database.commit([writes.message(state.conversation_id, one, state.expire_at) for one in talk])
    due = {"conversation_id": case.id, "kind": JobKind.SUPERVISE, "seq": state.seq, "state_version": 0}
    await supervise(context, TaskPayload.model_validate(due))
    judged = await context.state(state.conversation_id)
    assert judged is not None
    return _judged(case, judged.supervision_log[-1].data if judged.supervision_log else None)


async def keep_facts(case: SummaryCase, runner: AgentRunner) -> list[Decision]:
    """Have the summariser summarise; its own words are counted, before code checks and completes them."""
    scope = scope_of(case.id, runner)
    given = SummaryInput(
        limit=LONGEST_SUMMARY,
        summary=case.before,
        known=case.known,
        lines=lines(_talk(case, len(case.turns), runner), DIALOGUE_CHARACTERS),
    )
    answer = await runner.ask(SUMMARIZER, given, scope)
    written, answered = answer.summary.casefold(), not scope.ledger.failed(SUMMARIZER.name)
    facts = [(True, fact) for fact in case.keeps] + [(False, fact) for fact in case.leaves_out]
    return [
        Decision(
            Group.FACTS,
            case.id,
            wanted=wanted,
            found=any(spelling.casefold() in written for spelling in fact),
            about=f"{'lost' if wanted else 'holds'} “{fact[0]}”",
            answered=answered,
        )
        for wanted, fact in facts
    ]


def _judged(case: SupervisionCase, gist: Mapping[str, JsonValue] | None) -> list[Decision]:
    """Return the decisions on a case; `gist` is None if the model gave no usable judgement."""
    data = gist or {}
    fails, scores = data.get("hard_fails", []), data.get("scores", {})
    assert isinstance(fails, list)
    assert isinstance(scores, dict)
    findings = (
        (Group.RED_ITEM, case.red_item, HardFail.RED_ITEM.value in fails),
        (Group.VIOLATION, case.violated, HardFail.VIOLATION.value in fails),
        (Group.IMPROVEMENT, case.needs_improvement, bool(data.get("needs_improvement"))),
    )
    last = case.turns[-1].counselor
    found = [
        Decision(group, case.id, wanted, said, f"{'yes' if said else 'no'} | {last}", answered=gist is not None)
        for group, wanted, said in findings
        if wanted is not None
    ]
    for criterion in sorted(case.low | case.sound):
        score = scores.get(criterion.value)
        low = isinstance(score, int) and score < SATISFACTORY
        about = f"{criterion.value} {score} | {last}"
        found.append(Decision(Group.LOW_SCORE, case.id, criterion in case.low, low, about, answered=gist is not None))
    return found


def _session(case: SupervisionCase, task: JudgedTask, runner: AgentRunner) -> Session:
    """Return a session of Part 2 in which supervision is due."""
    current = exploring(
        task.title, id=_TASK, target=task.target, restrictions=task.restrictions, status=TaskStatus.IN_PROGRESS
    )
    state = opened(case.id, runner)
    persona = persona_of(content().personas, None, task.level)
    planned = PlanMade(goal=task.goal, keywords=(), tasks=(current,), persona=persona)
    talked = {"current_task": _TASK, "seq": SUPERVISE_EVERY, "message_count": SUPERVISE_EVERY}
    return planned.apply(state, runner.clock.now()).model_copy(update=talked)


def _talk(case: WrittenDialogue, upto: int, runner: AgentRunner) -> list[Message]:
    """Return the dialogue as the turns that end with turn `upto`."""
    first, now = upto - len(case.turns) + 1, runner.clock.now()
    return [
        Message(seq=seq, role=role, text=text, created_at=now + timedelta(seconds=seq), message_id=MessageId(f"m{seq}"))
        for seq, turn in enumerate(case.turns, start=first)
        for role, text in ((Role.USER, turn.user), (Role.COUNSELOR, turn.counselor))
    ]
