import logging

import pytest
from starlette.exceptions import HTTPException

from shared.domain.errors import ConfigError
from shared.web.composition import Composition


def misconfigured():
    raise ConfigError("CBOT_PROJECT: Field required")


def test_a_caller_of_a_misconfigured_function_is_told_to_come_again_and_the_operator_why(caplog):
    with caplog.at_level(logging.CRITICAL), pytest.raises(HTTPException) as refused:
        Composition(misconfigured).serving()

    assert refused.value.status_code == 503
    (line,) = caplog.messages
    assert "misconfigured" in line
    assert "CBOT_PROJECT: Field required" in line


def test_what_was_built_once_serves_every_caller():
    built = []
    composition = Composition(lambda: built.append(1) or built)

    assert composition.serving() is composition.serving()
    assert built == [1]
