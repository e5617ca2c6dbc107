import io
import json
import logging

import pytest

from shared.observability.logs import configure_logging
from tests.builders.logs import logging_kept


class Lines(io.StringIO):
    """The lines that a configured process has logged."""

    @property
    def text(self):
        return self.getvalue()

    @property
    def parsed(self):
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def logged():
    """Return a function that configures logging as `configure_logging` does and returns the logged lines."""
    lines = Lines()

    def configure(form="json", level=logging.DEBUG):
        configure_logging(form, level, stream=lines)
        return lines

    with logging_kept():
        yield configure


@pytest.fixture
def log():
    return logging.getLogger("shared.tests")
