"""Whether `make run-emulators` starts Firebase's Auth emulator."""

import pytest

from local.emulators import auth
from shared.domain.errors import ConfigError


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A machine with Node, Firebase's tools and the SDK."""
    for path in ("node", "firebase.js", "vendor/auth.js"):
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.touch(0o755)
    monkeypatch.setattr(auth, "FIREBASE", tmp_path / "firebase.js")
    monkeypatch.setattr(auth, "VENDOR", tmp_path / "vendor")
    return tmp_path


def test_it_starts_where_node_and_the_packages_are_unless_the_local_sign_in_is_chosen(installed):
    environment = {"PATH": str(installed)}
    assert auth.wanted(environment)
    assert not auth.wanted(environment | {"CBOT_SIGN_IN": "local"})
    (installed / "vendor/auth.js").unlink()
    assert not auth.wanted(environment)
    assert "make vendor" in auth.missing(environment)
    assert auth.missing({"PATH": ""}) == "no Node"


def test_a_choice_that_cannot_be_met_or_is_unknown_is_refused(installed):
    for environment in ({"PATH": "", "CBOT_SIGN_IN": "firebase"}, {"PATH": str(installed), "CBOT_SIGN_IN": "google"}):
        with pytest.raises(ConfigError, match="CBOT_SIGN_IN"):
            auth.wanted(environment)
