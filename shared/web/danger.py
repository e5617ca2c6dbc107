"""Danger found in a request's message, so that every problem that answers it names sources of help."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from shared.safety.needs import Need

_KEY = "cbot.danger"


@dataclass(frozen=True)
class DangerNotice:
    """Needs of a message, without its text."""

    needs: tuple[Need, ...]
    minor: bool = False


def note_danger(scope: MutableMapping[str, Any], danger: DangerNotice) -> None:
    """Store the notice for all problems that answer the request from here on."""
    scope[_KEY] = danger


def danger_of(scope: MutableMapping[str, Any]) -> DangerNotice | None:
    """Return the notice of the request, if any."""
    found = scope.get(_KEY)
    return found if isinstance(found, DangerNotice) else None
