"""Environments of the runner's child processes: the variables of the cloud, with local addresses."""

from collections.abc import Mapping

from local.emulators.addresses import Addresses
from local.ports import HOST
from shared.config.settings import LocalSettings

LOCATION = "asia-northeast3"
"""Region of the queues; any works."""
QUEUES = ("chat", "supervisor", "planner", "session-manager")
_PASSED_ON = (
    "PATH",
    "HOME",
    "LANG",
    "LC_",
    "PYTHON",
    "VIRTUAL_ENV",
    "SSL_CERT",
    "TMPDIR",
    "CBOT_",
    "GEMINI_",
    "GOOGLE_",
    "OTEL_",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
    "NO_PROXY",
    "no_proxy",
    "REQUESTS_CA_BUNDLE",
)
"""Prefixes of the variables that children inherit from the runner."""


def account(project: str, name: str) -> str:
    """Return a service account's e-mail."""
    return f"{name}@{project}.iam.gserviceaccount.com"


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the inherited variables: none for another platform, and no proxy for loopback."""
    kept = {name: value for name, value in environment.items() if name.startswith(_PASSED_ON)}
    direct = {name: ",".join(filter(None, [kept.get(name), HOST])) for name in ("NO_PROXY", "no_proxy")}
    return kept | direct


def function_variables(
    settings: LocalSettings, addresses: Addresses, page: str, auth: str = ""
) -> dict[str, dict[str, str]]:
    """Return the variables of the functions' settings, by function.

    Args:
        settings: Project and limits.
        addresses: Addresses of all parts.
        page: Origin of the pages that call `chat` from a browser.
        auth: `host:port` of the Auth emulator, if it runs.
    """
    project = settings.project
    shared = {
        "CBOT_PROJECT": project,
        "FIRESTORE_EMULATOR_HOST": f"{HOST}:{addresses.firestore}",
        "CLOUD_TASKS_EMULATOR_HOST": f"{HOST}:{addresses.tasks}",
        "CBOT_TASKS_LOCATION": LOCATION,
        "CBOT_TASKS_SERVICE_ACCOUNT": account(project, "tasks-invoker"),
        "CBOT_ANSWER_URL": addresses.url("chat", "answer_waiting"),
        "CBOT_SUPERVISOR_URL": addresses.url("supervisor", "supervise"),
        "CBOT_PLANNER_URL": addresses.url("planner", "plan"),
        "CBOT_SESSION_MANAGER_URL": addresses.url("session_manager", "manage_session"),
        "CBOT_INVOKERS": ",".join(account(project, f"{who}-invoker") for who in ("tasks", "eventarc", "scheduler")),
        "CBOT_OIDC_CERTS_URL": f"http://{HOST}:{addresses.events}/certs",
        "CBOT_UNSIGNED_TOKENS": "" if auth else "1",
        "FIREBASE_AUTH_EMULATOR_HOST": auth,
        "CBOT_ORIGINS": ",".join([page, *settings.origins]),
        "CBOT_MAX_WAITING_MESSAGES": str(settings.waiting),
        "CBOT_MESSAGES_PER_MINUTE": str(settings.per_minute),
        "CBOT_CALLS_PER_CONVERSATION": str(settings.llm_calls),
        "CBOT_CONVERSATIONS_PER_HOUR": str(settings.conversations_per_hour),
        "CBOT_USER_MESSAGES_PER_MINUTE": str(settings.user_per_minute),
        "CBOT_USER_MESSAGES_PER_DAY": str(settings.user_per_day),
        "CBOT_USER_WON_PER_DAY": str(settings.user_won_per_day),
        "CBOT_USER_EXPORTS_PER_DAY": str(settings.user_exports_per_day),
        "CBOT_USER_READS_PER_MINUTE": str(settings.user_reads_per_minute),
        "CBOT_OPERATOR_NAME": settings.operator_name or "",
        "CBOT_OPERATOR_CONTACT": settings.operator_contact or "",
    }
    return {name: shared | {"CBOT_AUDIENCES": f"{addresses.url(name)}/*"} for name in addresses.functions}
