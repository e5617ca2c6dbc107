"""A service's answer inside a counselling conversation: the counselling goes on where it stood."""

from collections.abc import Callable
from dataclasses import replace

from shared.content.catalogue import Content
from shared.contracts.events import Token
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.counseling.task_events import WordsSetAside
from shared.domain.event import apply_all
from shared.engine.flow import Flow, Manifest, Outcome, Turn
from shared.engine.reply_prefix import BETWEEN

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
