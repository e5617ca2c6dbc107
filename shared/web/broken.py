"""Logs a request that failed unexpectedly."""

import logging

from starlette.types import Scope

from shared.observability.events import LogEvent
from shared.observability.log_event import log_event

log = logging.getLogger(__name__)

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def log_broken(scope: Scope, error: BaseException) -> None:
    """Log an unexpected error with its frames. The address is left out, since the caller writes it."""
    method = scope["method"] if scope["method"] in _METHODS else "other"
    log_event(log, LogEvent.REQUEST_BROKE, error=error, method=method)
