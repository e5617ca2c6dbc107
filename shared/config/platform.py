"""Settings of the platform: Firestore, Cloud Tasks, identities.

Settings that loosen a check (emulators, unsigned tokens, certificates of another address) are refused if `K_SERVICE` is
set, which Cloud Run and Cloud Functions set in every container.
"""

import re
from typing import Annotated, ClassVar, Self

from pydantic import AfterValidator, Field, field_validator, model_validator

from shared.config.addresses import require_web_address
from shared.config.settings import FromEnvironment, split_list

PROJECT = r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$"
HOST_AND_PORT = r"^[A-Za-z0-9.\-]+:[0-9]{1,5}$"
ACCOUNT = r"[A-Za-z0-9._\-]+@[A-Za-z0-9.\-]+"
AUDIENCE = r"(https?://[A-Za-z0-9.-]+(:[0-9]+)?|https://[A-Za-z0-9*-]+(\.[A-Za-z0-9-]+){2,})(/[^*]*\*?)?"


def _web_address(value: str) -> str:
    require_web_address(value)
    return value


WebAddress = Annotated[str, AfterValidator(_web_address)]


class CloudSettings(FromEnvironment):
    """Base of settings that must not set the variables of `LOCAL_ONLY` in the cloud."""

    LOCAL_ONLY: ClassVar[tuple[str, ...]] = ()

    service: str | None = Field(default=None, alias="K_SERVICE")

    @model_validator(mode="after")
    def _nothing_loosened_in_the_cloud(self) -> Self:
        fields = type(self).model_fields
        set_here = [str(fields[name].alias) for name in self.LOCAL_ONLY if getattr(self, name)]
        if self.service and set_here:
            raise ValueError(f"{', '.join(set_here)} must not be set in the cloud (K_SERVICE is set)")
        return self


class FirestoreSettings(CloudSettings):
    """The database. `FIRESTORE_EMULATOR_HOST` is the SDK's own variable."""

    LOCAL_ONLY = ("emulator",)

    project: str = Field(alias="CBOT_PROJECT", pattern=PROJECT)
    database: str = Field(default="(default)", alias="CBOT_FIRESTORE_DATABASE")
    emulator: str | None = Field(default=None, alias="FIRESTORE_EMULATOR_HOST", pattern=HOST_AND_PORT)


class QueueSettings(CloudSettings):
    """The queues, one per function, and the targets of their tasks.

    Attributes:
        service_account: Cloud Tasks signs its calls as this account; the functions accept no other.
    """

    LOCAL_ONLY = ("emulator",)

    project: str = Field(alias="CBOT_PROJECT", pattern=PROJECT)
    location: str = Field(alias="CBOT_TASKS_LOCATION", pattern=r"^[a-z]+-[a-z]+[0-9]+$")
    emulator: str | None = Field(default=None, alias="CLOUD_TASKS_EMULATOR_HOST", pattern=HOST_AND_PORT)
    service_account: str = Field(alias="CBOT_TASKS_SERVICE_ACCOUNT", pattern=r"^[^@\s]+@[^@\s]+$")
    chat_queue: str = Field(default="chat", alias="CBOT_CHAT_QUEUE")
    supervisor_queue: str = Field(default="supervisor", alias="CBOT_SUPERVISOR_QUEUE")
    planner_queue: str = Field(default="planner", alias="CBOT_PLANNER_QUEUE")
    session_manager_queue: str = Field(default="session-manager", alias="CBOT_SESSION_MANAGER_QUEUE")
    answer_url: str = Field(alias="CBOT_ANSWER_URL")
    supervisor_url: str = Field(alias="CBOT_SUPERVISOR_URL")
    planner_url: str = Field(alias="CBOT_PLANNER_URL")
    session_manager_url: str = Field(alias="CBOT_SESSION_MANAGER_URL")

    @field_validator("answer_url", "supervisor_url", "planner_url", "session_manager_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        require_web_address(value)
        return value


class SweepSettings(FromEnvironment):
    """Ages from which the sweep treats work and messages as lost, and its first pause after it enqueued work, seconds.

    Smaller values also find running work.
    """

    grace_s: float = Field(default=120.0, alias="CBOT_SWEEP_GRACE_SECONDS", gt=0)
    patience_s: float = Field(default=60.0, alias="CBOT_SWEEP_PATIENCE_SECONDS", gt=0)
    pause_s: float = Field(default=900.0, alias="CBOT_SWEEP_PAUSE_SECONDS", gt=0)


class ClaimSettings(FromEnvironment):
    """Lifetime of a claim of background work, seconds."""

    last_s: float = Field(default=20.0, alias="CBOT_CLAIM_SECONDS", gt=0)


class InvokerSettings(CloudSettings):
    """Callers of a background function.

    Attributes:
        invokers: E-mails of service accounts.
        audiences: Accepted audiences of their tokens: this function's own addresses. `*` stands for letters, digits,
            `-` and `_`, in the first label of a host or at the end: `https://planner-*.a.run.app`,
            `http://127.0.0.1:8081/*`.
        behind_iam: Cloud Run refuses calls without a verified token and removes the token's signature (if the service
            has no public access). Tokens without a signature are then trusted.
        certs_url: Public keys of the tokens' issuer, as a JSON Web Key Set; Google's unless an emulator signs.
    """

    LOCAL_ONLY = ("certs_url",)

    invokers: tuple[str, ...] = Field(alias="CBOT_INVOKERS", min_length=1)
    audiences: tuple[str, ...] = Field(alias="CBOT_AUDIENCES", min_length=1)
    behind_iam: bool = Field(default=False, alias="CBOT_INVOKERS_BEHIND_IAM")
    certs_url: WebAddress | None = Field(default=None, alias="CBOT_OIDC_CERTS_URL")

    _lists = field_validator("invokers", "audiences", mode="before")(split_list)

    @field_validator("invokers")
    @classmethod
    def _are_accounts(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(re.fullmatch(ACCOUNT, account) for account in value):
            raise ValueError("an invoker is a service account's e-mail address, with nothing left open")
        return value

    @field_validator("audiences")
    @classmethod
    def _are_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for audience in value:
            require_web_address(audience)
            if not re.fullmatch(AUDIENCE, audience):
                raise ValueError(
                    "`*` may stand in an https host's first label, if two more follow, and at a path's end"
                )
        return value

    @model_validator(mode="after")
    def _iam_is_the_clouds(self) -> Self:
        if self.behind_iam and not self.service:
            raise ValueError("CBOT_INVOKERS_BEHIND_IAM is for the cloud: K_SERVICE is not set, so nothing guards this")
        return self


class IdentitySettings(CloudSettings):
    """Authentication of the users of `chat`.

    Attributes:
        unsigned: Accept tokens without a signature, such as those of the local sign-in.
        emulator: The Firebase Auth emulator, by the SDKs' own variable: like them, accept its tokens, which have no
            signature. The emulator itself is not asked.
        certs_url: Public keys of Firebase's tokens; Google's unless a test signs.
        app_check: Refuse callers other than the registered apps (Firebase App Check).
        project_number: The project in App Check tokens.
        app_ids: Registered apps that may call; if empty, all.
        app_check_certs_url: Public keys of App Check's tokens; Google's unless a test signs.
    """

    LOCAL_ONLY = ("unsigned", "emulator", "certs_url", "app_check_certs_url")

    project: str = Field(alias="CBOT_PROJECT", pattern=PROJECT)
    unsigned: bool = Field(default=False, alias="CBOT_UNSIGNED_TOKENS")
    emulator: str | None = Field(default=None, alias="FIREBASE_AUTH_EMULATOR_HOST", pattern=HOST_AND_PORT)
    certs_url: WebAddress | None = Field(default=None, alias="CBOT_FIREBASE_CERTS_URL")
    app_check: bool = Field(default=False, alias="CBOT_APP_CHECK")
    project_number: str | None = Field(default=None, alias="CBOT_PROJECT_NUMBER", pattern=r"^[0-9]{6,20}$")
    app_ids: tuple[str, ...] = Field(default=(), alias="CBOT_APP_IDS")
    app_check_certs_url: WebAddress | None = Field(default=None, alias="CBOT_APP_CHECK_CERTS_URL")

    _lists = field_validator("app_ids", mode="before")(split_list)

    @model_validator(mode="after")
    def _app_check_names_the_project(self) -> Self:
        if self.app_check and not self.project_number:
            raise ValueError("CBOT_APP_CHECK needs CBOT_PROJECT_NUMBER")
        return self
