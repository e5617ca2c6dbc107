"""The service worker as it is deployed: its version follows what it keeps."""

import re
import shutil

import pytest

from infra.hosting.worker import WORKER, stamped_worker
from infra.staging.errors import StagingError
from tests.support.process import ROOT


@pytest.fixture
def site(tmp_path):
    return shutil.copytree(ROOT / "web", tmp_path / "site")


def version(site):
    return re.search(rb'const VERSION = "(\w+)";', stamped_worker(site))[1]


def test_the_version_is_another_one_exactly_when_a_kept_file_is(site):
    first = version(site)
    (site / "review.css").write_text("")
    assert version(site) == first != b"unstaged"
    (site / "style.css").write_text("")
    assert version(site) != first


def test_a_worker_that_keeps_a_missing_file_is_refused(site):
    (site / "style.css").unlink()
    with pytest.raises(StagingError, match="style"):
        stamped_worker(site)
    (site / WORKER).write_text("const VERSION = 1;")
    with pytest.raises(StagingError):
        stamped_worker(site)
