"""Builds the chat function over a platform: use cases, turns and endpoints."""

from importlib.metadata import version

from functions.chat.flows.counseling.farewell import farewell
from functions.chat.flows.counseling.manifest import counseling
from functions.chat.flows.counseling.opening import greeting_without, open_session
from functions.chat.http.api import ChatApi
from functions.chat.http.app import build_app
from functions.chat.parts import ChatParts, Platform
from functions.chat.use_cases.ages import AgePropagation
from functions.chat.use_cases.consents import ConsentChanges
from functions.chat.use_cases.conversation_lifecycle import ConversationLifecycle
from functions.chat.use_cases.danger import DangerReports
from functions.chat.use_cases.erasure import ErasureRequests
from functions.chat.use_cases.erasure_propagation import ErasurePropagation
from functions.chat.use_cases.export_limits import ExportLimits
from functions.chat.use_cases.review import StaffReviews
from functions.chat.use_cases.rights_audit_log import RightsAuditLog
from shared.config.agents import agent_models
from shared.config.settings import ChatSettings, ModelAccess
from shared.content.catalogue import content
from shared.content.schemas.consents import Operator
from shared.domain.ids import ConversationId
from shared.engine.admission import Admission, Limits
from shared.engine.capacity import Capacity
from shared.engine.read_limits import ReadLimits
from shared.engine.router import FlowRouter
from shared.engine.runner import AgentRunner
from shared.engine.turn_worker import TurnWorker
from shared.engine.turns import Turns
from shared.engine.user_usage import UserLimits, UserUsage
from shared.services.counseling.policy import CounselingPolicy
from shared.web.problem_texts import ContentProblemTexts


def compose(platform: Platform, settings: ChatSettings, access: ModelAccess) -> ChatParts:
    """Build the function over a platform.

    Raises:
        ConfigError: The agents' settings are wrong.
    """
    models = agent_models(access.agents_file, model=access.model, fallback_model=access.fallback_model)
    runner = AgentRunner(platform.model, models.by_agent, platform.clock, platform.tracer)
    service_content = content()
    policy = CounselingPolicy(content().crisis_replies)
    ages = AgePropagation(platform.store, policy, platform.clock)
    # whatever is registered here has a safety gate of its own
    router = FlowRouter([counseling(service_content, ages.heard)])
    limits = Limits(waiting=settings.waiting, per_minute=settings.per_minute, llm_calls=settings.llm_calls)
    usage = UserUsage(
        platform.clock,
        UserLimits(
            per_minute=settings.user_per_minute,
            per_day=settings.user_per_day,
            won_per_day=settings.user_won_per_day,
        ),
    )
    instance = platform.ids.new_id()
    turns = Turns(
        platform.store,
        Admission(
            platform.store,
            platform.clock,
            limits,
            instance,
            service_content.consents.required,
            capacity=Capacity(settings.turns),
            usage=usage,
        ),
        TurnWorker(
            platform.store,
            platform.queue,
            router,
            policy,
            runner,
            lambda locale, register, *run: service_content.messages(locale, register).label(*run),
            usage,
        ),
        platform.clock,
        instance,
    )
    consent_changes = ConsentChanges(
        platform.store,
        policy,
        platform.queue,
        platform.clock,
        platform.ids,
        service_content.consents,
        stop=turns.stop,
        operator=_operator(settings),
    )
    service = ConversationLifecycle(
        store=platform.store,
        policy=policy,
        queue=platform.queue,
        clock=platform.clock,
        open_session=lambda user, request, now, known: open_session(
            service_content, ConversationId(platform.ids.new_id()), user, request, now, known
        ),
        closing_text=lambda state: farewell(service_content, state),
        consents=service_content.consents,
        consent_changes=consent_changes,
        per_hour=settings.conversations_per_hour,
    )
    propagation = ErasurePropagation(
        platform.store,
        policy,
        platform.clock,
        lambda state, text, erased: greeting_without(service_content, state, text, erased),
    )
    erasure_requests = ErasureRequests(
        platform.store, propagation, platform.queue, platform.clock, platform.ids, stop=turns.stop
    )
    api = ChatApi(
        store=platform.store,
        turns=turns,
        identity=platform.identity,
        service=service,
        consents=consent_changes,
        erasure_requests=erasure_requests,
        rights_audit_log=RightsAuditLog(platform.store, platform.clock, platform.ids),
        exports=ExportLimits(platform.store, platform.clock, settings.user_exports_per_day),
        reads=ReadLimits(platform.clock, settings.user_reads_per_minute),
        reviews=StaffReviews(platform.store, policy, platform.clock, platform.ids),
        dangers=DangerReports(platform.store, policy, platform.clock, service_content.screening),
        clock=platform.clock,
        screening=service_content.screening,
        texts=ContentProblemTexts(service_content),
        version=version("cbot"),
        model_health=platform.model.health,
        origins=settings.origins,
        app_check=platform.app_check,
    )
    return ChatParts(
        build_app(api),
        turns,
        erasure_requests,
        consent_changes,
        platform.model,
        models.names,
        platform.door,
        settings.grace_s,
    )


def _operator(settings: ChatSettings) -> Operator | None:
    if settings.operator_name is None or settings.operator_contact is None:
        return None
    return Operator(name=settings.operator_name, contact=settings.operator_contact)
