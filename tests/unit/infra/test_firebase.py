"""`firebase.json`: hosted pages have the security headers of the local ones."""

import json
import shlex
import subprocess

import httpx

from local.pages import Elsewhere, pages
from shared.adapters.system_clock import RandomIds, SystemClock
from tests.support.process import ROOT
from tests.support.terraform import infrastructure

SOURCES = ("chat", "supervisor", "planner", "session_manager")
FIREBASE = json.loads((ROOT / "firebase.json").read_text("utf-8"))


def hosted():
    (rule,) = FIREBASE["hosting"]["headers"]
    assert rule["source"] == "**"
    return {header["key"].lower(): header["value"] for header in rule["headers"]}


def sources():
    """Return the addresses other than their own that pages may connect to."""
    connect = hosted()["content-security-policy"].rpartition("connect-src ")[2]
    own, *others = connect.split()
    assert own == "'self'"
    return others


async def test_hosted_pages_have_the_headers_of_the_local_pages():
    local = pages("demo-cbot", SystemClock(), RandomIds(), demo=False, elsewhere=Elsewhere(" ".join(sources())))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(local), base_url="http://localhost") as client:
        headers = (await client.get("/")).headers
    assert {name: headers.get(name) for name in hosted()} == hosted()
    assert set(hosted()) >= {"content-security-policy", "x-content-type-options", "referrer-policy", "cache-control"}


def test_pages_may_connect_only_to_the_functions_of_the_region_and_firebase():
    region = infrastructure().variables["region"]["default"]
    firebase = {"firestore", "identitytoolkit", "securetoken"}
    functions = f"https://*.{region}.run.app"
    assert sources() == [functions, *(f"https://{name}.googleapis.com" for name in sorted(firebase))]


def test_hosting_passes_on_no_path_of_a_stream_because_it_buffers_them():
    paths = [rewrite["source"] for rewrite in FIREBASE["hosting"]["rewrites"]]
    assert paths == ["/api/health", "/openapi.json"]
    assert "redirects" not in FIREBASE["hosting"]


def test_a_deployment_of_the_unstaged_page_or_of_the_functions_is_refused():
    for block in (FIREBASE["hosting"], *FIREBASE["functions"]):
        (command,) = block["predeploy"]
        refused = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
        assert refused.returncode == 1
        assert "docs/operations.md" in refused.stderr
    assert [block["source"] for block in FIREBASE["functions"]] == [f"build/stage/{name}" for name in SOURCES]
