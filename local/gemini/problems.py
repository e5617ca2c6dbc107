"""Errors in the Gemini API's format."""

from local.gemini.json_types import JsonObject


class ApiProblem(Exception):
    """An error reply: HTTP code, canonical status, message."""

    def __init__(
        self, code: int, status: str, message: str, reason: str | None = None, retry_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.message = message
        self.reason = reason
        self.retry_s = retry_s

    def body(self) -> JsonObject:
        """Return the error as a body, or as a message inside a stream."""
        error: JsonObject = {"code": self.code, "message": self.message, "status": self.status}
        if self.reason is not None:
            kind = "type.googleapis.com/google.rpc.ErrorInfo"
            error["details"] = [{"@type": kind, "reason": self.reason, "domain": "googleapis.com"}]
        if self.retry_s is not None:
            error["details"] = [
                {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{self.retry_s:g}s"}
            ]
        return {"error": error}


def invalid(message: str) -> ApiProblem:
    """Return a 400 INVALID_ARGUMENT."""
    return ApiProblem(400, "INVALID_ARGUMENT", message)
