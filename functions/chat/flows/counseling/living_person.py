"""A wish to go to somebody whom the user told of as living is no wish to follow the dead. Rules only."""

from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session

FOLLOWS = ("ko-follow-the-dead",)
"""The only rule that finds a danger in such a wish."""


def goes_to_the_living(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the message names somebody to go to who lives, as the user told before, and no other danger."""
    told = [one.text for one in state.recent if one.role is Role.USER]
    return message.screened.crisis.rule_ids == FOLLOWS and content.crisis_answers.lives(message.text, told)
