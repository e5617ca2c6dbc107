"""What axe-core finds on a screen, and what is cut or overlaps on a small phone and with larger text."""

from importlib.resources import files
from typing import Any, Literal

from playwright.sync_api import Page

from tests.support.web_page import faults

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
COLOURS = {"runOnly": ["color-contrast"], "resultTypes": ["violations"]}
"""In both themes, but once: colours are the same in every language, and this rule takes as long as all the others."""
WORDS = {
    "rules": {"label-content-name-mismatch": {"enabled": True}, "color-contrast": {"enabled": False}},
    "resultTypes": ["violations"],
}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
RUN = """async options => (await axe.run(document, options)).violations.map(
  ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target} ${failureSummary}`).join("; ")}`)"""
# Width, height, size of the text.
SIZES = ((320, 568, 100), (390, 844, 200))


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    if not page.evaluate("typeof axe === 'object'"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(RUN, options)
    return found


def cut(page: Page) -> list[str]:
    """The faults of the layout on a small phone and with text twice as large."""
    found = []
    for width, height, size in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("size => document.documentElement.style.fontSize = `${size}%`", size)
        dialog = page.evaluate("document.querySelector('dialog[open]')?.id")
        root = f"#{dialog}" if dialog else ":is(body > header, main)"
        found += [f"{width} {size} %: {fault}" for fault in faults(page, root)]
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("document.documentElement.style.fontSize = ''")
    return found
