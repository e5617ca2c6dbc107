"""What the page loads before a first word: how much it is, and that all of it is there without a connection."""

import gzip
import re

from tests.support.process import ROOT

WEB = ROOT / "web"
LIMIT = 150_000
"""Compressed bytes without the Firebase SDK."""
IMPORTED = re.compile(r'^(?:import|export)\s[^;]*?"(\./[\w/.-]+|\.\./[\w/.-]+)";', re.MULTILINE)
LATER = {"sw.js", "icons/512.png", "icons/maskable-512.png"}
"""What the browser fetches when it installs the page."""


def modules() -> set[str]:
    """The modules that main.js imports, with theirs."""
    found, open_ = set(), [WEB / "js" / "main.js"]
    while open_:
        path = open_.pop()
        name = str(path.relative_to(WEB))
        if name not in found:
            found.add(name)
            open_ += [(path.parent / one).resolve() for one in IMPORTED.findall(path.read_text("utf-8"))]
    return found


def of_the_page() -> set[str]:
    """All files but those of the reviewers' page."""
    all_ = {str(path.relative_to(WEB)) for path in WEB.rglob("*") if path.is_file()}
    return {name for name in all_ if "review" not in name}


def test_the_first_load_has_150_kb_at_most_compressed() -> None:
    one_language = of_the_page() - LATER - {"locales/en.json"}
    size = sum(len(gzip.compress((WEB / name).read_bytes())) for name in one_language)
    assert size <= LIMIT, f"{size} bytes"
    assert modules() <= one_language


def test_the_service_worker_keeps_every_file_of_the_page_and_nothing_else() -> None:
    worker = (WEB / "sw.js").read_text("utf-8")
    listed = re.findall(r'"([^"]+)"', re.search(r"const FILES = \[(.*?)\];", worker, re.DOTALL)[1])  # type: ignore[index]
    assert sorted(listed) == sorted(set(listed))
    assert set(listed) == of_the_page() - LATER
