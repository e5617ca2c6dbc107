"""Fails a test in which text of a user was logged in this process, or written to its stderr."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.support.overheard import SAID, Words, told

SEARCHED = {"log", "stderr"}
"""Not stdout: tools such as `make safety-report` print there what they were given."""


class LogSearchPlugin:
    """Searches what pytest captured, from WARNING on unless a test listens more closely."""

    def __init__(self, words: Words = SAID) -> None:
        self._words = words
        self._file: Path | None = None
        self._since = 0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Texts count from the first test of a file on: a fixture may talk for all its tests."""
        if item.path != self._file:
            self._file, self._since = item.path, len(self._words)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Search once a test, at its end, when all that it logged is there."""
        report = yield
        if report.when == "teardown" and report.passed:
            captured = "\n".join(text for name, text in report.sections if SEARCHED & set(name.split()))
            if heard := self._words.in_log(captured, self._since):
                report.outcome, report.longrepr = "failed", told("what was captured", heard)
        return report
