"""The endpoints of the caller's safety plan."""

from functions.chat.http import safety_plan
from functions.chat.http.api import ChatApi
from shared.contracts.safety_plan import ChangeSafetyPlan, SafetyPlanView
from shared.domain.errors import ConsentRequired, GuardianRequired
from shared.web.endpoint import Endpoint, Operation

PLAN = "/api/safety-plan"

OPERATIONS: tuple[Operation[ChatApi], ...] = (
    Operation(
        Endpoint(
            "GET", PLAN, "get_safety_plan", "Show the caller's safety plan and the help lines", response=SafetyPlanView
        ),
        safety_plan.show,
    ),
    Operation(
        Endpoint(
            "PUT",
            PLAN,
            "change_safety_plan",
            "Replace the caller's safety plan; steps that tell of a danger are not kept, and help is named",
            request=ChangeSafetyPlan,
            response=SafetyPlanView,
            errors=(ConsentRequired, GuardianRequired),
        ),
        safety_plan.change,
    ),
    Operation(
        Endpoint("DELETE", PLAN, "delete_safety_plan", "Delete the caller's safety plan; may be repeated", status=204),
        safety_plan.delete,
    ),
)
