"""A small agreement with a standard form, and conversations about it on a scripted model."""

from datetime import timedelta

from functions.chat.flows.agreement.agents import EVALUATOR, TOOL_PLANNER, TRIAGE
from functions.chat.flows.agreement.flow import AgreementFlow
from shared.content.catalogue import content
from shared.contracts.events import Replace, Token
from shared.domain.agreement.parsing import parse
from shared.domain.agreement.search import Index
from shared.domain.agreement.tools import Library
from shared.domain.agreement.upload import UploadedDocument
from shared.domain.event import apply_all
from shared.engine.flow import Turn
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.engine.send_budget import TURN_SENDS, SendBudget
from shared.engine.turn_worker import ANALYSIS_SECONDS, FIRST_WORD_SECONDS, TURN_SECONDS
from shared.locale import Locale
from shared.ports.document_source import Named
from tests.builders.answers import answer
from tests.builders.sessions import NOW, session
from tests.builders.shipped_settings import shipped_settings
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

TEXT = """상담 이용 동의서

제1장 상담
제4조(상담 시간)
① 상담은 한 번에 50분입니다.
② 예약은 24시간 전까지 바꿀 수 있습니다.
제5조(비밀보장)
① 상담 내용은 비밀로 합니다.
② 다음 각 호의 때에는 비밀을 지키지 못합니다.
1. 법원의 영장이 있는 때
2. 생명이 위험한 때
제5조의2(기록의 보관)
① 상담 기록은 1년 동안 보관합니다.
제10조(계약의 해지)
① 이용자는 언제든 해지할 수 있습니다.
② 해지하면 제12조에 따라 돈을 돌려드립니다.
제12조(환불)
① 남은 회기의 요금을 7일 안에 돌려드립니다.
[별지 1] 연락처
전화 02-000-0000
"""
STANDARD = """제1조(상담 시간)
① 상담은 한 번에 50분이며 예약은 24시간 전까지 바꿀 수 있습니다.
제3조(비밀보장)
① 상담자는 상담 내용을 비밀로 하며 법원의 영장이 있거나 생명이 위험한 때에는 비밀을 지키지 못합니다.
제5조(기록의 보관)
① 상담 기록은 3년 동안 보관합니다.
제7조(계약의 해지)
① 내담자는 14일 전에 알리고 언제든 해지할 수 있습니다.
"""


def document(text=TEXT, **more):
    return parse(text, **{"id": "service", "version": "1", "title": "상담 이용 동의서", "locale": Locale.KO, **more})


def upload(name="d1", user_id="u1", chunks=1, minutes=0):
    """Return what is stored of an uploaded document."""
    return UploadedDocument(
        document_id=name, user_id=user_id, title="계약서", file_name="계약서.docx", kind="docx", size=10,
        locale=Locale.KO, version="v1", passages=1, chunks=chunks, created_at=NOW + timedelta(minutes=minutes),
    )  # fmt: skip


def form():
    return parse(STANDARD, id="standard", version="1", title="상담 표준계약서", locale=Locale.KO)


def library(text=TEXT):
    return Library(Index(document(text)), (form(),))


class Shelf:
    """A source of documents in memory."""

    def __init__(self, *documents):
        self.documents = {one.id: one for one in documents or (document(),)}

    async def get(self, document_id, user_id, locale):
        return self.documents.get(document_id)

    async def own(self, user_id):
        return [Named(one.id, one.title) for one in reversed(self.documents.values()) if one.id != "service"]


class MemoryCheckpoints:
    """Checkpoints in memory; may `die` right after so many were kept."""

    def __init__(self):
        self.kept = {}
        self.saved = []
        self.dies_after = None

    async def checkpoint(self, conversation_id, message_id, model):
        found = self.kept.get((conversation_id, message_id))
        return None if found is None else model.model_validate_json(found)

    async def save_checkpoint(self, conversation_id, message_id, state, expire_at):
        self.kept[conversation_id, message_id] = state.model_dump_json()
        self.saved.append(state.done)
        if len(self.saved) == self.dies_after:
            raise Killed

    async def end_checkpoint(self, conversation_id, message_id):
        self.kept.pop((conversation_id, message_id), None)


class Killed(BaseException):
    """The process died."""


class Asking:
    """A conversation that asks about an agreement."""

    def __init__(self, scripts=None, *, documents=(), checkpoints=None, **state):
        self.clock, self.model = SettableClock(), ScriptedModel(scripts or {})
        self.clock.advance((NOW - self.clock.now()).total_seconds())
        self.runner = AgentRunner(self.model, shipped_settings(), self.clock)
        self.flow = AgreementFlow(content(), Shelf(*documents), self.clock, lambda: (form(),), checkpoints)
        self.state = session(flow="agreement", **state)
        self.events, self.ledger, self.turns = [], None, 0

    async def ask(self, text, message_id=None, *, sends=TURN_SENDS, **turn):
        """Return the outcome of a question; its events are applied."""
        self.turns += message_id is None
        self.events, now = [], self.clock.monotonic()
        scope = Scope(
            locale=self.state.locale,
            deadline=now + TURN_SECONDS,
            answers_by=now + ANALYSIS_SECONDS,
            first_word_by=now + FIRST_WORD_SECONDS,
            sends=SendBudget(sends),
            emit=self.events.append,
        )
        self.ledger = scope.ledger
        identifier = message_id or f"m{self.turns}"
        given = Turn(self.state, self.turns, identifier, text, self.clock.now(), self.runner, scope, **turn)
        outcome = await self.flow.run(given)
        self.state = apply_all(self.state, outcome.events, self.clock.now())
        self.clock.advance(timedelta(minutes=1).total_seconds())
        return outcome

    @property
    def shown(self):
        """The text that the listener sees in the end."""
        text = ""
        for event in self.events:
            if isinstance(event, Replace):
                text = event.text
            elif isinstance(event, Token):
                text += event.text
        return text

    @property
    def asked(self):
        return [request.agent.removeprefix("agreement_") for request in self.model.requests]


def log_of(outcome):
    """Return the decision log, one line per entry."""
    return [
        f"{one['round']} {one['node']} → {one['verdict']} ({one['by']}) {' '.join(one['what'])}".strip()
        for one in outcome.directive["decisions"]
    ]


def triage(*, in_scope=True, needs_tools=True):
    return answer(TRIAGE, in_scope=in_scope, needs_tools=needs_tools, reason="질문의 뜻")


def plan(tool, **args):
    whole = TOOL_PLANNER.safe_default.args.model_dump(mode="json")
    return answer(TOOL_PLANNER, tool=tool, args={**whole, **args}, reason="다음에 볼 것")


def enough(sufficient=True, missing=""):
    return answer(EVALUATOR, sufficient=sufficient, missing=missing, reason="읽은 조항을 봄")
