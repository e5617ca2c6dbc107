"""Whatever number stands in fixed words is one with a source; crisis_protocol.yaml has a test of its own."""

import json
import re
from collections.abc import Callable, Iterator

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.guard_endings import GuardEndings
from shared.content.schemas.messages import MessageFile
from shared.content.schemas.modules import ModuleFile
from tests.support.phone_numbers import listed_numbers, numbers_in
from tests.support.process import ROOT

WEB = ROOT / "web"
PROMPTS = ROOT / "functions/chat/flows/counseling/prompts"
ENGLISH = re.compile(r"(?:^|\.)en(?:\.|$)")
KOREAN_LINES = {"109", "1577-0199", "1388", "1366", "117", "1577-1389", "1588-9191", "119"}
DIALLED = re.compile(r"tel:([\d ]+)")

Texts = dict[str, str]


def texts_of(node: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Give every text below a node with the names that lead to it; a place to turn to is one text."""
    match node:
        case str():
            yield path, node
        case {"name": str(), "number": str()}:
            yield path, json.dumps(node, ensure_ascii=False)
        case dict():
            for name, below in node.items():
                yield from texts_of(below, f"{path}.{name}" if path else str(name))
        case list() | tuple():
            for place, below in enumerate(node):
                yield from texts_of(below, f"{path}.{place}")


def consent() -> Texts:
    (sensitive,) = (text for text in content().consents.consents if text.id == "sensitive_data")
    return dict(texts_of(sensitive.model_dump()))


def age_replies() -> Texts:
    return dict(texts_of(content().under_14_replies.written.model_dump()))


def prompts() -> Texts:
    files = sorted((PROMPTS / "counselor").glob("*.j2"))
    lines = ((path, at, line) for path in files for at, line in enumerate(path.read_text("utf-8").splitlines(), 1))
    return {f"{path.name}.{at}": line for path, at, line in lines}


def page() -> Texts:
    told = {path.stem: json.loads(path.read_text("utf-8")) for path in (WEB / "locales").glob("*.json")}
    shown = re.sub(r"<[^>]*>", " ", (WEB / "index.html").read_text("utf-8"))
    return dict(texts_of(told)) | {"index": shown}


SOURCES: dict[str, Callable[[], Texts]] = {
    "messages": lambda: dict(texts_of(load_yaml(DATA / "messages.yaml", MessageFile).model_dump())),
    "modules": lambda: dict(texts_of(load_yaml(DATA / "modules.yaml", ModuleFile).model_dump())),
    "guard endings": lambda: dict(texts_of(load_yaml(DATA / "guard_endings.yaml", GuardEndings).endings.model_dump())),
    "age": age_replies,
    "consent": consent,
    "prompts": prompts,
    "page": page,
}
EACH = pytest.mark.parametrize("source", SOURCES)


@EACH
def test_a_number_in_fixed_words_is_in_the_hotlines(source):
    found = {path: numbers for path, text in SOURCES[source]().items() if (numbers := numbers_in(text))}
    assert found
    assert {path: numbers for path, numbers in found.items() if not listed_numbers().issuperset(numbers)} == {}


@EACH
def test_who_reads_english_is_told_which_numbers_are_koreas(source):
    english = {path: text for path, text in SOURCES[source]().items() if ENGLISH.search(path)}
    assert english
    korean = {path: text for path, text in english.items() if KOREAN_LINES & set(numbers_in(text))}
    assert {path: text for path, text in korean.items() if not re.search(r"Korea|\bKR\b", text)} == {}


def test_what_the_page_dials_is_in_the_hotlines():
    files = [*sorted(WEB.glob("*.html")), *sorted((WEB / "js").glob("*.js"))]
    dialled = {number for path in files for number in DIALLED.findall(path.read_text("utf-8"))}
    assert dialled
    assert dialled <= {re.sub(r"\D", "", number) for number in listed_numbers()}
