"""docs/clients.md: its JSON fits the API's description, its Python compiles, and it names the files it speaks of."""

import json
import re

from functions.chat.http.openapi import document
from tests.support.api_schema import validator
from tests.support.process import ROOT

PAGE = (ROOT / "docs" / "clients.md").read_text("utf-8")
LABELLED = re.findall(r"^```json (\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_json_block_of_the_page_fits_the_schema_that_it_names(subtests):
    assert {name for name, _ in LABELLED} >= {"CreateConversation", "ChatRequest", "TurnEvent", "ChatReply", "Problem"}
    assert PAGE.count("```json") == len(LABELLED), "a block of JSON names its schema"
    for name, block in LABELLED:
        with subtests.test(name=name):
            validator(name).validate(json.loads(block))


def test_the_python_of_the_page_compiles_and_its_files_exist():
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        compile(block, "docs/clients.md", "exec")
    named = re.findall(r"`((?:functions|shared|local|clients)/[\w/.]+)`", PAGE)
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_every_call_of_the_page_is_a_path_of_the_description():
    paths = {re.sub(r"\{\w+\}", "*", path) for path in document()["paths"]}
    code = re.sub(r"\$\{?\w+\}?|\\\([\w.]+\)|\{\w+\}", "*", PAGE)
    called = set(re.findall(r"/api/[\w*/-]+", code))
    assert {"/api/conversations/*/chat", "/api/conversations/*/turns/*", "/api/me/consents"} <= called <= paths
