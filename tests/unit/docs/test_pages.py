"""README, CONTRIBUTING and the pages of docs/: linked files, glossary terms and named places exist."""

import re

import pytest

from tests.support.process import ROOT

ROOT_PAGES = [
    ROOT / name for name in ("README.md", "README.ko.md", "CONTRIBUTING.md", "SECURITY.md", "infra/README.md")
]
PAGES = [*ROOT_PAGES, *sorted(ROOT.glob("clients/*/README.md")), *sorted(ROOT.glob("docs/**/*.md"))]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ROOMS = CONTRIBUTING.partition("## Find your room in a minute")[2].partition("\n## ")[0]
GLOSSARY = CONTRIBUTING.partition("## Glossary")[2].partition("\n## ")[0]
TERM = re.compile(r"^\| ([\w -]+) \| (.+\.) \| `([^`]+)` \|$", re.MULTILINE)
LINES_OF_A_SCREEN = 55


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    text = page.read_text("utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text) + re.findall(r'<img src="([^"]+)"', text)
    assert [link for link in links if not (page.parent / link).exists()] == []
    assert [name for name in re.findall(r"docs/[\w-]+\.md", text) if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_a_readme_fits_one_screen_and_names_the_two_commands(name):
    readme = (ROOT / name).read_text("utf-8")
    assert len(readme.splitlines()) <= LINES_OF_A_SCREEN
    assert re.findall(r"^make (\S+)", readme, re.MULTILINE) == ["run", "test"]


def test_every_page_is_linked_from_the_readme_or_the_contributing_page():
    linked = (ROOT / "README.md").read_text("utf-8") + CONTRIBUTING + (ROOT / "docs" / "safety.md").read_text("utf-8")
    assert [page.name for page in ROOT.glob("docs/*.md") if page.name not in linked] == []


def test_the_glossary_defines_each_term_in_one_sentence_and_names_its_file():
    lines = [line for line in GLOSSARY.splitlines() if line.startswith("|")][2:]
    terms = TERM.findall(GLOSSARY)
    assert len(terms) == len(lines) >= 20
    names = [name.lower() for name, _, _ in terms]
    assert names == sorted(set(names))
    assert [meaning for _, meaning, _ in terms if ". " in meaning] == []
    assert [path for _, _, path in terms if not (ROOT / path).is_file()] == []


def test_every_place_that_the_contributing_page_lists_exists():
    rooms = [place for place in re.findall(r"`([^`]+)`", ROOMS) if "/" in place]
    assert rooms
    assert [place for place in rooms if not list(ROOT.glob(place.replace("<locale>", "*")))] == []
