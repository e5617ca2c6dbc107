"""Lists every document of an emulator's database, also those below deleted documents."""

import json
from collections.abc import Iterator
from typing import Any

import httpx

from tests.support.process import LOOPBACK

PAGE = 300


def every_document(address: str, project: str) -> dict[str, str]:
    root = f"http://{address}/v1/projects/{project}/databases/(default)/documents"
    with httpx.Client(headers={"Authorization": "Bearer owner"}, timeout=60, **LOOPBACK) as http:
        return {path.removeprefix(f"{root}/"): fields for path, fields in _below(http, root)}


def _below(http: httpx.Client, parent: str) -> Iterator[tuple[str, str]]:
    answer = http.post(f"{parent}:listCollectionIds", json={"pageSize": PAGE})
    assert answer.status_code == 200, answer.text
    collections = answer.json().get("collectionIds", [])
    assert len(collections) < PAGE
    for collection in collections:
        for document in _documents(http, f"{parent}/{collection}"):
            path = f"{parent}/{collection}/{document['name'].rpartition('/')[2]}"
            if "createTime" in document:
                yield path, json.dumps(document.get("fields", {}), ensure_ascii=False)
            yield from _below(http, path)


def _documents(http: httpx.Client, collection: str) -> Iterator[dict[str, Any]]:
    page: dict[str, Any] = {"nextPageToken": ""}
    while "nextPageToken" in page:
        query = {"showMissing": "true", "pageSize": str(PAGE), "pageToken": page["nextPageToken"]}
        answer = http.get(collection, params=query)
        assert answer.status_code == 200, answer.text
        page = answer.json()
        yield from page.get("documents", [])


def holding(documents: dict[str, str], *words: str) -> list[str]:
    """Return the paths of the documents that contain one of the words, in their path or their fields."""
    return [path for path, fields in documents.items() if any(word in path or word in fields for word in words)]
