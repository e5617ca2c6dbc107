"""One session with everything that a turn, a background job and the user can write, over a database that remembers."""

from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import open_session
from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.conversation_lifecycle import ConversationLifecycle
from functions.chat.use_cases.review import StaffReviews
from functions.planner.proposal import PlanProposal
from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from functions.session_manager.dispatch import dispatch, give_up
from functions.session_manager.summarize import Summary
from functions.supervisor.supervise import supervise
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.contracts.chat import CreateConversation, Satisfaction
from shared.contracts.events import Done
from shared.contracts.retrieval import ChangeConsents
from shared.contracts.review import MarkSeen, ReviewQuery
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.counseling.session import Session, Watermarks
from shared.domain.counseling.task import TaskStatus
from shared.domain.ids import ConversationId, MessageId, UserId
from shared.engine.admission import Admission, Incoming, Limits
from shared.engine.jobs import CreatedDocument, JobResult
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.engine.sweep import Sweep
from shared.engine.turn_worker import TurnWorker
from shared.engine.turns import Turns
from shared.locale import Locale
from shared.ports.conversation_documents import Versioned
from shared.ports.identity import Caller
from shared.safety.follow_through import Risk
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.policy import CounselingPolicy
from tests.fakes.answers import (
    closing_work,
    judgement,
    persona_guess,
    session_review,
    task_completion,
    user_state_reading,
)
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.plans import rating, wording
from tests.fakes.recording_database import RecordingDatabase
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.service_parts import Ids
from tests.fakes.settable_clock import SettableClock
from tests.support.erasing import erase_everything

C1, USER = ConversationId("c1"), UserId("u1")
CALLER = Caller(user_id=USER)
REVIEWER = Caller(user_id=UserId("rae"), role="reviewer")
CONSENTS = {"terms": True, "sensitive_data": True, "overseas_transfer": True}
PROPOSAL = PlanProposal(
    ratings=tuple(rating(word) for word in ("감정 인식", "자기 이해", "대인 관계", "자기 돌봄")),
    goal="걱정이 오는 밤을 함께 살펴본다",
    tasks=tuple(wording(title) for title in ("하나", "둘", "셋")),
)
SCRIPTS = {
    "counselor": "그러셨군요. 조금 더 들려주시겠어요?",
    "task_completion_checker": task_completion(complete=False),
    "user_state_detector": user_state_reading(),
    "persona_inferrer": persona_guess(),
    "planner": PROPOSAL,
    "supervisor": judgement(strategy_change=True, strategy="감정을 먼저 다루는 과제로"),
    "session_manager": session_review(),
    "summarizer": Summary(summary="밤에 걱정이 많아 잠을 못 잔다."),
    "closer": closing_work(suggested_level=1, goals=(), summary="오늘 많은 이야기를 나눴어요.", next_session=""),
}


class WholeSession:
    """The session and all that works on it."""

    def __init__(self) -> None:
        self.database = RecordingDatabase(MemoryDocumentDatabase())
        self.store = DocumentConversationStore(self.database, Session)
        self.clock, self.queue, self.policy = (
            SettableClock(),
            MemoryTaskQueue(),
            CounselingPolicy(content().crisis_replies),
        )
        runner = AgentRunner(ScriptedModel(SCRIPTS), agent_settings(), self.clock)
        self.context = CounselingJobContext(store=self.store, policy=self.policy, runner=runner, content=content())
        router = FlowRouter([counseling(content())])
        worker = TurnWorker(self.store, self.queue, router, self.policy, runner, lambda *told: told[2])
        admission = Admission(self.store, self.clock, Limits(), "one")
        self.turns = Turns(self.store, admission, worker, self.clock, "one")
        self.service = ConversationLifecycle(
            store=self.store,
            policy=self.policy,
            queue=self.queue,
            clock=self.clock,
            open_session=lambda user, request, now, known: open_session(content(), C1, user, request, now, known),
            closing_text=lambda state: "안녕히 가세요.",
            consents=content().consents,
            consent_changes=ConsentChanges(self.store, self.policy, self.queue, self.clock, Ids(), content().consents),
        )
        self.reviews = StaffReviews(self.store, self.policy, self.clock, Ids())

    async def run(self) -> None:
        """Go through all of it."""
        await self.service.create(
            CALLER, CreateConversation.model_validate({"age_band": "adult", "consents": CONSENTS})
        )
        for number, text in enumerate(("안녕하세요.", "요즘 잠이 안 와요.", "죽고 싶다는 생각이 들어요."), 1):
            await self._say(f"m{number}", text)
        await self._cover_part_1()
        await self._say("m4", "이야기하니 조금 나아요.")
        await self._job(carry_out(self.context, CreatedDocument(C1, "part_transitions", "1-2")))
        await self._job(supervise(self.context, self._payload(JobKind.SUPERVISE)))
        await self._job(replan(self.context, CreatedDocument(C1, "planner_feedback", "4-supervisor")))
        await self._change(watermarks=Watermarks(), message_count=20)
        await self._job(dispatch(self.context, self._payload(JobKind.REVIEW)))
        await self._job(dispatch(self.context, self._payload(JobKind.SUMMARIZE)))
        await self._job(give_up(self.context, self._payload(JobKind.SUPERVISE)))
        await Sweep(self.store, self.policy, self.queue, self.clock).run()
        await self.service.end(CALLER, C1)
        await self._job(dispatch(self.context, self._payload(JobKind.CLOSE, 0)))
        await self.service.rate(CALLER, C1, Satisfaction(rating=5, comment="고마웠어요."))
        await self.reviews.queue(REVIEWER, ReviewQuery())
        look = (await self.reviews.look(REVIEWER, C1, "safety_review")).look
        await self.reviews.mark_seen(REVIEWER, C1, MarkSeen(note="안내가 나간 것을 확인했어요.", look=look))

    async def look(self) -> None:
        """Read what clients and their rights ask for, withdraw a consent, and erase it."""
        await self.store.views_of(USER, None, 10)
        await self.store.conversations_of(USER, since=self.clock.now())
        await self.store.messages(C1, -1, 100)
        await self.store.export(C1)
        off = ChangeConsents.model_validate({"consents": {"overseas_transfer": False}})
        await self.service.consent_changes.change(CALLER, off, Locale.KO)
        await erase_everything(self.store, USER)
        await self.store.erasures_of(USER)

    async def _say(self, message_id: str, text: str) -> None:
        stream = await self.turns.submit(Incoming(USER, C1, MessageId(message_id), text))
        assert isinstance(await stream.end(), Done)

    async def _cover_part_1(self) -> None:
        session = await self.context.state(C1)
        assert session is not None
        tasks = tuple(task.model_copy(update={"status": TaskStatus.SUFFICIENT}) for task in session.tasks)
        await self._change(tasks=tasks, current_task=None, risk=Risk())

    async def _change(self, **fields: object) -> None:
        snapshot = await self.store.load(C1)
        assert snapshot is not None
        state = snapshot.session.state.model_copy(update=fields)
        await self.store.save_state(Versioned(state, snapshot.session.version), self.policy.view(state))

    @staticmethod
    async def _job(job) -> None:
        assert await job is JobResult.DONE

    @staticmethod
    def _payload(kind: JobKind, seq: int = 4) -> TaskPayload:
        return TaskPayload(conversation_id=C1, kind=kind, seq=seq, state_version=0)
