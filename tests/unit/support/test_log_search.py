"""A test that logs what somebody said fails, wherever in the test it was logged."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.log_search import LogSearchPlugin
from tests.support.overheard import Words

TOLD = "아무에게도 하지 않은 이야기예요"
HERE = SimpleNamespace(path=Path("test_here.py"))
ELSEWHERE = SimpleNamespace(path=Path("test_elsewhere.py"))


@pytest.fixture
def words():
    return Words()


@pytest.fixture
def plugin(words):
    return LogSearchPlugin(words)


def reported(plugin, section, text, when="teardown", outcome="passed"):
    """Let the plugin see what pytest reports of a test."""
    report = SimpleNamespace(
        when=when, passed=outcome == "passed", outcome=outcome, longrepr=None, sections=[(section, text)]
    )
    search = plugin.pytest_runtest_makereport()
    next(search)
    with pytest.raises(StopIteration) as ended:
        search.send(report)
    return ended.value.value


@pytest.mark.parametrize("section", ["Captured log setup", "Captured log call", "Captured stderr call"])
def test_a_test_that_logged_what_was_said_fails_at_its_end(plugin, words, section):
    plugin.pytest_runtest_setup(HERE)
    words.add(TOLD)
    report = reported(plugin, section, f"WARNING one\nWARNING {TOLD!a}\n")
    assert report.outcome == "failed"
    assert report.longrepr.startswith("message text was logged: what was captured: line 2 holds ")


@pytest.mark.parametrize("section", ["Captured stdout call", "Hypothesis"])
def test_what_a_tool_prints_is_no_log(section, plugin, words):
    plugin.pytest_runtest_setup(HERE)
    words.add(TOLD)
    assert reported(plugin, section, TOLD).outcome == "passed"


def test_what_another_file_said_is_not_looked_for(plugin, words):
    plugin.pytest_runtest_setup(HERE)
    words.add(TOLD)
    plugin.pytest_runtest_setup(ELSEWHERE)
    assert reported(plugin, "Captured log call", TOLD).outcome == "passed"


def test_what_a_fixture_said_for_a_whole_file_is_looked_for_in_each_of_its_tests(plugin, words):
    plugin.pytest_runtest_setup(HERE)
    words.add(TOLD)
    plugin.pytest_runtest_setup(HERE)
    assert reported(plugin, "Captured log call", TOLD).outcome == "failed"


def test_a_test_that_failed_already_keeps_its_own_reason(plugin, words):
    plugin.pytest_runtest_setup(HERE)
    words.add(TOLD)
    assert reported(plugin, "Captured log call", TOLD, outcome="failed").longrepr is None


def test_this_very_run_is_searched(request):
    assert request.config.pluginmanager.has_plugin("log-search")
