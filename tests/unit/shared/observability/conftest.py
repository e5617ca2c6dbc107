import io
import json
import logging

import pytest

from shared.observability.formats import OURS
from shared.observability.logs import configure_logging


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
    root, lines = logging.getLogger(), Lines()
    before = root.level, {name: logging.getLogger(name).level for name in OURS}
    handlers = []

    def configure(form="json", level=logging.DEBUG, **more):
        handlers.append(configure_logging(form, level, stream=lines.stream, **more))
        return lines

    yield configure
    for handler in handlers:
        root.removeHandler(handler)
    root.setLevel(before[0])
    for name, level in before[1].items():
        logging.getLogger(name).setLevel(level)
    logging.captureWarnings(capture=False)


@pytest.fixture
def log():
    return logging.getLogger("shared.tests")
