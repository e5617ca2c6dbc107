"""Writes the folder that Hosting serves, and the firebase.json that deploys it."""

import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

from infra.hosting.policy import narrowed
from infra.hosting.settings import WebSettings
from infra.hosting.worker import WORKER, stamped_worker
from infra.staging.errors import StagingError

SITE = "hosting"
POLICY = "Content-Security-Policy"


def stage_site(root: Path, settings: WebSettings, output: Path) -> Path:
    """Make `output/hosting` and `output/firebase.json` anew from the repository at `root`; returns the folder.

    Raises:
        StagingError: The Firebase SDK is not built, or the service worker keeps a file that is not there.
    """
    vendor = root / "build" / "vendor"
    if not (vendor / "auth.js").is_file():
        raise StagingError([f"{vendor}: no Firebase SDK (make vendor, which needs Node)"])
    site = output / SITE
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(root / "web", site, ignore=shutil.ignore_patterns(".*"))
    shutil.copytree(vendor, site / "vendor", ignore=shutil.ignore_patterns(".*"))
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    _write(site / "config.json", settings.config(version))
    (site / WORKER).write_bytes(stamped_worker(site))
    _write(output / "firebase.json", {"hosting": _hosting(root, settings)})
    return site


def _hosting(root: Path, settings: WebSettings) -> dict[str, Any]:
    """Return Hosting's block of firebase.json for the staged folder, with the narrowed policy."""
    hosting: dict[str, Any] = json.loads((root / "firebase.json").read_text("utf-8"))["hosting"]
    for rule in hosting["headers"]:
        for header in rule["headers"]:
            if header["key"] == POLICY:
                header["value"] = narrowed(header["value"], settings)
    del hosting["predeploy"]  # It refuses a deployment of the unstaged page.
    return hosting | {"public": SITE}


def _write(file: Path, content: object) -> None:
    file.write_text(f"{json.dumps(content, indent=2)}\n", "utf-8")
