"""Checks web addresses in settings, so that a wrong one fails at start."""

from ipaddress import IPv6Address
from urllib.parse import SplitResult, urlsplit

_PORTS = range(1, 65536)


def require_web_address(text: str) -> None:
    """Check for an http or https URL with a host.

    Raises:
        ValueError: Says what is wrong without quoting the address, which may hold a password.
    """
    _split(text)


def require_origin(text: str) -> None:
    """Check for a value of a browser's `Origin` header: scheme, host, and a port if it is not the default.

    Raises:
        ValueError: It can never equal an `Origin` header.
    """
    parts = _split(text)
    if text != f"{parts.scheme}://{parts.netloc}" or "@" in text or "\\" in text:
        raise ValueError("an origin is scheme://host or scheme://host:port, in small letters and without a path")


def _split(text: str) -> SplitResult:
    if not text.isprintable() or " " in text:
        raise ValueError("an address has no spaces and no invisible characters")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        if parts.netloc.rpartition("@")[2].startswith("["):
            IPv6Address(host or "")
    except ValueError:
        raise ValueError("not a URL: its host or its port cannot be read") from None
    if parts.scheme not in ("http", "https"):
        raise ValueError("must begin with http:// or https://")
    if not host or parts.netloc.endswith(":") or (port is not None and port not in _PORTS):
        raise ValueError("must name a host, and a port between 1 and 65535 if any")
    return parts
