"""A function's parts, built once an instance at first use: nothing connects at import."""

import logging
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from starlette.exceptions import HTTPException

from shared.domain.errors import ConfigError
from shared.observability.events import Event
from shared.observability.log_event import log_event

log = logging.getLogger(__name__)

T = TypeVar("T")


class Composition(Generic[T]):
    """Holds what a function's `wiring` builds.

    Safe under concurrency: two first requests at once build one set of parts.
    """

    def __init__(self, build: Callable[[], T]) -> None:
        """Take the function that builds the parts from the environment."""
        self._build = build
        self._parts: T | None = None
        self._building = threading.Lock()

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
            return self.parts()
        except ConfigError as error:
            log_event(log, Event.MISCONFIGURED, error=error)
            raise HTTPException(503) from None

    def install(self, parts: T) -> None:
        """Put ready-made parts in, as the local server does."""
        with self._building:
            self._parts = parts
