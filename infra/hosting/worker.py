"""The page's service worker as it is deployed: its version is the digest of the files that it keeps."""

import hashlib
import re
from pathlib import Path

from infra.staging.errors import StagingError

WORKER = "sw.js"
_FILES = re.compile(r"const FILES = \[(.*?)\];", re.DOTALL)
_NAME = re.compile(r'"([^"]+)"')
_VERSION = 'const VERSION = "unstaged";'


def stamped_worker(site: Path) -> bytes:
    """Return the worker of a site with its version; another content of any file that it keeps gives another one.

    Raises:
        StagingError: The worker keeps a file that is not there, or has no list of files or no version to fill in.
    """
    source = (site / WORKER).read_text("utf-8")
    listed = _FILES.search(source)
    if listed is None or _VERSION not in source:
        raise StagingError([f"{WORKER}: no list of files or no version"])
    names = sorted(_NAME.findall(listed[1]))
    missing = [f"{WORKER}: keeps {name}, which is not there" for name in names if not (site / name).is_file()]
    if missing:
        raise StagingError(missing)
    digest = hashlib.sha256()
    for name in names:
        content = (site / name).read_bytes()
        digest.update(f"{name} {len(content)}\n".encode() + content)
    return source.replace(_VERSION, f'const VERSION = "{digest.hexdigest()[:16]}";').encode()
