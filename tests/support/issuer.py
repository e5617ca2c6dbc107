"""An issuer of signed tokens, as Google is one: keys of its own, and the address where it publishes them."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import cache
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from local.listening import InLoopServer, bound
from local.ports import free_port

SIX_HOURS = {"Cache-Control": "public, max-age=21600, must-revalidate, no-transform"}


@cache
def private_key(name: str) -> RSAPrivateKey:
    """Return the key of that name, the same one within a run; `weak` is too short to be of use."""
    return generate_private_key(65537, 1024 if name == "weak" else 2048)


def published(name: str, **changes: str) -> dict[str, str]:
    jwk: dict[str, str] = jwt.algorithms.RSAAlgorithm.to_jwk(private_key(name).public_key(), as_dict=True)
    kept = {field: jwk[field] for field in ("kty", "n", "e")}
    return {**kept, "use": "sig", "alg": "RS256", "kid": name, **changes}


def signed(claims: Mapping[str, Any], name: str, key_id: str | None = None, **headers: Any) -> str:
    """Return a token that the key of that name has signed, with any claims."""
    # not jwt.encode, which refuses to write some of the claims that a verifier must be able to refuse
    payload = json.dumps(claims).encode()
    return jwt.PyJWS().encode(payload, private_key(name), algorithm="RS256", headers={"kid": key_id or name, **headers})


class Issuer:
    """The address of the keys `names`: an ASGI application that tests make slow, wrong or dead.

    `body` is said instead of the key set; while `answering` is cleared, no request gets an answer.
    """

    def __init__(self, names: Sequence[str] = ("first",)) -> None:
        self.names = list(names)
        self.body: bytes | None = None
        self.status = 200
        self.headers: dict[str, str] = dict(SIX_HOURS)
        self.answering = asyncio.Event()
        self.answering.set()
        self.fetches = 0
        self.endless = False
        self.address = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.fetches += 1
        await self.answering.wait()
        await self._answer(Request(scope))(scope, receive, send)

    def _answer(self, request: Request) -> Response:
        assert request.headers["accept-encoding"] == "identity"
        if self.endless:
            return StreamingResponse(_drip(), headers=self.headers)
        body = self.body
        if body is None:
            body = json.dumps({"keys": [published(name) for name in self.names]}).encode()
        return Response(body, self.status, self.headers, media_type="application/json")


async def _drip() -> AsyncGenerator[bytes, None]:
    while True:
        yield b" " * 1024
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def running_issuer(*names: str) -> AsyncGenerator[Issuer, None]:
    issuer = Issuer(names or ("first",))
    server = InLoopServer(issuer, bound(0), grace_seconds=1)
    issuer.address = f"{server.address}/keys"
    server.start()
    try:
        yield issuer
    finally:
        issuer.answering.set()
        await server.stop()


def free_address() -> str:
    return f"http://127.0.0.1:{free_port()}/keys"
