"""The Chromium that takes pictures."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless browser.

    Raises:
        SystemExit: There is none.
    """
    path = os.environ.get("CBOT_CHROMIUM") or shutil.which("chromium")
    if path is None:
        raise SystemExit("screenshots: no Chromium: install it or set CBOT_CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
