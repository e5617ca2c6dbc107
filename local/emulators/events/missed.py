"""Recovers events that the Firestore emulator posted without a listener, since it does not retry."""

from collections.abc import Mapping

import httpx

from local.emulators.events.received import Received, announced
from local.loopback import NO_AUTHORITIES
from shared.domain.errors import ConfigError

_TIMEOUT_S = 10.0
_AS_ADMINISTRATOR = {"authorization": "Bearer owner"}


async def missed_events(emulator: str, project: str, patterns: Mapping[str, str]) -> list[Received]:
    """Return an event for each document of a trigger.

    Most were delivered before; handlers ignore repeated events.

    Args:
        emulator: `host:port`.
        project: The documents' project.
        patterns: Document paths by trigger id.

    Raises:
        ConfigError: The emulator does not answer as expected.
    """
    found: list[Received] = []
    async with httpx.AsyncClient(
        base_url=f"http://{emulator}", timeout=_TIMEOUT_S, trust_env=False, verify=NO_AUTHORITIES
    ) as http:
        for trigger_id, pattern in patterns.items():
            found += [
                announced(trigger_id, name, created) for name, created in await _documents(http, project, pattern)
            ]
    return found


async def _documents(http: httpx.AsyncClient, project: str, pattern: str) -> list[tuple[str, str]]:
    """Return name and time of each document in the pattern's collection group."""
    collection = pattern.split("/")[-2]
    query = {
        "structuredQuery": {
            "select": {"fields": [{"fieldPath": "__name__"}]},
            "from": [{"collectionId": collection, "allDescendants": True}],
        }
    }
    path = f"/v1/projects/{project}/databases/(default)/documents:runQuery"
    try:
        answer = await http.post(path, json=query, headers=_AS_ADMINISTRATOR)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise ConfigError(f"the Firestore emulator does not tell of {collection}: {type(error).__name__}") from None
    documents = [row["document"] for row in answer.json() if "document" in row]
    return [(document["name"], document["createTime"]) for document in documents]
