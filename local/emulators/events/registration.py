"""Registers triggers with the Firestore emulator."""

from collections.abc import Mapping

import httpx

from local.eventarc import DATABASE, NAMESPACE
from local.loopback import NO_AUTHORITIES
from shared.contracts.triggers import CREATED
from shared.domain.errors import ConfigError

_TIMEOUT_S = 10.0


async def register_triggers(
    emulator: str, project: str, patterns: Mapping[str, str], *, database: str = DATABASE
) -> None:
    """Register triggers for created documents; safe to repeat.

    The emulator keeps them in memory, so they must be registered after each of its starts.

    Args:
        emulator: `host:port`. It was started with the address of the events' receiver.
        project: The documents' project.
        patterns: Document paths by trigger id; `{name}` stands for one segment.
        database: The project's database.

    Raises:
        ConfigError: A pattern is no document path, or the emulator refuses it or does not answer.
    """
    for trigger_id, pattern in patterns.items():
        _require_document_path(trigger_id, pattern)
    async with httpx.AsyncClient(
        base_url=f"http://{emulator}", timeout=_TIMEOUT_S, trust_env=False, verify=NO_AUTHORITIES
    ) as http:
        for trigger_id, pattern in patterns.items():
            await _register(http, project, trigger_id, _trigger(pattern, database))


def _trigger(pattern: str, database: str) -> dict[str, object]:
    return {
        "eventType": CREATED,
        "database": database,
        "namespace": NAMESPACE,
        "document": {"value": pattern, "matchType": "PATH_PATTERN"},
    }


async def _register(http: httpx.AsyncClient, project: str, trigger_id: str, trigger: dict[str, object]) -> None:
    path = f"/emulator/v1/projects/{project}/eventarcTrigger"
    try:
        answer = await http.post(path, params={"eventarcTriggerId": trigger_id}, json=trigger)
    except httpx.TransportError as error:
        raise ConfigError(f"no Firestore emulator at {http.base_url.netloc.decode()}: {type(error).__name__}") from None
    if answer.status_code != httpx.codes.OK:
        raise ConfigError(f"the Firestore emulator refuses trigger {trigger_id}: {answer.status_code}")


def _require_document_path(trigger_id: str, pattern: str) -> None:
    """Refuse a path that the emulator would accept and then fail every commit of the project with."""
    segments = pattern.split("/")
    if len(segments) % 2 or not all(segments):
        raise ConfigError(f"trigger {trigger_id}: {pattern!r} is no path of documents")
