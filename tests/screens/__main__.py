"""`make screenshots`: every screen on a phone and on a desktop, light and dark, into docs/screens."""

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser

from local.emulators.auth import missing
from local.emulators.firestore import find_jar, find_java
from shared.domain.errors import ConfigError
from tests.screens.chromium import chromium
from tests.screens.palette import reduced
from tests.support.emulated import Emulated
from tests.support.local_server import LocalServer
from tests.support.process import ROOT
from tests.support.screens import Walk

SCREENS = ROOT / "docs" / "screens"
DEVICES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "desktop": {"viewport": {"width": 1200, "height": 750}},
}
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the pictures and say how large they are."""
    parser = argparse.ArgumentParser(prog="screenshots", description="Pictures of every screen.")
    parser.add_argument("--output", type=Path, default=SCREENS, help="the folder (default: docs/screens)")
    parser.add_argument("--language", choices=["ko", "en"], default="ko")
    parser.add_argument("--only", choices=list(DEVICES), help="one device")
    given = parser.parse_args(arguments)
    devices, lacking = [given.only] if given.only else list(DEVICES), _lacking()
    for folder in (folder for device in devices for folder in _folders(given.output, device).values()):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    with chromium() as browser, tempfile.TemporaryDirectory() as home:
        with LocalServer(Path(home)) as server:
            for device in devices:
                _visit(browser, server.address, device, Walk.every_screen, given)
        if not lacking:
            with Emulated(Path(home), CBOT_SIGN_IN="firebase") as emulated:
                for device in devices:
                    _visit(browser, emulated.address, device, Walk.every_account_form, given)
    if lacking:
        print(f"screenshots: no pictures of the account's forms: {lacking}")
    pictures = list(given.output.rglob("*.png"))
    size = sum(picture.stat().st_size for picture in pictures)
    print(f"screenshots: {len(pictures)} pictures, {size / 1_000_000:.1f} MB in {given.output}")
    return 0


def _lacking() -> str:
    """Return what the Firebase SDK and the emulators lack on this machine, or nothing."""
    try:
        find_java(os.environ)
        find_jar(os.environ)
    except ConfigError as error:
        return str(error)
    return missing(os.environ)


def _folders(output: Path, device: str) -> dict[Scheme, Path]:
    return {scheme: output / f"{device}-{scheme}" for scheme in SCHEMES}


def _visit(
    browser: Browser, address: str, device: str, screens: Callable[[Walk], Iterator[str]], given: argparse.Namespace
) -> None:
    """Take the pictures of one device."""
    context = browser.new_context(base_url=address, locale=given.language, service_workers="block", **DEVICES[device])
    page, desk = context.new_page(), context.new_page()
    page.bring_to_front()
    for screen in screens(Walk(page, given.language)):
        page.mouse.move(0, 0)  # Nothing is hovered over.
        for scheme, folder in _folders(given.output, device).items():
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            picture = page.screenshot(animations="disabled", caret="hide")
            (folder / f"{screen}.png").write_bytes(reduced(desk, picture))
    context.close()


if __name__ == "__main__":
    sys.exit(main())
