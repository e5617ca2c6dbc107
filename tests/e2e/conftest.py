"""A local server of one's own, and a real Chromium in front of it."""

import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from local.ports import free_port
from tests.support.overheard import SAID, LogSearch

ROOT = Path(__file__).resolve().parents[2]
READY_WITHIN_S = 90
STOPPED_WITHIN_S = 60
SEEN_WITHIN_MS = 20_000
CHROMIUM_ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def _lines_of(stream: IO[str]) -> "queue.Queue[str | None]":
    """Read a stream in the background, so that waiting for a line can have a deadline and the pipe never fills."""
    lines: queue.Queue[str | None] = queue.Queue()

    def pump() -> None:
        for line in stream:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=pump, daemon=True).start()
    return lines


def _address_in(lines: "queue.Queue[str | None]", log: Path) -> str:
    deadline = time.monotonic() + READY_WITHIN_S
    seen: list[str] = []
    while (left := deadline - time.monotonic()) > 0:
        try:
            line = lines.get(timeout=left)
        except queue.Empty:
            break
        if line is None:
            break
        seen.append(line)
        if found := re.search(r"http://[^\s/]+", line):
            return found.group().replace("0.0.0.0", "127.0.0.1")
    said = "".join(seen) + log.read_text(encoding="utf-8")[-4000:]
    pytest.fail(f"no ready line from the local server within {READY_WITHIN_S} s; it said:\n{said}")


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Where Chromium is; without one there is nothing to test, and nobody should overlook it."""
    path = os.environ.get("CBOT_CHROMIUM") or shutil.which("chromium")
    if path:
        return path
    reason = "NO CHROMIUM: none of the browser tests ran; install it or set CBOT_CHROMIUM"
    if os.environ.get("CBOT_REQUIRE_EMULATORS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def server(chromium_path: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with an empty store (CBOT_E2E_SERVER: another command that keeps the same manners)."""
    command = shlex.split(os.environ.get("CBOT_E2E_SERVER", "")) or [sys.executable, "-m", "local"]
    home = tmp_path_factory.mktemp("server")
    log, search = home / "stderr.log", LogSearch()
    env = {**os.environ, "PORT": str(free_port()), "CBOT_DATA_DIR": str(home / "data"), "PYTHONUNBUFFERED": "1"}
    env.setdefault("CBOT_LOG_LEVEL", "DEBUG")
    with (
        log.open("w", encoding="utf-8") as stderr,
        subprocess.Popen(
            command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=stderr, text=True, encoding="utf-8"
        ) as process,
    ):
        assert process.stdout is not None
        try:
            yield _address_in(_lines_of(process.stdout), log)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                code = process.wait(STOPPED_WITHIN_S)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        assert code == 0, f"the server ended with {code}:\n{log.read_text(encoding='utf-8')[-4000:]}"
        search.read(log)


# Not wider than a module: while Playwright's sync API is open, its event loop runs in this thread, and async
# tests cannot.
@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Browser]:
    """Chromium with a new profile, which Playwright makes and throws away."""
    expect.set_options(timeout=SEEN_WITHIN_MS)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path, args=CHROMIUM_ARGS)
        try:
            yield chromium
        finally:
            chromium.close()


def _noted(request: Request) -> None:
    """Remember what somebody types and sends: no log may hold it."""
    if request.method == "POST" and request.post_data_buffer:
        SAID.add_body(request.post_data_buffer)


@pytest.fixture
def device() -> dict[str, Any]:
    """What the person holds and reads: a desktop in Korean."""
    return {"locale": "ko-KR", "viewport": {"width": 1280, "height": 800}}


@pytest.fixture
def context(browser: Browser, server: str, device: dict[str, Any]) -> Iterator[BrowserContext]:
    """A new person: no storage."""
    fresh = browser.new_context(base_url=server, **device)
    fresh.set_default_timeout(SEEN_WITHIN_MS)
    fresh.on("request", _noted)
    try:
        yield fresh
    finally:
        fresh.close()


@pytest.fixture
def excused() -> list[str]:
    """Patterns of console errors that a test brings about itself (a refusal, a connection that it cuts)."""
    return []


@pytest.fixture
def page(context: BrowserContext, excused: list[str]) -> Iterator[Page]:
    """The client's page; a console error or an uncaught exception that was not excused fails the test."""
    errors: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            errors.append(message.text)

    opened = context.new_page()
    opened.on("console", heard)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    unexcused = [text for text in errors if not any(re.search(pattern, text) for pattern in excused)]
    assert unexcused == []
