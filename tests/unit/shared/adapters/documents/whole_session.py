"""One session with every document that a turn, a background job and the user write, over a recording database."""

import asyncio
from datetime import timedelta
from functools import cache

import httpx

from functions.chat.composition import compose
from functions.chat.parts import Platform
from functions.planner.proposal import PlanProposal
from functions.planner.replan import replan
from functions.planner.transitions import carry_out
from functions.session_manager.dispatch import dispatch, give_up
from functions.supervisor.supervise import supervise
from local.background import local_invoker_auth
from shared.adapters.documents.appointments import DocumentAppointments
from shared.adapters.documents.checkpoints import DocumentCheckpoints
from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.passage_vectors import DocumentPassageVectors
from shared.config.settings import ChatSettings, ModelAccess
from shared.content.catalogue import content
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.agreement.parsing import parse
from shared.domain.agreement.search_state import SearchState
from shared.domain.counseling.session import Session, Watermarks
from shared.domain.counseling.task import TaskStatus
from shared.engine.jobs import CreatedDocument, JobResult
from shared.engine.model_health import ModelHealth
from shared.engine.runner import AgentRunner
from shared.engine.sweep import Sweep
from shared.engine.watched_model import WatchedModel
from shared.locale import Locale
from shared.ports.conversation_documents import Versioned
from shared.safety.follow_through import Risk
from shared.services.counseling.job_context import CounselingJobContext
from tests.builders import answers
from tests.builders.appointments import appointment
from tests.builders.erasing import erase_everything
from tests.builders.plans import rating, wording
from tests.builders.service_parts import Ids, OneUser
from tests.builders.shipped_settings import shipped_settings
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.fakes.memory_queue import MemoryTaskQueue
from tests.fakes.recording_database import RecordingDatabase
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

USER, REVIEWER = "u1", "rae/reviewer"
CONSENTS = {"terms": True, "sensitive_data": True, "overseas_transfer": True}
PROPOSAL = PlanProposal(
    ratings=tuple(rating(word) for word in ("감정 인식", "자기 이해", "대인 관계", "자기 돌봄")),
    goal="걱정이 오는 밤을 함께 살펴본다",
    tasks=tuple(wording(title) for title in ("하나", "둘", "셋")),
)
SCRIPTS = {
    "counselor": "그러셨군요. 조금 더 들려주시겠어요?",
    "reader": answers.reads(),
    "persona_inferrer": answers.persona_guess(),
    "planner": PROPOSAL,
    "supervisor": answers.judgement(strategy_change=True, strategy="감정을 먼저 다루는 과제로"),
    "session_manager": answers.session_review(),
    "summarizer": answers.summary_resting_on("요즘 잠이 안 와요.", "잠을 못 잔다.", 2),
    "closer": answers.closing_work(
        suggested_level=1,
        goals=(),
        sentences=answers.resting_on("요즘 잠이 안 와요.", "많은 이야기를 나눴어요.", 2),
    ),
}


@cache
def recorded():
    """Return the database of a session that has run once, with its writes and queries."""
    whole = WholeSession()
    asyncio.run(whole.run())
    return whole.database


class WholeSession:
    def __init__(self, access=None, **settings):
        self.database = RecordingDatabase(MemoryDocumentDatabase())
        self.store = DocumentConversationStore(self.database, Session)
        self.clock, self.queue, self.model = SettableClock(), MemoryTaskQueue(), ScriptedModel(SCRIPTS)
        self.context = CounselingJobContext.over(
            self.store, content(), AgentRunner(self.model, shipped_settings(), self.clock)
        )
        watched, invoker_auth = WatchedModel(self.model, ModelHealth(self.clock)), local_invoker_auth("demo-cbot")
        own = (DocumentAppointments(self.database), DocumentCheckpoints(self.database))
        own += (DocumentPassageVectors(self.database),)
        platform = Platform(self.store, self.queue, OneUser(), watched, self.clock, Ids(), invoker_auth, *own)
        self.app = compose(platform, ChatSettings.read(settings), access or ModelAccess()).app

    async def open(self):
        opened = await self._ask("POST", "/api/conversations", {"age_band": "adult", "consents": CONSENTS})
        self.name = opened["conversation_id"]

    async def run(self):
        await self.open()
        measure = {"measure": "gad7", "moment": "start", "answers": [1] * 7}
        await self._ask("POST", f"/api/conversations/{self.name}/measures", measure)
        sent = {"files": {"file": ("계약서.txt", "제1조(목적) 이 계약은 상담을 정한다.".encode())}}
        uploaded = await self._ask("POST", "/api/documents", **sent)
        vectors = DocumentPassageVectors(self.database)
        await vectors.keep_vectors(uploaded["document_id"], "model/2", {"article-1": (1.0, 0.0)})
        for text in ("안녕하세요.", "요즘 잠이 안 와요.", "죽고 싶다는 생각이 들어요."):
            await self._say(text)
        covered = {"status": TaskStatus.SUFFICIENT}
        tasks = tuple(task.model_copy(update=covered) for task in (await self.context.state(self.name)).tasks)
        await self._change(tasks=tasks, current_task=None, risk=Risk())
        await self._say("이야기하니 조금 나아요.")
        await self._keep_checkpoint()
        await self._job(carry_out, CreatedDocument(self.name, "part_transitions", "1-2"))
        await self._job(supervise, self._task(JobKind.SUPERVISE))
        await self._job(replan, CreatedDocument(self.name, "planner_feedback", "4-supervisor"))
        await self._change(watermarks=Watermarks(), message_count=20)
        for kind in (JobKind.REVIEW, JobKind.SUMMARIZE):
            await self._job(dispatch, self._task(kind))
        await self._job(give_up, self._task(JobKind.SUPERVISE))
        await Sweep(self.store, self.context.policy, self.queue, self.clock).run()
        await self._ask("POST", f"/api/conversations/{self.name}/end")
        await self._job(dispatch, self._task(JobKind.CLOSE, 0))
        rating = {"rating": 5, "comment": "고마웠어요."}
        await self._ask("POST", f"/api/conversations/{self.name}/satisfaction", rating)
        await self._ask("GET", "/api/review", user=REVIEWER)
        case = f"/api/review/{self.name}"
        look = (await self._ask("GET", f"{case}?purpose=safety_review", user=REVIEWER))["look"]
        await self._ask("POST", f"{case}/seen", {"note": "안내가 나간 것을 확인했어요.", "look": look}, user=REVIEWER)
        own = f"/api/conversations/{self.name}/messages"
        for path in ("/api/conversations", own, "/api/me/measures", "/api/me/export"):
            await self._ask("GET", path)
        await self._book()
        await self.store.conversations_of(USER, since=self.clock.now())
        await self._ask("PUT", "/api/me/consents", {"consents": {"overseas_transfer": False}})
        await erase_everything(self.store, USER)
        await self.store.erasures_of(USER)

    async def _book(self):
        appointments, start = DocumentAppointments(self.database), self.clock.now() + timedelta(days=7)
        hour = timedelta(hours=1)
        wanted = appointment(USER, start, conversation_id=self.name, now=self.clock.now())
        await appointments.book(wanted, 1)
        await appointments.taken(start, start + hour)
        await appointments.cancel(USER, wanted.booking_id, self.clock.now())

    async def _keep_checkpoint(self):
        text = parse("제5조(비밀보장)\n비밀로 합니다.", id="service", version="1", title="동의서", locale=Locale.KO)
        kept_until = self.clock.now() + timedelta(days=1)
        state = SearchState.begin(text, "제5조가 뭐야?")
        await DocumentCheckpoints(self.database).save_checkpoint(self.name, "m9", state, kept_until)

    async def _ask(self, method, path, body=None, user=USER, **more):
        headers = {"Authorization": f"Bearer {user}"}
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test", headers=headers) as client:
            response = await client.request(method, path, json=body, **more)
        assert response.status_code < 300, response.text
        return response.json() if response.content else None

    async def _say(self, text):
        message = {"message_id": f"00000000-0000-4000-8000-{len(self.database.writes):012}", "text": text}
        await self._ask("POST", f"/api/conversations/{self.name}/chat", message)

    async def _change(self, **fields):
        read = (await self.store.load(self.name)).session
        state = read.state.model_copy(update=fields)
        await self.store.save_state(Versioned(state, read.version), self.context.policy.view(state))

    async def _job(self, work, job):
        assert await work(self.context, job) is JobResult.DONE

    def _task(self, kind, seq=4):
        return TaskPayload(conversation_id=self.name, kind=kind, seq=seq, state_version=0)
