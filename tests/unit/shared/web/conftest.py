"""Requests without a server, and words that show what was asked for."""

import pytest
from starlette.requests import Request

from shared.contracts.chat import ResourceView


class EchoTexts:
    """Words a problem by its code, its language and its fields."""

    def problem(self, code, locale):
        return f"{code} {locale.value}", "{detail}|{limit}|{missing}|{retry_after}"

    def fault(self, fault, locale):
        return f"{fault.field} {fault.kind} {locale.value}"

    def consent(self, name, locale):
        return name

    def help(self, danger, locale):
        return f"help {locale.value}", (ResourceView(name="line", number="109"),)


@pytest.fixture
def texts():
    return EchoTexts()


@pytest.fixture
def request_of():
    """Build a request; the body may come in several chunks."""

    def build(*chunks, method="POST", path="/", query=b"", path_params=None, **headers):
        messages = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in chunks]
        messages.append({"type": "http.request", "body": b"", "more_body": False})

        async def receive():
            return messages.pop(0)

        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query,
            "path_params": path_params or {},
            "headers": [(k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()],
        }
        return Request(scope, receive)

    return build
