"""What the message of a request was found to tell of: whatever the request is answered, it names who can help."""

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from shared.safety.needs import Need

_KEY = "cbot.danger"


@dataclass(frozen=True)
class DangerNotice:
    """What kind of help a message calls for; nothing of what it says."""

    needs: tuple[Need, ...]
    minor: bool = False


def note_danger(scope: MutableMapping[str, Any], danger: DangerNotice) -> None:
    """Let every problem that answers the request from here on heed it, wherever it comes up."""
    scope[_KEY] = danger


def danger_of(scope: MutableMapping[str, Any]) -> DangerNotice | None:
    """Return what was noted of the request."""
    found = scope.get(_KEY)
    return found if isinstance(found, DangerNotice) else None
