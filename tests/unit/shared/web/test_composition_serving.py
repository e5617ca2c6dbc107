import json
import logging

import pytest
from starlette.exceptions import HTTPException

from shared.domain.errors import ConfigError
from shared.observability.formats import OURS
from shared.web.composition import WRONG_ENVIRONMENT, Composition

IN_THE_CLOUD = {"K_SERVICE": "chat"}
SECRET = "top-secret-key"


def misconfigured():
    raise ConfigError("CBOT_PROJECT: Field required")


def broken():
    raise ValueError(f"cannot be read: {SECRET}")


@pytest.fixture
def loggers():
    """Leaves logging as it was: in the cloud a composition configures it."""
    root, ours = logging.getLogger(), [logging.getLogger(name) for name in OURS]
    before = root.handlers[:], [logger.level for logger in (root, *ours)]
    yield
    root.handlers[:] = before[0]
    for logger, level in zip((root, *ours), before[1], strict=True):
        logger.setLevel(level)
    logging.captureWarnings(capture=False)


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


def test_in_the_cloud_the_parts_are_ready_before_the_first_request(loggers):
    built = []
    composition = Composition(lambda: built.append(1) or built)
    composition.build_in_cloud(IN_THE_CLOUD)
    assert built == [1]
    assert composition.serving() is built
    assert built == [1]


def test_elsewhere_nothing_is_built_and_no_log_configured_before_the_first_request(subtests):
    for environment in ({}, {"K_SERVICE": ""}):
        with subtests.test(environment=environment):
            handlers = logging.getLogger().handlers[:]
            Composition(misconfigured).build_in_cloud(environment)
            assert logging.getLogger().handlers == handlers


@pytest.mark.parametrize(("build", "says"), [(misconfigured, "CBOT_PROJECT: Field required"), (broken, "ValueError")])
def test_a_function_that_cannot_be_built_in_the_cloud_ends_with_one_line_that_says_why(loggers, capsys, build, says):
    with pytest.raises(SystemExit) as ended:
        Composition(build).build_in_cloud(IN_THE_CLOUD)
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == WRONG_ENVIRONMENT
    assert json.loads(line)["event"] == "misconfigured"
    assert json.loads(line)["severity"] == "CRITICAL"
    assert says in line
    assert SECRET not in line


def test_what_needs_the_event_loop_begins_with_the_first_request_and_once(loggers):
    begun = []
    composition = Composition(lambda: "parts", begun.append)
    composition.build_in_cloud(IN_THE_CLOUD)
    assert begun == []
    composition.serving()
    composition.serving()
    assert begun == ["parts"]


def test_with_ready_made_parts_nothing_begins():
    begun = []
    composition = Composition(misconfigured, begun.append)
    composition.install("parts")
    assert composition.serving() == "parts"
    assert begun == []
