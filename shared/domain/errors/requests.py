"""A caller's request that is wrong, not allowed, or not answered yet."""

from collections.abc import Mapping

from shared.domain.errors.root import CBotError, ErrorKind


class InvalidInput(CBotError):
    """The request is malformed; `detail` names the field and the reason."""

    code = "invalid_request"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class EmptyText(InvalidInput):
    """The message holds nothing a person could have meant."""

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


class Refused(CBotError):
    """The request is understood and not allowed."""

    code = "refused"


class Unauthenticated(Refused):
    """No identity, or one that does not hold; `reason` is for the log and the detail, never the token."""

    code = "unauthenticated"

    def __init__(self, reason: str) -> None:
        super().__init__(f"not authenticated: {reason}")
        self.reason = reason


class Forbidden(Refused):
    """The caller is known and has no business here; whether there is anything is not said."""

    code = "forbidden"


class ConsentRequired(Refused):
    """Consents are missing: without them no text is stored or sent to a model.

    Attributes:
        missing: Their names.
        versions: Of the texts that they are to be given to, by name.
    """

    code = "consent_required"

    def __init__(self, missing: tuple[str, ...], versions: Mapping[str, str] | None = None) -> None:
        super().__init__(f"consent missing: {', '.join(missing)}")
        self.missing = missing
        self.versions = {name: version for name, version in (versions or {}).items() if name in missing}


class GuardianRequired(Refused):
    """Under 14: a guardian's consent is needed (PIPA art. 22-2)."""

    code = "guardian_required"


class NotFound(Refused):
    """It does not exist, or is not the caller's: the two are never told apart."""

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
    """The conversation is over: its history can be read, but it takes no new message."""

    code = "session_ended"


class SessionOpen(Refused):
    """The conversation is not over yet; only an ended one can be rated."""

    code = "session_open"


class TooManyRequests(Refused):
    """Refused politely; `retry_after` in seconds."""

    code = "too_many_requests"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int, what: str) -> None:
        super().__init__(f"too many {what}; try again in {retry_after} s")
        self.retry_after = retry_after
        self.what = what


class DailyLimitReached(Refused):
    """A user has used up what they may of the day; `retry_after`: seconds until the service's next day."""

    code = "daily_limit"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the day's limit is reached; the next day begins in {retry_after} s")
        self.retry_after = retry_after


class ExportsUsedUp(DailyLimitReached):
    """A user has taken their data along as often as they may in a day."""

    code = "daily_exports"


class BudgetSpent(Refused):
    """The conversation has used up its budget of model calls."""

    code = "budget_spent"


class Overloaded(Refused):
    """This instance runs as many turns as it can at a good pace; nothing was stored. `retry_after` in seconds."""

    code = "overloaded"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"this instance is busy; try again in {retry_after} s")
        self.retry_after = retry_after


class ShuttingDown(CBotError):
    """This instance is about to end: it begins no turn, and broke off one that could not end in time.

    The same message is answered by another instance, where its turn runs anew if it was begun here.
    """

    code = "shutting_down"
    kind = ErrorKind.RETRYABLE
    retry_after = 1

    def __init__(self) -> None:
        super().__init__(f"this instance is shutting down; try again in {self.retry_after} s")


class TurnPending(CBotError):
    """The turn is still under way and did not finish while the caller waited."""

    code = "turn_pending"
    kind = ErrorKind.RETRYABLE

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"the turn is still under way; try again in {retry_after} s")
        self.retry_after = retry_after
