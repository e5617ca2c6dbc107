"""What is deleted by itself: Firestore's TTL works on one field of the documents of a collection group.

Deleting a document leaves what lies below it, so every document bears the field, in subcollections too. The policies
are in `infra`; Firestore deletes within a day or so of the time.
https://firebase.google.com/docs/firestore/ttl
"""

EXPIRY = "expire_at"
"""A time, at the top of the document."""

TTL_COLLECTIONS = (
    "audit",
    "closings",
    "completions",
    "conversations",
    "erasures",
    "failures",
    "mailboxes",
    "messages",
    "part_transitions",
    "planner_feedback",
    "plans",
    "ratings",
    "reviewer_notes",
    "reviews",
    "sessions",
    "supervision",
    "turns",
    "usage",
    "users",
    "withdrawals",
)
"""Ids of all collections that documents are written to, whatever they lie below."""
