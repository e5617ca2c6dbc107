"""Restricts callers to those that use this machine's own names.

A foreign page may let its name point to 127.0.0.1 (DNS rebinding). The browser then treats this server as the page's
origin and lets it read everything, but it sends the page's name in `Host`.
"""

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp

OWN_HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""Allowed hosts, on any port."""


def own_hosts_only(app: ASGIApp) -> ASGIApp:
    """Return the application for these hosts; others get 400."""
    return TrustedHostMiddleware(app, allowed_hosts=OWN_HOSTS, www_redirect=False)
