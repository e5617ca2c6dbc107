"""A service inside a conversation that another one keeps.

Its answer leads back to where the counselling stood. A wish for a booking beside a feeling is kept: the feeling is
heard first, and the wish is offered again, once.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol, runtime_checkable

from shared.content.catalogue import Content
from shared.contracts.events import Token
from shared.domain.booking.events import WishKept, WishOffered
from shared.domain.booking.readings import Wish
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session, SessionStatus
from shared.domain.counseling.task_events import WordsSetAside
from shared.domain.event import apply_all
from shared.engine.flow import Flow, Manifest, Outcome, Turn
from shared.engine.reply_prefix import BETWEEN

_RESTS = 2
"""Turns that hear the user before the wish is offered."""
_NO_ANSWER = "degraded"


def as_digression(manifest: Manifest[Session], content: Content) -> Manifest[Session]:
    """Return the service such that it also answers inside conversations of another flow."""
    return replace(manifest, flow=DigressionFlow(manifest.flow, manifest.name, manifest.mid_flow, content))


class DigressionFlow:
    """Runs a service; in another flow's conversation it keeps that flow's work and leads back to it."""

    def __init__(
        self, flow: Flow[Session], name: str, mid_flow: Callable[[Session], bool] | None, content: Content
    ) -> None:
        self._flow = flow
        self._name = name
        self._mid_flow = mid_flow
        self._content = content

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        outcome = await self._flow.run(turn)
        return outcome if turn.state.flow == self._name else self._kept_apart(turn, outcome)

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        return self._flow.apologize(turn)

    def _kept_apart(self, turn: Turn[Session], outcome: Outcome[Session]) -> Outcome[Session]:
        """Return the outcome with its words set aside, and with a way back to what was told once it is done."""
        aside = replace(outcome, events=(*outcome.events, WordsSetAside(seq=turn.seq)))
        after = apply_all(turn.state, outcome.events, turn.now).model_copy(update={"answered_by": self._name})
        before = {one.seq for one in turn.state.recent if one.role is Role.USER} - set(turn.state.set_aside)
        if (self._mid_flow and self._mid_flow(after)) or _NO_ANSWER in outcome.flags or not before:
            return aside
        variants = self._content.messages(turn.state.locale, turn.state.register_).variants("back_to_talk")
        back = BETWEEN + variants[turn.seq % len(variants)]
        turn.scope.emit(Token(text=back))
        return replace(aside, reply=aside.reply + back)


class WishReader(Protocol):
    """What the booking reads in a message that another service answers."""

    def beside(self, turn: Turn[Session]) -> Wish | None: ...

    def drops(self, turn: Turn[Session]) -> bool: ...

    def tells_something_else(self, turn: Turn[Session]) -> bool: ...


def keeping_wishes(manifest: Manifest[Session], wishes: WishReader, content: Content) -> Manifest[Session]:
    """Return the service such that it keeps wishes for a booking in the messages that it answers."""
    return replace(manifest, flow=WishKeepingFlow(manifest.flow, wishes, content))


@runtime_checkable
class Overhearing(Protocol):
    """A flow that hears the messages that another service answers."""

    async def overhear(self, turn: Turn[Session]) -> Outcome[Session] | str | None: ...


class WishKeepingFlow:
    """Runs a service; its outcome keeps, offers or drops a wish."""

    def __init__(self, flow: Flow[Session], wishes: WishReader, content: Content) -> None:
        self._flow = flow
        self._wishes = wishes
        self._content = content

    async def run(self, turn: Turn[Session]) -> Outcome[Session]:
        return self.keeping(turn, await self._flow.run(turn))

    async def overhear(self, turn: Turn[Session]) -> Outcome[Session] | str | None:
        heard = await self._flow.overhear(turn) if isinstance(self._flow, Overhearing) else None
        return self.keeping(turn, heard) if isinstance(heard, Outcome) else heard

    def apologize(self, turn: Turn[Session]) -> Outcome[Session]:
        return self._flow.apologize(turn)

    def keeping(self, turn: Turn[Session], outcome: Outcome[Session]) -> Outcome[Session]:
        """Return the outcome with what becomes of a wish, old or new."""
        after = apply_all(turn.state, outcome.events, turn.now)
        if after.under_14:
            return outcome
        if new := self._wishes.beside(turn):
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
        return replace(outcome, reply=outcome.reply + offer, events=(*outcome.events, offered))


def _fits(turn: Turn[Session], wish: Wish, outcome: Outcome[Session], after: Session) -> bool:
    if after.in_danger or _NO_ANSWER in outcome.flags:
        return False
    ends = after.status is not SessionStatus.ACTIVE
    return ends or (turn.seq - wish.seq >= _RESTS and not after.user_state.distressed)
