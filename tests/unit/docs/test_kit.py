"""The repository's kit: version and changelog, pinned actions, hooks and devcontainer, marks of typed packages."""

import json
import re
import subprocess
import tomllib

import yaml

from functions.chat.http.openapi import API_VERSION
from tests.support.process import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
VERSION = PROJECT["project"]["version"]
RELEASED = re.findall(
    r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2})$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
)
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_newest_version_of_the_changelog_is_the_projects_and_every_tag_stands_in_it():
    versions = [version for version, _ in RELEASED]
    client = json.loads((ROOT / "clients/typescript/package.json").read_text("utf-8"))["version"]
    assert {versions[0], client, API_VERSION} == {VERSION}
    assert [day for _, day in RELEASED] == sorted((day for _, day in RELEASED), reverse=True)
    tags = subprocess.run(["git", "tag", "--list", "v*"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    assert {tag.removeprefix("v") for tag in tags.split()} <= set(versions)


def test_a_workflow_runs_the_ci_script_with_pinned_actions_and_may_only_read():
    for path in WORKFLOWS:
        text = path.read_text("utf-8")
        workflow = yaml.safe_load(text)
        assert workflow["permissions"] == {"contents": "read"}
        assert all("permissions" not in job and job["timeout-minutes"] for job in workflow["jobs"].values())
        used = re.findall(r"uses: (\S+)(.*)$", text, re.MULTILINE)
        assert used
        assert [
            one for one in used if not re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", "".join(one))
        ] == []
        assert "secrets." not in text
    assert "run: bash .ci/run" in "".join(path.read_text("utf-8") for path in WORKFLOWS)


def test_the_packages_that_others_import_are_marked_as_typed_and_the_mark_is_installed():
    assert [name for name in ("shared", "local") if not (ROOT / name / "py.typed").is_file()] == []
    assert "py.typed" in PROJECT["tool"]["setuptools"]["package-data"]["*"]
