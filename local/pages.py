"""The local web client, sign-in without a password, and the chat function below `/api`."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import jwt
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from local.own_hosts import own_hosts_only
from shared.ports.clock import Clock, IdSource

WEB = Path(__file__).parent.parent / "web"
VENDOR = Path(__file__).parent.parent / "build" / "vendor"
"""The Firebase SDK as the page loads it (`make vendor`)."""
TOKEN_SECONDS = 3600
"""Lifetime of a token, like Firebase's."""
_UID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_ROLE = re.compile(r"[a-z_]{1,32}")
_FUNCTION_PATHS = ("/api", "/healthz", "/openapi.json")
_POLICY = "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'"
_SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-cache"),
)


@dataclass(frozen=True)
class Elsewhere:
    """What the page calls at other addresses than its own.

    Attributes:
        api: The chat function, if it is not at the page's address.
        auth: The Auth emulator, `http://host:port`, if users sign in with the Firebase SDK.
        firestore: The Firestore emulator, `host:port`, which pushes the state of conversations.
    """

    api: str = ""
    auth: str = ""
    firestore: str = ""

    @property
    def origins(self) -> str:
        """Return the origins for the policy."""
        firebase = (self.auth, f"http://{self.firestore}") if self.auth else ()
        return " ".join(filter(None, [self.api, *firebase]))

    def config(self, project: str) -> dict[str, object]:
        """Return the page's settings (web/js/config.js); the emulators take any API key."""
        own: dict[str, object] = json.loads((WEB / "config.json").read_text("utf-8"))
        if not self.auth:
            return own | {"api": self.api}
        return own | {
            "api": self.api,
            "auth": "firebase",
            "firebase": {"apiKey": "emulated", "projectId": project},
            "emulators": {"auth": self.auth, "firestore": self.firestore},
        }


HERE = Elsewhere()


def front(
    chat: ASGIApp, project: str, clock: Clock, ids: IdSource, *, demo: bool, more: Sequence[BaseRoute] = ()
) -> ASGIApp:
    """Return the application with pages and chat function on one port, for callers on this machine."""
    inner, rest = own_hosts_only(chat), pages(project, clock, ids, demo=demo, more=more)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        inside = any(path == prefix or path.startswith(f"{prefix}/") for prefix in _FUNCTION_PATHS)
        await (inner if inside else rest)(scope, receive, send)

    return app


def pages(
    project: str,
    clock: Clock,
    ids: IdSource,
    *,
    demo: bool,
    elsewhere: Elsewhere = HERE,
    more: Sequence[BaseRoute] = (),
) -> ASGIApp:
    """Return the web client with its sign-in, for callers on this machine.

    Args:
        project: Project of the tokens.
        clock: For the tokens' times.
        ids: For new users.
        demo: Whether the model is the simulator: the page states it, and offers stories (`trial_routes`).
        elsewhere: What the page calls at other addresses; by default nothing, and users sign in here.
        more: Further routes.
    """

    async def sign_in(request: Request) -> JSONResponse:
        """Return an unsigned token for any requested user and role."""
        wanted = await _wanted(request)
        uid = wanted.get("uid") or ids.new_id()
        now = int(clock.now().timestamp())
        claims = {
            **({"role": wanted["role"]} if "role" in wanted else {}),
            "iss": f"https://securetoken.google.com/{project}",
            "aud": project,
            "sub": uid,
            "iat": now,
            "auth_time": now,
            "exp": now + TOKEN_SECONDS,
        }
        token = jwt.encode(claims, key="", algorithm="none")
        return JSONResponse({"id_token": token, "uid": uid, "expires_in": TOKEN_SECONDS})

    async def info(_request: Request) -> JSONResponse:
        """Return the page's configuration."""
        return JSONResponse({"demo": demo, "version": version("cbot"), "api": elsewhere.api or None})

    async def config(_request: Request) -> JSONResponse:
        """Return where the page finds its servers."""
        return JSONResponse(elsewhere.config(project))

    others = elsewhere.origins
    policy = f"{_POLICY}; connect-src 'self' {others}" if others else _POLICY
    routes = [
        Route("/local/sign-in", sign_in, methods=["POST"]),
        Route("/local/info", info, methods=["GET"]),
        Route("/config.json", config, methods=["GET"]),
        *([Mount("/vendor", StaticFiles(directory=VENDOR, check_dir=False))] if elsewhere.auth else []),
        *more,
        Mount("/", StaticFiles(directory=WEB, html=True)),
    ]
    return _with_headers(
        own_hosts_only(Starlette(routes=routes)),
        ((b"content-security-policy", policy.encode()), *_SECURITY_HEADERS),
    )


async def _wanted(request: Request) -> dict[str, str]:
    """Return the requested user and role; invalid values are ignored."""
    try:
        body = await request.json()
    except ValueError:
        return {}
    if not isinstance(body, dict):
        return {}
    forms = {"uid": _UID, "role": _ROLE}
    found = ((name, body.get(name), form) for name, form in forms.items())
    return {name: value for name, value, form in found if isinstance(value, str) and form.fullmatch(value)}


def _with_headers(app: ASGIApp, headers: Sequence[tuple[bytes, bytes]]) -> ASGIApp:
    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *headers]
            await send(message)

        await app(scope, receive, add)

    return wrapped
