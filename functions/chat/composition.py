"""Builds the chat function over a platform: use cases, turns and endpoints."""

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from importlib.metadata import version

from functions.chat.flows.agreement.flow import agreement
from functions.chat.flows.agreement.nodes import WITHIN_S, EmbeddingTools, Tools, plain_tools
from functions.chat.flows.booking.manifest import booking
from functions.chat.flows.counseling.farewell import farewell
from functions.chat.flows.counseling.opening import greeting_without, open_session
from functions.chat.http.api import ChatApi
from functions.chat.http.app import build_app
from functions.chat.parts import ChatParts, Platform
from functions.chat.turn import ChatTurn
from functions.chat.use_cases.ages import AgePropagation
from functions.chat.use_cases.bookings import Bookings
from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.conversation_lifecycle import ConversationLifecycle
from functions.chat.use_cases.danger import DangerReports
from functions.chat.use_cases.documents import TRIES_A_MINUTE, Documents
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.erasure_propagation import ErasurePropagation
from functions.chat.use_cases.export import ExportLimits
from functions.chat.use_cases.measures import Measures
from functions.chat.use_cases.reminders import Reminders
from functions.chat.use_cases.review import StaffReviews
from functions.chat.use_cases.rights_audit_log import RightsAuditLog
from functions.chat.use_cases.safety_plans import SafetyPlans
from shared.adapters.document_files.reader import ProcessFileReader
from shared.config.agents import AgentModels, agent_models
from shared.config.settings import ChatSettings, ModelAccess
from shared.content import catalogue
from shared.content.catalogue import Content
from shared.content.schemas.consents import Operator
from shared.domain.agreement.search import Fusion
from shared.domain.counseling.session import Session
from shared.domain.ids import ConversationId
from shared.engine.admission import Admission, Limits
from shared.engine.capacity import LEAST_SHARE, SHARES, Capacity
from shared.engine.flow import Manifest
from shared.engine.read_limits import ReadLimits
from shared.engine.runner import AgentRunner
from shared.engine.turn_worker import TurnWorker
from shared.engine.turns import Turns
from shared.engine.user_usage import UserLimits, UserUsage
from shared.locale import Locale, Register
from shared.services.counseling.policy import CounselingPolicy
from shared.services.nearest_passages import DOCUMENT_S, NearestPassages
from shared.web.problem_texts import ContentProblemTexts


def compose(platform: Platform, settings: ChatSettings, access: ModelAccess) -> ChatParts:
    """Build the function over a platform; `ConfigError` is raised if the agents' settings are wrong."""
    content = catalogue.content()
    store, queue, clock, ids = platform.store, platform.queue, platform.clock, platform.ids
    policy = CounselingPolicy(content)
    models = agent_models(access)
    runner = AgentRunner(platform.model, models.by_agent, clock, platform.tracer, models.patience)
    before = timedelta(minutes=content.booking_calendar.remind_minutes)
    reminders = Reminders(platform.appointments, queue, clock, before)
    plans = SafetyPlans(store, clock, ids, content.safety_plan, content.consents)
    operator = Operator.named(settings.operator_name, settings.operator_contact)
    documents = Documents(
        store=store,
        reader=ProcessFileReader(),
        clock=clock,
        ids=ids,
        consents=content.consents,
        agreements=lambda: content.agreements,
        tries=ReadLimits(clock, TRIES_A_MINUTE),
        operator=operator,
    )
    minute, day, won = settings.user_per_minute, settings.user_per_day, settings.user_won_per_day
    usage = UserUsage(clock, UserLimits(per_minute=minute, per_day=day, won_per_day=won))
    age_heard = AgePropagation(store, policy, clock).heard
    others = _other_services(platform, content, reminders, documents, _tools(platform, models, usage))
    # An early reply is begun for the sake of a second, and a slow model would be asked one thing more at a time.
    talk = ChatTurn(content, others, age_heard, plans, early=models.patience == 1)
    turns = _turns(platform, settings, runner, content, talk, usage)
    consents = ConsentChanges(store, policy, queue, clock, ids, content.consents, stop=turns.stop, operator=operator)
    service = ConversationLifecycle(
        store=store,
        policy=policy,
        queue=queue,
        clock=clock,
        open_session=lambda user, request, now, known: open_session(
            content, ConversationId(ids.new_id()), user, request, now, known
        ),
        closing_text=lambda state: farewell(content, state),
        consents=content.consents,
        consent_changes=consents,
        per_hour=settings.conversations_per_hour,
    )
    propagation = ErasurePropagation(store, policy, clock, partial(greeting_without, content))
    erasure_requests = ErasureRequests(store, propagation, queue, clock, ids, stop=turns.stop)
    api = ChatApi(
        store=store,
        turns=turns,
        identity=platform.identity,
        service=service,
        consents=consents,
        erasure_requests=erasure_requests,
        rights_audit_log=RightsAuditLog(store, clock, ids),
        exports=ExportLimits(store, clock, settings.user_exports_per_day),
        reads=ReadLimits(clock, settings.user_reads_per_minute),
        reviews=StaffReviews(store, policy, clock, ids),
        dangers=DangerReports(store, policy, clock, content.screening),
        measures=Measures(store, policy, clock, content),
        safety_plans=plans,
        bookings=Bookings(platform.appointments, clock, content),
        documents=documents,
        clock=clock,
        screening=content.screening,
        texts=ContentProblemTexts(content),
        version=version("cbot"),
        model=platform.model,
        origins=settings.origins,
        app_check=platform.app_check,
    )
    app = build_app(api)
    return ChatParts(
        app, turns, erasure_requests, consents, reminders, platform, models.names, content, settings.grace_s
    )


def _other_services(
    platform: Platform, content: Content, reminders: Reminders, documents: Documents, tools: Tools
) -> Sequence[Manifest[Session]]:
    """Return the services beside the counselling, which keeps whoever may be in danger: they need no safety gate."""
    agreements = agreement(
        content,
        documents,
        platform.clock,
        forms=lambda: tuple(content.agreements.standards.values()),
        checkpoints=platform.checkpoints,
        tools=tools,
    )
    return agreements, booking(content, platform.appointments, booked=reminders.schedule)


def _tools(platform: Platform, models: AgentModels, usage: UserUsage) -> Tools:
    if platform.embedder is None:
        return plain_tools
    of, patience = models.catalogue.embedding, models.patience
    nearest = NearestPassages(platform.embedder, platform.vectors, platform.tracer, usage.owe, DOCUMENT_S * patience)
    return EmbeddingTools(nearest, Fusion(weight=of.weight, close=of.close), WITHIN_S * patience)


def _turns(
    platform: Platform, settings: ChatSettings, runner: AgentRunner, content: Content, talk: ChatTurn, usage: UserUsage
) -> Turns[Session]:
    store, clock, instance = platform.store, platform.clock, platform.ids.new_id()
    limits = Limits(waiting=settings.waiting, per_minute=settings.per_minute, llm_calls=settings.llm_calls)
    required = content.consents.required
    capacity = Capacity(settings.turns, share=max(LEAST_SHARE, settings.turns // SHARES))
    admission = Admission(store, clock, limits, instance, required, capacity=capacity, usage=usage)
    worker = TurnWorker(
        store, platform.queue, talk, CounselingPolicy(content), runner, partial(_label, content), usage, talk.hooks
    )
    return Turns(store, admission, worker, clock, instance)


def _label(content: Content, locale: Locale, register: Register, agent: str, attempt: int) -> str:
    return content.messages(locale, register).label(agent, attempt)
