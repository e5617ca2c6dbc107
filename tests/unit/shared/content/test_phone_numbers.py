"""Whatever number stands in fixed words is one with a source; crisis_protocol.yaml has a test of its own."""

import json
import re
from collections.abc import Callable, Iterator

import pytest

from shared.content.catalogue import DATA, content
from shared.content.loader import load_yaml
from shared.content.schemas.age_replies import AgeReplies
from shared.content.schemas.guard_endings import GuardEndings
from shared.content.schemas.messages import MessageFile
from shared.content.schemas.modules import ModuleFile
from shared.model import Model
from tests.support.phone_numbers import listed_numbers, numbers_in
from tests.support.process import ROOT

CONSENTS = content().consents.consents
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


def prompts() -> Texts:
    files = sorted((PROMPTS / "counselor").glob("*.j2"))
    lines = ((path, at, line) for path in files for at, line in enumerate(path.read_text("utf-8").splitlines(), 1))
    return {f"{path.name}.{at}": line for path, at, line in lines}


def page() -> Texts:
    told = {path.stem: json.loads(path.read_text("utf-8")) for path in (WEB / "locales").glob("*.json")}
    return dict(texts_of(told)) | {"index": re.sub(r"<[^>]*>", " ", (WEB / "index.html").read_text("utf-8"))}


def written(name: str, shape: type[Model]) -> Callable[[], Texts]:
    return lambda: dict(texts_of(load_yaml(DATA / name, shape).model_dump()))


SOURCES: dict[str, Callable[[], Texts]] = {
    "messages": written("messages.yaml", MessageFile),
    "modules": written("modules.yaml", ModuleFile),
    "guard endings": written("guard_endings.yaml", GuardEndings),
    "age": written("age_replies.yaml", AgeReplies),
    "consent": lambda: dict(texts_of([one.model_dump() for one in CONSENTS if one.id == "sensitive_data"])),
    "prompts": prompts,
    "page": page,
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_number_in_fixed_words_is_in_the_hotlines_and_called_koreas_in_english(source):
    texts = SOURCES[source]()
    found = {path: numbers for path, text in texts.items() if (numbers := numbers_in(text))}
    assert found
    assert {path: numbers for path, numbers in found.items() if not listed_numbers().issuperset(numbers)} == {}
    english = {path: text for path, text in texts.items() if ENGLISH.search(path)}
    assert english
    korean = {path: text for path, text in english.items() if KOREAN_LINES & set(numbers_in(text))}
    assert {path: text for path, text in korean.items() if not re.search(r"Korea|\bKR\b", text)} == {}


def test_what_the_page_dials_is_in_the_hotlines():
    files = [*sorted(WEB.glob("*.html")), *sorted((WEB / "js").glob("*.js"))]
    dialled = {number for path in files for number in DIALLED.findall(path.read_text("utf-8"))}
    assert dialled
    assert dialled <= {re.sub(r"\D", "", number) for number in listed_numbers()}
