"""The log line of a request that broke."""

import logging

from starlette.types import Scope

from shared.observability.traces import trace_of

log = logging.getLogger(__name__)


def log_broken(scope: Scope, error: BaseException) -> None:
    """Log an unexpected error with its traceback."""
    log.error("%s %s broke\n%s", scope["method"], scope["path"], trace_of(error))
