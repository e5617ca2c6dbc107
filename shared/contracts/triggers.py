"""Firestore's triggers: the event they carry, and whose documents call which entry point."""

from collections.abc import Mapping

CREATED = "google.cloud.firestore.document.v1.created"
"""The CloudEvents type of a document's creation."""
TRIGGERS: Mapping[str, str] = {
    "on_part_transition": "sessions/{conversation_id}/part_transitions/{transition}",
    "on_planner_feedback": "sessions/{conversation_id}/planner_feedback/{feedback}",
}
"""Entry point of `planner` → path of the documents that call it; `{name}` stands for any one segment.

The embedded server, the emulators and the deployment all register these, and no others.
"""
