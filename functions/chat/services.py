"""Room 11 of a turn: which service answers, and what it owes a conversation that another one keeps.

The answer of a service leads back to where the counselling stood. A wish for a booking beside a feeling is kept: the
feeling is heard first, and the wish is offered again, once.
"""

from collections.abc import Sequence
from dataclasses import replace

from functions.chat.flows.agreement.flow import NAME as AGREEMENT
from functions.chat.flows.agreement.flow import keeps as keeps_documents
from functions.chat.flows.booking.wishes import NAME as BOOKING
from functions.chat.flows.booking.wishes import Wishes
from functions.chat.reading import CHOICE, Heard, asked_last
from functions.chat.wordings import unsaid
from shared.content.catalogue import Content
from shared.content.conditions import Effect
from shared.contracts.events import Token
from shared.domain.booking.events import WishKept, WishOffered
from shared.domain.booking.readings import Wish
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session, SessionStatus, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import WrapUpProposed
from shared.domain.counseling.task_events import WordsSetAside
from shared.domain.counseling.user_state import UserState
from shared.domain.event import apply_all
from shared.engine.flow import Manifest, Outcome, Turn
from shared.engine.hooks import Hooks
from shared.engine.reply_prefix import BETWEEN
from shared.engine.router import FlowRouter

_RESTS = 2
"""Turns that hear the user before the wish is offered."""
_NO_ANSWER = "degraded"
_MEANT = {Effect.ANSWER_AGREEMENT: AGREEMENT, Effect.ANSWER_DOCUMENT: AGREEMENT, Effect.BOOK: BOOKING}
"""The service that a reading means, the first that holds."""
_ANSWERS = frozenset({Effect.TAKE_AS_YES, Effect.TAKE_AS_NO, Effect.ASK_END})
_ASKS = frozenset({Effect.ANSWER_FIRST, Effect.ANSWER_AGREEMENT, Effect.ANSWER_DOCUMENT})


class Services:
    """The counselling and the services beside it.

    Args:
        talk: The counselling.
        others: The services beside it.
        content: All content.
    """

    def __init__(self, talk: Manifest[Session], others: Sequence[Manifest[Session]], content: Content) -> None:
        self._router = FlowRouter((talk, *others))
        self._talk = talk
        self._content = content
        self._wishes = Wishes(content, content.booking_calendar)

    @property
    def hooks(self) -> Hooks[Session]:
        return self._router.hooks

    def holder(self, state: Session) -> Manifest[Session] | None:
        """Return the service in which a conversation was opened; None for the counselling."""
        holder = self._router.holder(state)
        return None if holder is self._talk else holder

    def choose(
        self, turn: Turn[Session], heard: Heard, *, in_danger: bool, plain: bool
    ) -> tuple[Manifest[Session] | None, str]:
        """Return the service that answers, None for the counselling, and why.

        Who is or may be in danger, answers whether to end, or tells in the middle of something else what hurts, is
        heard by the counselling; so is, in a conversation that was opened in a service, what the reading finds there
        and means no service by.
        """
        if in_danger or _answers_the_end(turn, heard, plain=plain):
            return None, "kept"
        if self._wishes.tells_something_else(turn):
            return None, "kept"
        if self._hurts(turn.state, heard):
            return None, "a feeling is heard first"
        if self._wishes.goes_on(turn) and (service := self._router.named(BOOKING)):
            return service, "kept"
        if (service := self._router.named(AGREEMENT)) and keeps_documents(turn, self._content):
            return service, "kept"
        meant = next((name for effect, name in _MEANT.items() if effect in heard.effects), None)
        if meant is None and self.holder(turn.state) and _tells(heard):
            meant = self._talk.name
        service, reason = self._router.choose(turn, meant)
        return (None if service is self._talk else service), reason

    def _hurts(self, state: Session, heard: Heard) -> bool:
        """Return whether a message tells what hurts, and asks nothing beside it of a service that is under way.

        In the middle of the counselling the Counselor hears it, has the facts, and the wish for a booking is kept; so
        they do where a question about the service comes beside an answer or something told.
        """
        felt = heard.feeling
        distressed = felt is not None and UserState(emotion=felt.name, intensity=felt.intensity).distressed
        talking = state.answered_by in ("", self._talk.name) and self._router.unfinished(state) is None
        talking = talking and self.holder(state) is None and Effect.ANSWER_DOCUMENT not in heard.effects
        if Effect.HEAR_FIRST in heard.effects or (distressed and (talking or _ASKS.isdisjoint(heard.effects))):
            return True
        told = heard.values or heard.corrections or heard.asked or not heard.effects <= _ASKS | {Effect.ASK_END}
        return talking and bool(told) and Effect.ANSWER_AGREEMENT in heard.effects and Effect.BOOK not in heard.effects

    async def run(self, turn: Turn[Session], service: Manifest[Session], *, stops: bool) -> Outcome[Session]:
        """Run a service; in a conversation of another one it keeps that one's work and leads back to it.

        Who wished to stop (`stops`) is asked whether to end instead.
        """
        outcome = replace(await service.flow.run(turn), flow=service.name)
        return outcome if turn.state.flow == service.name else self._kept_apart(turn, service, outcome, stops=stops)

    def _kept_apart(
        self, turn: Turn[Session], service: Manifest[Session], outcome: Outcome[Session], *, stops: bool
    ) -> Outcome[Session]:
        """Return the outcome with its words set aside, and with a way back to what was told once it is done."""
        aside = replace(outcome, events=(*outcome.events, WordsSetAside(seq=turn.seq)))
        after = apply_all(turn.state, outcome.events, turn.now).model_copy(update={"answered_by": service.name})
        before = {one.seq for one in turn.state.recent if one.role is Role.USER} - set(turn.state.set_aside)
        if (service.mid_flow and service.mid_flow(after)) or _NO_ANSWER in outcome.flags or not (before or stops):
            return aside
        messages = self._content.messages(turn.state.locale, turn.state.register_)
        variants = messages.variants("back_to_talk")
        back = unsaid(messages.variants("confirm_end"), turn.state) if stops else variants[turn.seq % len(variants)]
        proposed = (WrapUpProposed(aim=WrapUpAim.END, seq=turn.seq),) if stops else ()
        turn.scope.emit(Token(text=BETWEEN + back))
        events = (*aside.events, *proposed)
        return replace(aside, reply=aside.reply + BETWEEN + back, events=events, fixed=(*aside.fixed, back))

    def keep_wish(self, turn: Turn[Session], outcome: Outcome[Session], heard: Heard) -> Outcome[Session]:
        """Return an outcome of the counselling with what becomes of a wish for a booking, old or new."""
        after = apply_all(turn.state, outcome.events, turn.now)
        if after.under_14:
            return outcome
        wished = Wish(seq=turn.seq) if Effect.BOOK in heard.effects else None
        if new := self._wishes.beside(turn) or wished:
            return replace(outcome, events=(*outcome.events, WishKept(wish=new)))
        wish = turn.state.booking.wish
        if wish is None:
            return outcome
        if wish.offered_seq is not None:
            dropped = self._wishes.drops(turn) and wish.offered_seq == turn.state.seq
            return replace(outcome, events=(*outcome.events, WishKept(wish=None))) if dropped else outcome
        return self._offered(turn, outcome, after) if _fits(turn, wish, outcome, after) else outcome

    def _offered(self, turn: Turn[Session], outcome: Outcome[Session], after: Session) -> Outcome[Session]:
        replies, asks = self._content.booking_replies, "?" in outcome.reply
        told = replies.wish_left if after.ended else replies.wish_told if asks else replies.wish_question
        offer = BETWEEN + told.at(turn.state.locale, turn.state.register_)
        turn.scope.emit(Token(text=offer))
        offered = WishOffered(seq=turn.seq, asked=not asks and not after.ended)
        fixed = (*outcome.fixed, offer.strip())
        return replace(outcome, reply=outcome.reply + offer, events=(*outcome.events, offered), fixed=fixed)


def _answers_the_end(turn: Turn[Session], heard: Heard, *, plain: bool) -> bool:
    """Return whether a message answers the question whether to close or to end, and means no service."""
    asked = {WrapUpAim.WRAP_UP.value, WrapUpAim.END.value, CHOICE} & set(asked_last(turn.state))
    answers = plain or not heard.effects.isdisjoint(_ANSWERS)
    return bool(asked) and answers and heard.effects.isdisjoint(_MEANT)


def _tells(heard: Heard) -> bool:
    """Return whether a model found anything in a message."""
    return bool(heard.signs or heard.values or heard.corrections or heard.feeling)


def _fits(turn: Turn[Session], wish: Wish, outcome: Outcome[Session], after: Session) -> bool:
    asks_the_end = after.wrap_up is not None and after.wrap_up.stage is WrapUpStage.PROPOSED
    if after.in_danger or _NO_ANSWER in outcome.flags or asks_the_end:  # That question is the reply's last.
        return False
    ends = after.status is not SessionStatus.ACTIVE
    return ends or (turn.seq - wish.seq >= _RESTS and not after.user_state.distressed)
