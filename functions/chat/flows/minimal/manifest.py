"""The minimal service as the engine registers it: copy this folder to begin a new one (CONTRIBUTING.md)."""

from functions.chat.flows.minimal.flow import Apology, MinimalFlow
from shared.domain.conversation import S
from shared.engine.flow import Manifest

NAME = "minimal"


def minimal(apology: Apology) -> Manifest[S]:
    """Return the manifest; `apology` is what the user gets when the model cannot answer."""
    return Manifest(name=NAME, flow=MinimalFlow(apology))
