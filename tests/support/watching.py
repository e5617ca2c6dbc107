"""Watches a session through Google's own Firestore client, as the console does, and never through our API."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore

from tests.support.polling import WITHIN_S, until

BELOW = ("part_transitions", "planner_feedback", "supervision", "reviews", "completions", "turns")
"""Subcollections of a session that are listened to."""


@dataclass
class Watched:
    """The changes so far; `timeline` has `collection/id` of new documents, `name=value` of the session."""

    client: firestore.Client
    conversation_id: str
    timeline: list[str] = field(default_factory=list)
    session: dict[str, Any] = field(default_factory=dict)
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def sees(self, what: str, *, within_s: float = WITHIN_S) -> None:
        """Wait until something is in the timeline; `collection/` stands for any document of it."""
        await until(lambda: self.has(what), within_s=within_s, what=f"{what}, after {self.timeline[-8:]},")

    def has(self, what: str) -> bool:
        return any(one == what or (what.endswith("/") and one.startswith(what)) for one in list(self.timeline))


@contextmanager
def firestore_client(address: str, project: str) -> Iterator[firestore.Client]:
    with mock.patch.dict(os.environ, {"FIRESTORE_EMULATOR_HOST": address}):
        client = firestore.Client(project=project, credentials=AnonymousCredentials())
    try:
        yield client
    finally:
        client.close()


@contextmanager
def watching(client: firestore.Client, conversation_id: str) -> Iterator[Watched]:
    """Listen to a session and all below it."""
    watched = Watched(client, conversation_id)
    lock = threading.Lock()
    session = client.document(f"sessions/{conversation_id}")

    def session_changed(snapshots: Any, _changes: Any, _at: Any) -> None:
        with lock:
            for snapshot in snapshots:
                before, watched.session = watched.session, snapshot.to_dict() or {}
                for name in ("current_part", "plan_status", "status"):
                    if not before or before.get(name) != watched.session.get(name):
                        watched.timeline.append(f"{name}={watched.session.get(name)}")

    def documents_changed(_snapshots: Any, changes: Any, _at: Any) -> None:
        with lock:
            for change in changes:
                path = change.document.reference.path.removeprefix(f"sessions/{conversation_id}/")
                watched.documents[path] = change.document.to_dict()
                if change.type.name == "ADDED":
                    watched.timeline.append(path)

    listeners = [session.on_snapshot(session_changed)]
    listeners += [session.collection(name).on_snapshot(documents_changed) for name in BELOW]
    try:
        yield watched
    finally:
        for listener in listeners:
            listener.unsubscribe()
        deadline = time.monotonic() + 5
        while any(listener.is_active for listener in listeners) and time.monotonic() < deadline:
            time.sleep(0.01)
