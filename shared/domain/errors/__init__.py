"""The tree of errors: each has typed fields, its own message and a kind.

```
CBotError
├── InvalidInput                 the request is malformed; not stored, not retryable
│   ├── TextTooLong, EmptyText, AnswersDoNotFit
│   └── FileRefused              an uploaded file cannot be taken
│       └── FileTypeRefused, FileTooLarge, FileTooLong, FileProtected, FileWithMacros, FileIsBomb, FileTooSlow,
│           FileScanned, FileWithoutText, FileBroken
├── Refused                      the request is valid but not allowed (consent, age, identity, limits)
│   └── ConsentRequired, GuardianRequired, Unauthenticated, Forbidden, AppCheckFailed, NotFound, MessageIdConflict,
│       SessionEnded, SessionOpen, MeasureClosed, DocumentLimitReached, TooManyRequests, Overloaded, BudgetSpent
│       DailyLimitReached        a daily limit of the user is used up                 (retryable)
│       └── ExportsUsedUp, UploadsUsedUp
├── TurnPending                  the turn is still running                              (retryable)
├── ShuttingDown                 this instance stops                                    (retryable)
├── StoreError                   the store failed
│   ├── VersionConflict          another writer was first: read and apply again     (retryable)
│   ├── DocumentExists           a create met an existing document
│   ├── DocumentTooNew           newer code wrote it: a deployment, or a rollback    (retryable)
│   ├── DocumentUnreadable       damaged, or edited by hand
│   ├── LeaseLost                the turn's fencing token is stale: it may not commit  (retryable)
│   └── StoreUnavailable                                                             (retryable)
├── IdentityUnavailable          the keys that verify tokens are not available          (retryable)
├── ModelError                   the language model did not answer as asked
│   ├── ModelTimeout, ModelRateLimited, ModelUnavailable, ModelStreamBroken          (retryable)
│   │   └── ModelResting         nothing was sent: the circuit breaker is open           (retryable)
│   ├── ModelRejected            the request itself was refused (4xx): a setting or the code must change
│   │   ├── ModelNotFound        the provider does not serve the model
│   │   └── ModelAccessDenied    the provider refuses our key, account or location
│   ├── ModelNotAllowed          nothing was sent: a consent was withdrawn
│   ├── ModelBlocked             a safety filter stopped prompt or answer            (safety)
│   ├── ModelEmpty, ModelTruncated
│   └── ModelSchemaMismatch      the answer does not fit the schema
├── ContentError                 a content file is wrong: file, line, reason
└── ConfigError                  the environment is wrong: one line, exit 2
```
"""

from shared.domain.errors.files import (
    FILE_PROBLEMS,
    DocumentLimitReached,
    FileBroken,
    FileIsBomb,
    FileProtected,
    FileRefused,
    FileScanned,
    FileTooLarge,
    FileTooLong,
    FileTooSlow,
    FileTypeRefused,
    FileWithMacros,
    FileWithoutText,
    UploadsUsedUp,
)
from shared.domain.errors.model import (
    ModelAccessDenied,
    ModelBlocked,
    ModelEmpty,
    ModelError,
    ModelNotAllowed,
    ModelNotFound,
    ModelRateLimited,
    ModelRejected,
    ModelResting,
    ModelSchemaMismatch,
    ModelStreamBroken,
    ModelTimeout,
    ModelTruncated,
    ModelUnavailable,
    Refusal,
)
from shared.domain.errors.requests import (
    AnswersDoNotFit,
    AppCheckFailed,
    BudgetSpent,
    ConsentRequired,
    DailyLimitReached,
    EmptyText,
    ExportsUsedUp,
    Forbidden,
    GuardianRequired,
    IdentityUnavailable,
    InvalidInput,
    MeasureClosed,
    MessageIdConflict,
    NotFound,
    Overloaded,
    Refused,
    SessionEnded,
    SessionOpen,
    ShuttingDown,
    TextTooLong,
    TooManyRequests,
    TurnPending,
    Unauthenticated,
)
from shared.domain.errors.root import CBotError, ConfigError, ContentError, ErrorKind
from shared.domain.errors.store import (
    DocumentExists,
    DocumentTooNew,
    DocumentUnreadable,
    LeaseLost,
    StoreError,
    StoreUnavailable,
    VersionConflict,
)

__all__ = [
    "FILE_PROBLEMS",
    "AnswersDoNotFit",
    "AppCheckFailed",
    "BudgetSpent",
    "CBotError",
    "ConfigError",
    "ConsentRequired",
    "ContentError",
    "DailyLimitReached",
    "DocumentExists",
    "DocumentLimitReached",
    "DocumentTooNew",
    "DocumentUnreadable",
    "EmptyText",
    "ErrorKind",
    "ExportsUsedUp",
    "FileBroken",
    "FileIsBomb",
    "FileProtected",
    "FileRefused",
    "FileScanned",
    "FileTooLarge",
    "FileTooLong",
    "FileTooSlow",
    "FileTypeRefused",
    "FileWithMacros",
    "FileWithoutText",
    "Forbidden",
    "GuardianRequired",
    "IdentityUnavailable",
    "InvalidInput",
    "LeaseLost",
    "MeasureClosed",
    "MessageIdConflict",
    "ModelAccessDenied",
    "ModelBlocked",
    "ModelEmpty",
    "ModelError",
    "ModelNotAllowed",
    "ModelNotFound",
    "ModelRateLimited",
    "ModelRejected",
    "ModelResting",
    "ModelSchemaMismatch",
    "ModelStreamBroken",
    "ModelTimeout",
    "ModelTruncated",
    "ModelUnavailable",
    "NotFound",
    "Overloaded",
    "Refusal",
    "Refused",
    "SessionEnded",
    "SessionOpen",
    "ShuttingDown",
    "StoreError",
    "StoreUnavailable",
    "TextTooLong",
    "TooManyRequests",
    "TurnPending",
    "Unauthenticated",
    "UploadsUsedUp",
    "VersionConflict",
]
