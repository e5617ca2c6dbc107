"""Firestore's triggers: their event type, and the document paths of each entry point."""

from collections.abc import Mapping

CREATED = "google.cloud.firestore.document.v1.created"
TRIGGERS: Mapping[str, str] = {
    "on_part_transition": "sessions/{conversation_id}/part_transitions/{transition}",
    "on_planner_feedback": "sessions/{conversation_id}/planner_feedback/{feedback}",
}
"""Document path by entry point of `planner`; `{name}` stands for one segment. The embedded server, the emulators and
the deployment register exactly these."""
