"""A wish to go to somebody: a visit if they were told of as living, a wish to die if as dead. Rules only."""

from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session

_GOES = "ko-go-where-somebody-is"
_FOLLOWS = frozenset({"ko-follow-the-dead", _GOES})
"""The only rules that find a danger in such a wish."""


def goes_to_the_living(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the message names somebody to go to who lives, as the user told before, and no other danger."""
    found = message.screened.crisis.rule_ids
    return bool(found) and _FOLLOWS.issuperset(found) and content.crisis_answers.lives(message.text, _told(state))


def goes_to_the_dead(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the user wishes to go to somebody who has died, as they tell or told before."""
    words, told = content.crisis_answers, _told(state)
    goes = _GOES in message.screened.crisis.rule_ids and words.died(message.text, told)
    return goes or words.follows_the_dead(message.text, told)


def _told(state: Session) -> list[str]:
    return [one.text for one in state.recent if one.role is Role.USER]
