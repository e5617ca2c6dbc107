"""Automatic deletion: Firestore's TTL works on one field of all documents of a collection group.

Deleting a document leaves its subcollections, so every document has the field. The policies are in `infra`; Firestore
deletes within about a day after the time. https://firebase.google.com/docs/firestore/ttl
"""

EXPIRY = "expire_at"
"""A time, as a top-level field."""
