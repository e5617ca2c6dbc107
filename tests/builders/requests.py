"""Requests without a server."""

from starlette.requests import Request


def request_of(*chunks, method="POST", query=b"", path_params=None, **headers):
    """Build a request; its body may come in several chunks."""
    messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
    messages.append({"type": "http.request", "body": b""})

    async def receive():
        return messages.pop(0)

    raw = [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in headers.items()]
    where = {"type": "http", "method": method, "path": "/", "query_string": query, "path_params": path_params or {}}
    return Request({**where, "headers": raw}, receive)
