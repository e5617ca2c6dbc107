"""`DocumentDatabase` on Cloud Firestore, through the generated async client of its v1 API.

Importing `database` or `connection` imports the client (0.3 s), so composition roots import them when they build.
"""
