"""Every phone number in a fixed text has a source; test_crisis_protocol.py covers crisis_protocol.yaml."""

import json
import re

import pytest

from shared.content.age_replies import AgeReplies
from shared.content.catalogue import DATA, content
from shared.content.guard_endings import GuardEndings
from shared.content.loader import load_yaml
from shared.content.schemas.consents import Operator
from shared.content.schemas.messages import MessageFile
from shared.content.schemas.modules import ModuleFile
from shared.locale import Locale
from tests.support.phone_numbers import listed_numbers, numbers_in
from tests.support.process import ROOT

WEB = ROOT / "web"
PROMPTS = ROOT / "functions/chat/prompts"
KOREAN_LINES = {"109", "1577-0199", "1388", "1366", "117", "1577-1389", "1588-9191", "119"}


def texts_of(node, path=""):
    """Yield every text below a node with the path to it; a help line with name and number is one text."""
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


def prompts():
    files = sorted((PROMPTS / "counselor").glob("*.j2"))
    lines = ((path, at, line) for path in files for at, line in enumerate(path.read_text("utf-8").splitlines(), 1))
    return {f"{path.name}.{at}": line for path, at, line in lines}


def page():
    locales = {path.stem: json.loads(path.read_text("utf-8")) for path in (WEB / "locales").glob("*.json")}
    return dict(texts_of(locales)) | {"index": re.sub(r"<[^>]*>", " ", (WEB / "index.html").read_text("utf-8"))}


def agreement():
    operator = Operator(name="operator", contact="contact")
    shipped = {locale: content().agreements.service(locale, operator) for locale in Locale}
    # Article 20 counts days.
    kept = ((locale, one) for locale, document in shipped.items() for one in document.passages if one.number != "20")
    return {f"{locale}.{one.id}": one.text for locale, one in kept}


def written(name, shape, without=None):
    return lambda: dict(texts_of(load_yaml(DATA / name, shape).model_dump(exclude=without)))


SOURCES = {
    "messages": written("messages.yaml", MessageFile),
    "modules": written("modules.yaml", ModuleFile, {"modules": {"__all__": {"sources"}}}),
    "guard endings": written("guard_endings.yaml", GuardEndings),
    "facts": lambda: dict(texts_of({locale.value: content().facts(locale) for locale in Locale})),
    "age": written("age_replies.yaml", AgeReplies),
    "consent": lambda: dict(
        texts_of([one.model_dump() for one in content().consents.consents if one.id == "sensitive_data"])
    ),
    "agreement": agreement,
    "prompts": prompts,
    "page": page,
}


@pytest.mark.parametrize("source", SOURCES)
def test_a_number_in_a_fixed_text_is_a_hotline_and_in_english_a_korean_one_is_called_korean(source):
    texts = SOURCES[source]()
    found = {path: numbers for path, text in texts.items() if (numbers := numbers_in(text))}
    assert found
    assert {path: numbers for path, numbers in found.items() if not listed_numbers().issuperset(numbers)} == {}
    english = {path: text for path, text in texts.items() if re.search(r"(?:^|\.)en(?:\.|$)", path)}
    assert english
    korean = {path: text for path, text in english.items() if KOREAN_LINES & set(numbers_in(text))}
    assert {path: text for path, text in korean.items() if not re.search(r"Korea|\bKR\b", text)} == {}


def test_every_number_that_the_page_dials_is_a_hotline():
    files = [*sorted(WEB.glob("*.html")), *sorted((WEB / "js").glob("*.js"))]
    dialled = {number for path in files for number in re.findall(r"tel:([\d ]+)", path.read_text("utf-8"))}
    assert dialled
    assert dialled <= {re.sub(r"\D", "", number) for number in listed_numbers()}
