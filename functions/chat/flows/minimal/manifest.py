"""The minimal service as the engine registers it: copy this folder to begin a new one (CONTRIBUTING.md)."""

from functions.chat.flows.minimal.flow import MinimalFlow
from shared.domain.conversation import S
from shared.engine.flow import Manifest

NAME = "minimal"


def minimal(apology: str) -> Manifest[S]:
    """Return the manifest.

    Args:
        apology: What the user gets when the model cannot answer; content, so it comes from outside.
    """
    return Manifest(name=NAME, flow=MinimalFlow(apology))
