"""`make screenshots`: every screen on a phone and on a desktop, light and dark, into docs/screens."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser

from tests.screens.chromium import chromium
from tests.screens.palette import reduced
from tests.support.local_server import LocalServer
from tests.support.process import ROOT
from tests.support.screens import Walk

SCREENS = ROOT / "docs" / "screens"
DEVICES: dict[str, dict[str, Any]] = {
    "phone": {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True},
    "desktop": {"viewport": {"width": 1200, "height": 750}},
}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


def main(arguments: Sequence[str] | None = None) -> int:
    """Take the pictures and say how large they are."""
    parser = argparse.ArgumentParser(prog="screenshots", description="Pictures of every screen.")
    parser.add_argument("--output", type=Path, default=SCREENS, help="the folder (default: docs/screens)")
    parser.add_argument("--language", choices=["ko", "en"], default="ko")
    parser.add_argument("--only", choices=list(DEVICES), help="one device")
    given = parser.parse_args(arguments)
    with chromium() as browser, tempfile.TemporaryDirectory() as home, LocalServer(Path(home)) as server:
        for device in [given.only] if given.only else DEVICES:
            _visit(browser, server.address, device, given.language, given.output)
    pictures = list(given.output.rglob("*.png"))
    size = sum(picture.stat().st_size for picture in pictures)
    print(f"screenshots: {len(pictures)} pictures, {size / 1_000_000:.1f} MB in {given.output}")
    return 0


def _visit(browser: Browser, address: str, device: str, language: str, output: Path) -> None:
    """Take the pictures of one device, in place of earlier ones."""
    context = browser.new_context(base_url=address, locale=language, service_workers="block", **DEVICES[device])
    page, desk = context.new_page(), context.new_page()
    page.bring_to_front()
    folders = {scheme: output / f"{device}-{scheme}" for scheme in SCHEMES}
    for folder in folders.values():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    for screen in Walk(page, language).every_screen():
        page.mouse.move(0, 0)  # Nothing is hovered over.
        for scheme, folder in folders.items():
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            picture = page.screenshot(animations="disabled", caret="hide")
            (folder / f"{screen}.png").write_bytes(reduced(desk, picture))
    context.close()


if __name__ == "__main__":
    sys.exit(main())
