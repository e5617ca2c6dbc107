"""`age_replies.yaml`: what is said to a user under 14."""

from shared.content.schemas.crisis import CrisisText, Variants
from shared.model import Model


class AgeReplies(Model):
    """The file.

    Attributes:
        replies: While nothing is being followed through.
        behind: Follows what a crisis calls for.
    """

    replies: Variants
    behind: CrisisText
