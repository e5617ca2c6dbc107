"""`make stage` of the page: its settings, its policy, and the files that Hosting serves."""

import json
import re

import pytest

from infra.hosting.__main__ import main
from infra.hosting.policy import narrowed
from infra.hosting.settings import WebSettings
from tests.builders.web_settings import APP, CHAT, WEB
from tests.support.process import ROOT
from tests.support.terraform import infrastructure

FIREBASE = json.loads((ROOT / "firebase.json").read_text("utf-8"))


def policy_of(hosting):
    (rule,) = hosting["headers"]
    return next(header["value"] for header in rule["headers"] if header["key"] == "Content-Security-Policy")


def directives(policy):
    return {
        name: set(sources.split()) for name, _, sources in (part.strip().partition(" ") for part in policy.split(";"))
    }


@pytest.fixture
def repository(tmp_path):
    """A page with its built SDK."""
    files = {
        "web/index.html": "<p>",
        "web/config.json": '{"auth": "local"}',
        "web/js/main.js": "1",
        "web/sw.js": 'const VERSION = "unstaged";\nconst FILES = ["index.html", "js/main.js"];',
        "build/vendor/auth.js": "2",
        "build/vendor/.ready": "",
        "build/web.json": json.dumps(WEB),
        "firebase.json": json.dumps(FIREBASE),
        "pyproject.toml": '[project]\nversion = "4.5.6"\n',
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_the_staged_page_has_the_sdk_and_the_settings_of_its_deployment(repository):
    assert main(["--root", str(repository)]) == 0
    site = repository / "build/stage/hosting"
    served = {str(path.relative_to(site)) for path in site.rglob("*") if path.is_file()}
    assert served == {"index.html", "config.json", "js/main.js", "sw.js", "vendor/auth.js"}
    assert "unstaged" not in (site / "sw.js").read_text()
    assert json.loads((site / "config.json").read_text()) == WEB | {"auth": "firebase", "version": "4.5.6"}
    deployed = json.loads((site.parent / "firebase.json").read_text())
    assert deployed.keys() == {"hosting"}
    assert deployed["hosting"]["public"] == "hosting"
    assert "predeploy" not in deployed["hosting"]
    assert CHAT in directives(policy_of(deployed["hosting"]))["connect-src"]


def test_the_policy_names_only_the_origins_of_what_is_switched_on():
    before = directives(policy_of(FIREBASE["hosting"]))
    plain = directives(narrowed(policy_of(FIREBASE["hosting"]), WebSettings.model_validate(WEB)))
    services = {f"https://{name}.googleapis.com" for name in ("firestore", "identitytoolkit", "securetoken")}
    assert plain == before | {"connect-src": {"'self'", CHAT, *services}}
    every = WebSettings.model_validate(WEB | {"google": True, "app_check": "6Lc"})
    opened = directives(narrowed(policy_of(FIREBASE["hosting"]), every))
    assert opened["frame-src"] - {"'self'"} >= {"https://cbot-dev-example.firebaseapp.com"}
    assert opened["default-src"] == {"'self'"}
    hosts = {re.match(r"https://([^/]+)", source)[1] for source in set().union(*opened.values()) if "://" in source}
    google = ("apis.google.com", "www.google.com", "recaptcha.google.com", "www.gstatic.com")
    assert hosts <= {CHAT.removeprefix("https://"), APP["authDomain"], *google, *(
        f"{name}.googleapis.com" for name in ("firestore", "identitytoolkit", "securetoken", "content-firebaseappcheck")
    )}  # fmt: skip
    assert not any("unsafe" in source or source == "*" for source in set().union(*opened.values()))


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"api": "http://chat.example"}, "api"),
        ({"firebase": APP | {"apiKey": ""}}, "firebase.apiKey"),
        ({"firebase": APP | {"authDomain": "x; script-src *"}}, "firebase.authDomain"),
        ({"secret": "x"}, "secret"),
    ],
)
def test_wrong_settings_stop_the_staging_and_are_named(repository, capsys, changed, named):
    (repository / "build/web.json").write_text(json.dumps(WEB | changed), "utf-8")
    assert main(["--root", str(repository)]) == 1
    assert f"web.json: {named}: " in capsys.readouterr().err
    assert not (repository / "build/stage/hosting").exists()


def test_without_settings_no_page_is_staged_and_without_the_sdk_the_staging_fails(repository, capsys):
    (repository / "build/vendor/auth.js").unlink()
    assert main(["--root", str(repository)]) == 1
    assert "make vendor" in capsys.readouterr().err
    (repository / "build/web.json").unlink()
    assert main(["--root", str(repository)]) == 0
    assert "terraform -chdir=infra output -json web" in capsys.readouterr().out
    assert not (repository / "build/stage/hosting").exists()


def test_terraform_gives_exactly_the_settings_of_the_page():
    given = infrastructure().outputs["web"]["value"]
    assert given.keys() == WEB.keys() == WebSettings.model_fields.keys()
    assert given["firebase"].keys() == APP.keys()
