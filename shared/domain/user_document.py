"""What is kept of a person beside their conversations, whatever the service."""

from datetime import datetime

from shared.domain.ids import UserId
from shared.model import Model


class UserDocument(Model):
    """The one document that outlives a user's conversations; a service extends it.

    Its owner may read all of it, so it holds only what they may see.

    Attributes:
        expire_at: Moved by what its user does, not by every write.
    """

    user_id: UserId
    updated_at: datetime
    expire_at: datetime
