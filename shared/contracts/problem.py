"""The body of every error of the chat API."""

from pydantic import BaseModel, ConfigDict

from shared.contracts.chat import ResourceView


class MissingConsent(BaseModel):
    """A consent that is to be given, and the version of its text (`GET /api/consents`)."""

    model_config = ConfigDict(frozen=True)

    id: str
    version: str


class Problem(BaseModel):
    """RFC 9457 problem details with a stable `code`.

    `consents` come with `consent_required`; `resources` when the refused message told of a danger, to be shown.
    """

    model_config = ConfigDict(frozen=True)

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str
    retry_after: int | None = None
    consents: tuple[MissingConsent, ...] | None = None
    resources: tuple[ResourceView, ...] | None = None
