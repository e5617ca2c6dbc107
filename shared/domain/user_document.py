"""The document of a user beyond their conversations, for every service."""

from datetime import datetime

from shared.domain.ids import UserId
from shared.model import Model


class UserDocument(Model):
    """The one document that outlives a user's conversations; a service extends it.

    Its owner may read all of it, so it must hold nothing confidential from them.

    Attributes:
        expire_at: Moved by actions of the user, not by every write.
    """

    user_id: UserId
    updated_at: datetime
    expire_at: datetime
