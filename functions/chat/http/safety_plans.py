"""Handlers of the caller's safety plan."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, caller_of
from shared.contracts.rating import HelpNamed
from shared.contracts.safety_plan import ChangeSafetyPlan, KeptSafetyPlan, SafetyPlanSteps, SafetyPlanView
from shared.domain.counseling.safety_plan import PlanStep, SafetyPlan
from shared.safety.levels import CrisisOutcome
from shared.safety.needs import needs_of
from shared.web.answers import answer, nothing
from shared.web.danger import DangerNotice, note_danger
from shared.web.negotiation import locale_of
from shared.web.requests import fitted, read_json
from shared.web.text import clean


async def get_safety_plan(api: ChatApi, request: Request) -> Response:
    """Show the caller's safety plan and the help lines."""
    caller = await caller_of(api, request)
    return answer(_view(api, request, await api.safety_plans.of(caller)))


async def change_safety_plan(api: ChatApi, request: Request) -> Response:
    """Replace the caller's safety plan; steps that tell of a danger are not kept, and help is named."""
    caller = await caller_of(api, request)
    given = fitted(await read_json(request), ChangeSafetyPlan)
    steps = {step: clean(getattr(given.steps, step.value)) for step in PlanStep}
    screened = api.screening.screen("\n".join(filter(None, steps.values())))
    if screened.pressing:
        note_danger(request.scope, DangerNotice(screened.needs))
    changed = await api.safety_plans.change(caller, steps)
    view = _view(api, request, changed.plan).model_copy(update={"not_kept": changed.not_kept})
    if screened.outcome is not CrisisOutcome.NONE:
        message, resources = api.texts.help(DangerNotice(screened.needs), locale_of(request))
        view = view.model_copy(update={"help": HelpNamed(message=message, resources=resources)})
    return answer(view)


async def delete_safety_plan(api: ChatApi, request: Request) -> Response:
    """Delete the caller's safety plan; may be repeated."""
    await api.safety_plans.delete(await caller_of(api, request))
    return nothing()


def _view(api: ChatApi, request: Request, plan: SafetyPlan | None) -> SafetyPlanView:
    _, resources = api.texts.help(DangerNotice(needs_of(CrisisOutcome.CRISIS)), locale_of(request))
    return SafetyPlanView(plan=_kept(plan) if plan else None, resources=resources)


def _kept(plan: SafetyPlan) -> KeptSafetyPlan:
    steps = SafetyPlanSteps(**{step.value: words for step, words in plan.steps.items()})
    return KeptSafetyPlan(version=plan.version, updated_at=plan.updated_at, steps=steps)
