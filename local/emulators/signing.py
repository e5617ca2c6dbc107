"""Signs OIDC tokens of service accounts like Google, and publishes their public keys."""

import hashlib
import os
import tempfile
from pathlib import Path
from typing import Self

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from shared.domain.errors import ConfigError
from shared.ports.clock import Clock

ISSUER = "https://accounts.google.com"
LIFE_SECONDS = 3600
"""https://cloud.google.com/docs/authentication/token-types#id: ID tokens are valid for one hour."""
CERTS_MAX_AGE_SECONDS = 3600
_KEY_BITS = 2048
_ALGORITHM = "RS256"
_SUBJECT_DIGITS = 21


class OidcSigner:
    """Signs tokens with an RSA key that only this machine trusts."""

    def __init__(self, key: rsa.RSAPrivateKey, clock: Clock) -> None:
        self._key = key
        self._clock = clock
        public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
        self._key_id = hashlib.sha256(public["n"].encode()).hexdigest()[:40]
        self._public = {"kty": public["kty"], "n": public["n"], "e": public["e"]}

    @classmethod
    def generated(cls, clock: Clock) -> Self:
        """Return a signer with a temporary key."""
        return cls(_new_key(), clock)

    @classmethod
    def kept_in(cls, file: Path, clock: Clock) -> Self:
        """Return a signer with the key in a PEM file; the first caller creates it, readable by its owner only.

        Raises:
            ConfigError: The file cannot be created or read, or holds no RSA key.
        """
        try:
            if not file.exists():
                _publish(_new_key(), file)
            key = serialization.load_pem_private_key(file.read_bytes(), password=None)
        except OSError as error:
            raise ConfigError(f"signing key {file} cannot be used: {error.strerror}") from error
        except (ValueError, TypeError):
            raise ConfigError(f"signing key {file} holds no private key") from None
        if not isinstance(key, rsa.RSAPrivateKey):
            raise ConfigError(f"signing key {file} is no RSA key")
        return cls(key, clock)

    def token(self, audience: str, email: str) -> str:
        """Return an ID token of a service account, as a JWT.

        Args:
            audience: Address of the called function.
            email: The service account.
        """
        now = int(self._clock.now().timestamp())
        subject = _subject(email)
        claims = {
            "iss": ISSUER,
            "aud": audience,
            "azp": subject,
            "sub": subject,
            "email": email,
            "email_verified": True,
            "iat": now,
            "exp": now + LIFE_SECONDS,
        }
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM, headers={"kid": self._key_id})

    def jwks(self) -> dict[str, list[dict[str, str]]]:
        """Return the public key as a JSON Web Key Set, like https://www.googleapis.com/oauth2/v3/certs."""
        return {"keys": [{**self._public, "use": "sig", "alg": _ALGORITHM, "kid": self._key_id}]}


def certs_route(signer: OidcSigner, path: str = "/certs") -> Route:
    """Return the route that serves the signer's public keys, cacheable for an hour."""

    async def certs(_request: Request) -> JSONResponse:
        headers = {"Cache-Control": f"public, max-age={CERTS_MAX_AGE_SECONDS}, must-revalidate"}
        return JSONResponse(signer.jwks(), headers=headers)

    return Route(path, certs, methods=["GET"])


def _new_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)


def _publish(key: rsa.RSAPrivateKey, file: Path) -> None:
    """Write the key atomically, unless another process was faster: then its key is used."""
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=file.parent)  # readable by its owner only
    draft = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as written:
            written.write(pem)
        file.hardlink_to(draft)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _subject(email: str) -> str:
    """Return a stable number, like Google's unique ids of service accounts."""
    digest = int.from_bytes(hashlib.sha256(email.encode()).digest())
    return f"1{digest % 10 ** (_SUBJECT_DIGITS - 1):0{_SUBJECT_DIGITS - 1}d}"
