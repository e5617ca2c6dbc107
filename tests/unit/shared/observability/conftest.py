import io
import json
import logging

import pytest

from shared.observability.logs import configure_logging
from tests.builders.logs import logging_kept


class Lines:
    """What a configured process has logged."""

    def __init__(self):
        self.stream = io.StringIO()

    @property
    def text(self):
        return self.stream.getvalue()

    @property
    def parsed(self):
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def logged():
    """Configure logging for one test: call it with what `configure_logging` takes; the lines come back."""
    lines = Lines()

    def configure(form="json", level=logging.DEBUG, **more):
        configure_logging(form, level, stream=lines.stream, **more)
        return lines

    with logging_kept():
        yield configure


@pytest.fixture
def log():
    return logging.getLogger("shared.tests")
