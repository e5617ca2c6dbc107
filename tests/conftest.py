"""What holds for every test."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.emulators import shared_emulator
from tests.support.log_search import LogSearchPlugin
from tests.support.reaper import start_reaper

# Speed is measured by `make bench`; a slow moment of the machine is no failure of a rule. The everyday run draws the
# same examples each time, so a change alone can break it; the long run (`make test LONG=1`) draws new ones.
settings.register_profile("everyday", deadline=None, max_examples=30, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=60)
settings.load_profile("everyday")

TESTS = Path(__file__).parent
# No test speaks to anybody outside: to read the authorities of the world takes each HTTP client 40 ms of CPU time.
os.environ["SSL_CERT_FILE"] = str(TESTS / "fixtures" / "nobody.pem")

FIRST = ("integration", "e2e", "load", "properties", "contract")
"""What waits for servers goes first when workers share a run, and the quick tests fill what is left."""


def pytest_configure(config: pytest.Config) -> None:
    """Let no process outlive the run that started it, and no test pass that logged what somebody said."""
    start_reaper()
    config.pluginmanager.register(LogSearchPlugin(), "log-search")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage among what stays, now and later: it takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Order the files for the workers of a run (`make test`); alone, they go in the usual order."""
    if hasattr(config, "workerinput"):
        items.sort(key=_rank)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let what a test printed or logged cross to the main process: halves of a pair are no UTF-8."""
    report = yield
    report.sections = [(name, text.encode("utf-8", "backslashreplace").decode()) for name, text in report.sections]
    return report


def _rank(item: pytest.Item) -> int:
    folder = item.path.relative_to(TESTS).parts[0]
    return FIRST.index(folder) if folder in FIRST else len(FIRST)


@pytest.fixture(scope="session")
def firestore_emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the emulator that the tests of a run share; each takes a project of its own (`new_project`)."""
    own = tmp_path_factory.getbasetemp()
    with shared_emulator(own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) as address:
        yield address
