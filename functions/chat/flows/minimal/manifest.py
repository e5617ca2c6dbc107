"""Manifest of the minimal service: copy this folder to begin a new one (CONTRIBUTING.md)."""

from functions.chat.flows.minimal.flow import MinimalFlow
from shared.content.catalogue import Content
from shared.domain.conversation import S
from shared.engine.flow import Manifest

NAME = "minimal"


def minimal(content: Content) -> Manifest[S]:
    return Manifest(name=NAME, flow=MinimalFlow(content), claims=content.claim_of(NAME))
