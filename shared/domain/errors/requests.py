"""Errors of requests that are malformed, not allowed or not answered yet."""

from collections.abc import Mapping

from shared.domain.errors.root import CBotError, ErrorKind


class InvalidInput(CBotError):
    """The request is malformed; `detail` names the field and the reason."""

    code = "invalid_request"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class EmptyText(InvalidInput):
    """The message has no content."""

    code = "empty_text"

    def __init__(self) -> None:
        super().__init__("text is empty")


class TextTooLong(InvalidInput):
    """The message is longer than the limit (both in characters)."""

    code = "text_too_long"

    def __init__(self, length: int, limit: int) -> None:
        super().__init__(f"text has {length} characters, the limit is {limit}")
        self.length = length
        self.limit = limit


class AnswersDoNotFit(InvalidInput):
    """A measure needs one answer to each of its items, within the range."""

    code = "answers_do_not_fit"

    def __init__(self, items: int, most: int) -> None:
        super().__init__(f"answers: {items} are needed, each between 0 and {most}")
        self.items = items
        self.most = most


class Refused(CBotError):
    """The request is valid but not allowed."""

    code = "refused"


class Unauthenticated(Refused):
    """No valid identity; `reason` is for the log and the detail and never holds the token."""

    code = "unauthenticated"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not authenticated: {reason}")
        self.reason = reason


class Forbidden(Refused):
    """The caller is known but has no access; the answer does not tell whether the resource exists."""

    code = "forbidden"


class ConsentRequired(Refused):
    """Consents are missing: without them no text is stored or sent to a model.

    Attributes:
        missing: Names of the missing consents.
        versions: Current text versions of the missing consents, by name.
    """

    code = "consent_required"

    def __init__(self, missing: tuple[str, ...], versions: Mapping[str, str] | None = None) -> None:
        super().__init__(f"consent missing: {', '.join(missing)}")
        self.missing = missing
        self.versions = {name: version for name, version in (versions or {}).items() if name in missing}


class GuardianRequired(Refused):
    """Under 14: a guardian must consent (PIPA art. 22-2)."""

    code = "guardian_required"


class NotFound(Refused):
    """It does not exist, or belongs to another user: the error never tells which."""

    code = "not_found"

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} not found")
        self.what = what


class MessageIdConflict(Refused):
    """The message id was used with another text."""

    code = "message_id_conflict"

    def __init__(self, message_id: str) -> None:
        super().__init__(f"message id {message_id} was used with another text")
        self.message_id = message_id


class SessionEnded(Refused):
    """The conversation has ended: its history can be read, but it takes no new message."""

    code = "session_ended"


class SessionOpen(Refused):
    """The conversation has not ended; only an ended one can be rated."""

    code = "session_open"


class MeasureClosed(Refused):
    """A measure is answered before the first message or after the end, and the conversation stands elsewhere."""

    code = "measure_closed"


class TooManyRequests(Refused):
    """A rate limit was reached; `retry_after` in seconds."""

    code = "too_many_requests"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int, what: str) -> None:
        super().__init__(f"too many {what}; try again in {retry_after} s")
        self.retry_after = retry_after
        self.what = what


class DailyLimitReached(Refused):
    """A daily limit of the user is used up; `retry_after`: seconds until the next service day."""

    code = "daily_limit"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the day's limit is reached; the next day begins in {retry_after} s")
        self.retry_after = retry_after


class ExportsUsedUp(DailyLimitReached):
    """The user reached the daily limit of data exports."""

    code = "daily_exports"


class BudgetSpent(Refused):
    """The conversation's budget of model calls is used up."""

    code = "budget_spent"


class Overloaded(Refused):
    """This instance is full; nothing was stored. `retry_after` in seconds."""

    code = "overloaded"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"this instance is busy; try again in {retry_after} s")
        self.retry_after = retry_after


class ShuttingDown(CBotError):
    """This instance stops: it starts no turn and cancelled one that did not finish in time.

    Another instance answers the same message, running its turn again if it had begun.
    """

    code = "shutting_down"
    kind = ErrorKind.RETRYABLE
    retry_after = 1

    def __init__(self) -> None:
        super().__init__(f"this instance is shutting down; try again in {self.retry_after} s")


class TurnPending(CBotError):
    """The turn did not finish while the caller waited."""

    code = "turn_pending"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the turn is still under way; try again in {retry_after} s")
        self.retry_after = retry_after


class IdentityUnavailable(CBotError):
    """The issuer's public keys are not available, so no token can be verified."""

    code = "identity_unavailable"
    kind = ErrorKind.RETRYABLE


class AppCheckFailed(Refused):
    """The call is not proven to come from one of our apps; `reason` is for the log and never holds the token."""

    code = "app_check_failed"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not one of our apps: {reason}")
        self.reason = reason
