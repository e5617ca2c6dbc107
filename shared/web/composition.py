"""A function's parts, built once per instance: before it listens in the cloud, at first use elsewhere."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from starlette.exceptions import HTTPException

from shared.domain.errors import ConfigError
from shared.loading import collection_paused
from shared.observability.events import LogEvent
from shared.observability.log_event import log_event
from shared.observability.logs import configure_logging

log = logging.getLogger(__name__)

T = TypeVar("T")

WRONG_ENVIRONMENT = 2
"""Exit code of a process whose parts cannot be built."""


def _nothing(_parts: object) -> None:
    """Leave the parts as they are."""


class Composition(Generic[T]):
    """Holds the parts that a function's `wiring` builds. Thread-safe: concurrent first requests build one set."""

    def __init__(self, build: Callable[[], T], begin: Callable[[T], None] = _nothing) -> None:
        """Create it without building the parts.

        Args:
            build: Builds the parts from the environment, without any connection or event loop: in the cloud the server
                forks afterwards.
            begin: Called once with the parts, in the event loop, at the first request.
        """
        self._build = build
        self._begin = begin
        self._parts: T | None = None
        self._begun = False
        self._building = threading.Lock()

    def build_in_cloud(self, environment: Mapping[str, str]) -> None:
        """Build the parts now on Cloud Run (it sets `K_SERVICE`); called at the end of a `wiring`.

        `main.py` is imported before the server listens. So the parts are ready at the first request, and a revision
        with a wrong environment does not start: the previous revision keeps the traffic.

        Raises:
            SystemExit: The parts cannot be built; one log line names the variable.
        """
        if not environment.get("K_SERVICE"):
            return
        # The logging configuration itself may be what is wrong.
        configure_logging("json", logging.INFO)
        try:
            self.parts()
        except Exception as error:  # noqa: BLE001 - the outermost edge: Python would print what the error quotes
            log_event(log, LogEvent.MISCONFIGURED, error=error)
            raise SystemExit(WRONG_ENVIRONMENT) from None

    def parts(self) -> T:
        """Return the parts, building them at the first call.

        Raises:
            ConfigError: The environment is wrong.
        """
        with self._building:
            if self._parts is None:
                with collection_paused():  # it imports the platform's libraries
                    self._parts = self._build()
            return self._parts

    def serving(self) -> T:
        """Return the parts for an entry point.

        Raises:
            HTTPException: 503: the environment is wrong; one log line names the variable.
        """
        try:
            parts = self.parts()
        except ConfigError as error:
            log_event(log, LogEvent.MISCONFIGURED, error=error)
            raise HTTPException(503) from None
        if not self._begun:
            self._begun = True
            self._begin(parts)
        return parts

    def install(self, parts: T) -> None:
        """Set ready-made parts, as the local server does; the caller also does what `begin` would."""
        with self._building:
            self._parts = parts
            self._begun = True
