"""Who is answered: callers that call this machine by a name of its own.

A page from elsewhere may let its name point at 127.0.0.1 (DNS rebinding). The browser then takes this server for the
page's own and lets it read everything, but it sends the page's name in `Host`.
"""

from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp

OWN_HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""On any port."""


def own_hosts_only(app: ASGIApp) -> ASGIApp:
    """Return the application for callers that name this machine; to all others it says 400."""
    return TrustedHostMiddleware(app, allowed_hosts=OWN_HOSTS, www_redirect=False)
