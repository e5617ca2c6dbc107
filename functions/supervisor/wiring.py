"""The composition root of `supervisor`: the only module here that would name adapters and config."""

from shared.domain.errors import ConfigError
from shared.services.counseling.workbench import CounselingBench
from shared.web.composition import Composition


def from_environment() -> CounselingBench:
    """Build from the environment.

    Raises:
        ConfigError: Always, until the platform's adapters are there.
    """
    raise ConfigError("no store for this platform yet: the function runs in the local server (make run)")


COMPOSITION = Composition(from_environment)
"""Built at the first request, or installed by the local server."""
