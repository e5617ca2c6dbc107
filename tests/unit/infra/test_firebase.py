"""`firebase.json`: what Firebase serves and emulates is what is here, and as safe as the local pages."""

import json

import httpx

from local.pages import pages
from shared.adapters.system_clock import RandomIds, SystemClock
from tests.support.process import ROOT
from tests.support.terraform import infrastructure

FIREBASE = json.loads((ROOT / "firebase.json").read_text("utf-8"))


def hosted():
    (rule,) = FIREBASE["hosting"]["headers"]
    assert rule["source"] == "**"
    return {header["key"].lower(): header["value"] for header in rule["headers"]}


def sources():
    """Return where pages may connect to, beside their own address."""
    connect = hosted()["content-security-policy"].rpartition("connect-src ")[2]
    own, *others = connect.split()
    assert own == "'self'"
    return others


async def test_pages_bear_the_headers_of_the_local_ones():
    local = pages("demo-cbot", SystemClock(), RandomIds(), demo=False, api=" ".join(sources()))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(local), base_url="http://localhost") as client:
        headers = (await client.get("/")).headers
    assert {name: headers.get(name) for name in hosted()} == hosted()
    assert set(hosted()) >= {"content-security-policy", "x-content-type-options", "referrer-policy", "cache-control"}


def test_pages_may_reach_the_functions_of_the_region_and_firebase_and_nothing_else():
    region = infrastructure().variables["region"]["default"]
    firebase = {"firestore", "identitytoolkit", "securetoken"}
    functions = f"https://*.{region}.run.app"
    assert sources() == [functions, *(f"https://{name}.googleapis.com" for name in sorted(firebase))]


def test_no_stream_goes_through_hosting_which_buffers_it():
    assert "rewrites" not in FIREBASE["hosting"]
    assert "redirects" not in FIREBASE["hosting"]
