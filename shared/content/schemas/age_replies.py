"""`age_replies.yaml`: fixed replies to users under 14."""

from shared.content.schemas.crisis import CrisisText, Variants
from shared.model import Model


class AgeReplies(Model):
    """The file.

    Attributes:
        replies: Outside a follow-through.
        behind: Follows a crisis reply.
    """

    replies: Variants
    behind: CrisisText
