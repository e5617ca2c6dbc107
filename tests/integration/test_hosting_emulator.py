"""Firebase's own tools read firebase.json, and their Hosting emulator serves the staged page."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from infra.hosting.settings import WebSettings
from infra.hosting.site import stage_site
from local.emulators.auth import firebase_command
from local.ports import HOST, free_ports
from tests.builders.web_settings import WEB
from tests.support.node import firebase_packages_or_skip
from tests.support.process import LOOPBACK, ROOT, clean_environment

READY_WITHIN_S = 240
IS_VALID = """
const tools = process.argv[1];
const Ajv = require(`${tools}/../ajv`).default;
const ajv = new Ajv({ allowUnionTypes: true });
require(`${tools}/../ajv-formats`).default(ajv);
const valid = ajv.compile(require(`${tools}/schema/firebase-config.json`));
for (const file of process.argv.slice(2)) if (!valid(require(file))) throw new Error(JSON.stringify(valid.errors));
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The staged page, and its firebase.json with the other blocks of the repository's and free ports."""
    firebase_packages_or_skip()
    folder = tmp_path_factory.mktemp("stage")
    stage_site(ROOT, WebSettings.model_validate(WEB), folder)
    staged = json.loads((folder / "firebase.json").read_text())
    hosting, hub, logging = free_ports(3)
    places = {"hosting": hosting, "hub": hub, "logging": logging}
    emulators = {name: {"host": HOST, "port": port} for name, port in places.items()}
    every = (
        json.loads((ROOT / "firebase.json").read_text())
        | staged
        | {"emulators": emulators | {"ui": {"enabled": False}}}
    )
    (folder / "firebase.json").write_text(json.dumps(every))
    return folder


@pytest.fixture(scope="module")
def site(folder):
    """A client of the Hosting emulator."""
    command, variables = firebase_command(folder, "hosting", "demo-cbot", os.environ)
    with (folder / "log").open("wb") as log:
        emulator = subprocess.Popen(command, env=clean_environment(variables), stdout=log, stderr=log)
    port = json.loads((folder / "firebase.json").read_text())["emulators"]["hosting"]["port"]
    try:
        with httpx.Client(base_url=f"http://{HOST}:{port}", timeout=30, **LOOPBACK) as client:
            wait_until_it_answers(client, folder / "log")
            yield client
    finally:
        emulator.terminate()
        emulator.wait(30)


def wait_until_it_answers(client: httpx.Client, log: Path) -> None:
    deadline = time.monotonic() + READY_WITHIN_S
    while True:
        try:
            client.get("/")
        except httpx.TransportError:
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)
        else:
            return


def test_firebase_json_and_the_staged_one_follow_the_schema_of_firebases_tools(folder):
    tools = ROOT / "node/firebase-tools/node_modules/firebase-tools"
    command = [shutil.which("node"), "-e", IS_VALID, tools, ROOT / "firebase.json", folder / "firebase.json"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


def test_hosting_serves_the_page_the_sdk_and_the_settings_under_the_policy_of_the_deployment(folder, site):
    page = site.get("/")
    assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
    (rule,) = json.loads((folder / "firebase.json").read_text())["hosting"]["headers"]
    assert {header["key"]: page.headers.get(header["key"]) for header in rule["headers"]} == {
        header["key"]: header["value"] for header in rule["headers"]
    }
    assert site.get("/config.json").json()["firebase"] == WEB["firebase"]
    assert "javascript" in site.get("/vendor/auth.js").headers["content-type"]
    for path in ("/local/sign-in", "/package.json", "/vendor/.ready", "/api/conversations"):
        assert site.get(path).status_code == 404, path
