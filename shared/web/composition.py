"""A function's parts, built once an instance: before it listens in the cloud, at first use elsewhere."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from starlette.exceptions import HTTPException

from shared.domain.errors import ConfigError
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
    """Holds what a function's `wiring` builds.

    Safe under concurrency: two first requests at once build one set of parts.
    """

    def __init__(self, build: Callable[[], T], begin: Callable[[T], None] = _nothing) -> None:
        """Take the functions that do the work.

        Args:
            build: Builds the parts from the environment. It connects nothing and binds nothing to an event loop: in the
                cloud the server forks after it, and the loop comes later.
            begin: Called once, in the event loop, with the built parts when the first request is there.
        """
        self._build = build
        self._begin = begin
        self._parts: T | None = None
        self._begun = False
        self._building = threading.Lock()

    def build_in_cloud(self, environment: Mapping[str, str]) -> None:
        """Build the parts now if Cloud Run runs this (it sets `K_SERVICE`); for the end of a `wiring`.

        `main.py` is imported before the server listens. So a started instance answers its first request with parts that
        are ready, and a revision in a wrong environment does not start: the one before it keeps the traffic.

        Raises:
            SystemExit: They cannot be built; the log says why, in one line that names the variable.
        """
        if not environment.get("K_SERVICE"):
            return
        # What is wrong may be what the log is configured with.
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
                self._parts = self._build()
            return self._parts

    def serving(self) -> T:
        """Return the parts for an entry point.

        Raises:
            HTTPException: 503: the environment is wrong; the log says how, in one line that names the variable.
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
        """Put ready-made parts in, as the local server does; what is to begin with them is the caller's."""
        with self._building:
            self._parts = parts
            self._begun = True
