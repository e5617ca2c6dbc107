"""The one tree of errors: each carries its fields, words itself, and says what may be done about it.

```
CBotError
├── InvalidInput                 the caller's request is wrong; never stored, never retried as it is
│   └── TextTooLong, EmptyText
├── Refused                      the request is understood and not allowed (consent, age, identity, limits)
│   └── ConsentRequired, GuardianRequired, Unauthenticated, Forbidden, AppCheckFailed, NotFound, MessageIdConflict,
│       SessionEnded, SessionOpen, TooManyRequests, Overloaded, BudgetSpent
│       DailyLimitReached        what a user may in a day is used up                 (retryable)
│       └── ExportsUsedUp
├── TurnPending                  the turn is still under way                            (retryable)
├── ShuttingDown                 this instance is about to end                          (retryable)
├── StoreError                   the store could not do it
│   ├── VersionConflict          somebody wrote first: read again, apply again      (retryable)
│   ├── DocumentExists           a create met an existing document
│   ├── DocumentTooNew           newer code wrote it: a deployment, or a rollback    (retryable)
│   ├── DocumentUnreadable       no code of ours wrote it so
│   ├── LeaseLost                the turn's fencing token is stale: it may not commit  (retryable)
│   └── StoreUnavailable                                                             (retryable)
├── IdentityUnavailable          the keys to check a token with cannot be had           (retryable)
├── ModelError                   the language model did not answer as asked
│   ├── ModelTimeout, ModelRateLimited, ModelUnavailable, ModelStreamBroken          (retryable)
│   │   └── ModelResting         nothing was sent: it failed too often of late           (retryable)
│   ├── ModelRejected            the request itself was refused (4xx): a setting or the code must change
│   │   ├── ModelNotFound        the provider does not serve the model (any more)
│   │   └── ModelAccessDenied    it refuses our key, account or location
│   ├── ModelNotAllowed          nothing was sent: a consent was withdrawn meanwhile
│   ├── ModelBlocked             a safety filter stopped prompt or answer            (safety)
│   ├── ModelEmpty, ModelTruncated
│   └── ModelSchemaMismatch      text came, but not what the schema asks
├── ContentError                 a content file is wrong: file, line, reason
└── ConfigError                  the environment is wrong: one clear line, exit 2
```
"""

from shared.domain.errors.identity import AppCheckFailed, IdentityUnavailable
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
    BudgetSpent,
    ConsentRequired,
    DailyLimitReached,
    EmptyText,
    ExportsUsedUp,
    Forbidden,
    GuardianRequired,
    InvalidInput,
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
from shared.domain.errors.root import CBotError, ErrorKind
from shared.domain.errors.setup import ConfigError, ContentError
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
    "AppCheckFailed",
    "BudgetSpent",
    "CBotError",
    "ConfigError",
    "ConsentRequired",
    "ContentError",
    "DailyLimitReached",
    "DocumentExists",
    "DocumentTooNew",
    "DocumentUnreadable",
    "EmptyText",
    "ErrorKind",
    "ExportsUsedUp",
    "Forbidden",
    "GuardianRequired",
    "IdentityUnavailable",
    "InvalidInput",
    "LeaseLost",
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
    "VersionConflict",
]
