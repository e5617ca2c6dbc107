"""The settings of a deployed page, as Terraform's output `web` gives them."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from infra.staging.errors import StagingError

Origin = Annotated[str, Field(pattern=r"^https://[a-z0-9.-]+$")]
Host = Annotated[str, Field(pattern=r"^[a-z0-9.-]+$")]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class FirebaseApp(_Settings):
    """The registered web app; its names are the SDK's."""

    api_key: str = Field(alias="apiKey", pattern=r"^[A-Za-z0-9_-]+$")
    app_id: str = Field(alias="appId", pattern=r"^1:[0-9]+:web:[0-9a-f]+$")
    auth_domain: Host = Field(alias="authDomain")
    project_id: str = Field(alias="projectId", pattern=r"^[a-z][a-z0-9-]{4,28}[a-z0-9]$")


class WebSettings(_Settings):
    """What the page is to know.

    Attributes:
        api: The chat function's own address: Hosting would buffer its streams.
        google: Whether the page offers to link a Google account.
        app_check: Site key of reCAPTCHA Enterprise; empty without App Check.
    """

    api: Origin
    database: str = "(default)"
    google: bool = False
    app_check: str = Field(default="", pattern=r"^[A-Za-z0-9_-]*$")
    firebase: FirebaseApp

    @classmethod
    def of(cls, file: Path) -> "WebSettings":
        """Read a file.

        Raises:
            StagingError: A setting is missing or wrong.
        """
        try:
            return cls.model_validate_json(file.read_bytes())
        except ValidationError as error:
            found = error.errors(include_url=False, include_input=False, include_context=False)
            raise StagingError(
                [f"{file}: {'.'.join(map(str, one['loc'])) or 'not JSON'}: {one['msg']}" for one in found]
            ) from None

    def config(self, version: str) -> dict[str, object]:
        """Return the page's config.json (web/js/config.js)."""
        return {"auth": "firebase", **self.model_dump(by_alias=True), "version": version}
