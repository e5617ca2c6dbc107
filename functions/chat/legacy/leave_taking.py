"""Leave-taking over several messages, the goodbye that ends an ordinary talk, and a wish to go to somebody. Rules only.

To go to somebody is a visit if they were told of as living, a wish to die if as dead.
"""

from functions.chat.legacy.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session, WrapUpStage
from shared.domain.counseling.task import Part
from shared.safety.levels import CrisisOutcome, Danger, RiskLevel, most_pressing
from shared.safety.reassurance import dangers
from shared.safety.signs import FAREWELL, PARTING, SETTLING, leave_taking

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


_ENDS = frozenset({"ko-end-it-all"})
"""The only rule that finds a danger in a bare "이제 끝낼게요"."""
_TOGETHER = 6
"""Earlier messages whose leave-taking counts together with the newest one."""


def leave_taken(message: UserMessage, state: Session, content: Content) -> CrisisOutcome:
    """Return what the leave-taking in this message makes together with the messages before, if it is more than alone.

    While a danger to the user's own life is followed through, a farewell or an act of leaving is imminent; in answer to
    the direct question it is a crisis. Thanks next to words of safety, or after them, are thanks.
    """
    now, risk = message.screened.crisis, state.risk
    if not now.leaving:
        return CrisisOutcome.NONE
    followed = risk.follow_through and Danger.OWN_LIFE in dangers((*risk.found, risk.outcome))
    if followed and (now.leaving >= PARTING or _leaves(message, state, content)):
        return CrisisOutcome.IMMINENT
    before = _kinds_before(state, content)
    together = leave_taking(before | now.leaving)
    asked = risk.outcome is CrisisOutcome.CONCERN and risk.asked_seq == state.seq
    if asked and _leaves(message, state, content):
        return most_pressing(together, CrisisOutcome.CRISIS)
    known = max(leave_taking(before).severity, now.outcome.severity)
    return together if together.severity > known else CrisisOutcome.NONE


def _leaves(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the message alone says farewell, or tells that things or animals were given away or settled."""
    now, said = message.screened.crisis, message.screened
    if message.denies_wish_to_die or content.crisis_answers.reassurances(said):
        return False
    thanks = FAREWELL in now.leaving and not state.risk.safe_statements
    return thanks or (now.outcome is not CrisisOutcome.NONE and not SETTLING.isdisjoint(now.leaving))


def is_ordinary_goodbye(message: UserMessage, state: Session, content: Content) -> bool:
    """Return whether the message is thanks and a goodbye alone, at the end of a session without any danger."""
    ending = state.current_part is Part.CLOSING or state.wrap_up is not None
    alone = content.session_words.says_goodbye(message.text) and not _kinds_before(state, content) - PARTING
    return _is_calm(state) and ending and alone


def ends_the_talk(message: UserMessage, state: Session) -> bool:
    """Return whether "이제 끝낼게요" alone means the talk: an end was asked about or wished, and no danger was told."""
    proposed = state.wrap_up is not None and state.wrap_up.stage is not WrapUpStage.SUGGESTED
    asked = proposed or state.stop_wished_seq is not None
    found = message.screened.crisis.rule_ids
    return bool(found) and _ENDS.issuperset(found) and _is_calm(state) and asked and message.words.only_asks_to_end


def _is_calm(state: Session) -> bool:
    return state.risk.level is RiskLevel.NONE and state.risk.last_seq is None and state.risk.over_seq is None


def _kinds_before(state: Session, content: Content) -> frozenset[str]:
    said = [one.text for one in state.recent if one.role is Role.USER and one.seq > (state.risk.over_seq or 0)]
    return frozenset().union(*(content.screening.screen(text).crisis.leaving for text in said[-_TOGETHER:]))
