"""Tells operators what to change when a model refuses or does not answer, in one log line."""

from shared.domain.errors import (
    ModelAccessDenied,
    ModelError,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelTimeout,
    Refusal,
)

_DENIED = {
    Refusal.KEY: "the Gemini API does not accept the key: set a valid GEMINI_API_KEY",
    Refusal.CREDENTIALS: "no valid credentials (401): check the key, or give the account roles/aiplatform.user",
    Refusal.PERMISSION: "the key or account may not use the API (403): enable it and its billing, or use another key",
    Refusal.LOCATION: "Google does not serve the Gemini API here: run elsewhere, or use Vertex AI in a served region",
    Refusal.ADDRESS: "the address does not know the path: set GOOGLE_GENAI_API_VERSION (v1beta, v1) to what it serves, "
    "or another GOOGLE_GEMINI_BASE_URL or model",
}


def denied(error: ModelAccessDenied) -> str:
    """Advise on a refusal of our access."""
    status = f" ({error.reason})" if error.refusal is Refusal.ADDRESS else ""
    return f"{_DENIED[error.refusal]}{status}"


def refused(model: str, agent: str, error: ModelRejected) -> str:
    """Advise on a model that refuses requests."""
    if isinstance(error, ModelAccessDenied):
        return denied(error)
    if isinstance(error, ModelNotFound):
        where = "agents.yaml, CBOT_AGENTS_FILE or CBOT_MODEL"
        return f"{model} is not served (404): set another in {where}; make check-model shows what is"
    return f"{model} refuses what {agent or 'CBot'} sends ({error.reason}): make check-model shows its words"


def silent(error: ModelError) -> str:
    """Advise on a model that does not answer."""
    match error:
        case ModelRateLimited():
            return "answers 429: raise its quota or the billing, or set another model"
        case ModelTimeout():
            return "does not answer in time: see Google's status page, or set another model"
        case _:
            return "cannot be reached: check the network, a proxy, GOOGLE_GEMINI_BASE_URL, Google's status page"
