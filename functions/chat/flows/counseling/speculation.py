"""The Counselor's reply, begun while the message is still being read.

It begins on the plan that rules alone make. When the first look at the message is in, it goes on or begins anew on the
plan that the look leads to, and is shown unless the look finds a danger. The rest of the analysis (values, evidence)
arrives while the reply streams, and is checked before the commit.

What the model is asked decides whether a plan held: if the decisions lead to the same prompt, dialogue and guard, the
reply under way is the reply that would have been asked for.
"""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from functions.chat.flows.counseling.detectors.first_look import FirstLook, look_in
from functions.chat.flows.counseling.prepared_reply import PreparedReply
from functions.chat.flows.counseling.turn_options import SpeculationPolicy, enough
from functions.chat.legacy.user_message import UserMessage
from shared.contracts.events import Replace, StreamEvent
from shared.domain.counseling.session import Session
from shared.engine.flow import Turn
from shared.engine.held_speech import HeldSpeech
from shared.engine.reply_prefix import ReplyPrefix
from shared.safety.levels import RiskLevel

AGENT = "speculation"
"""Name in the turn record; its output is `held`, `changed`, `contradicted` or `off`."""

FEWEST_TO_BEGIN_ANEW = 3
"""Requests that must be left: the new stream, a selector and the reply after a plan that changes once more."""


@dataclass(frozen=True)
class BegunReply:
    """A reply under way that the listener sees."""

    reply: PreparedReply
    speech: HeldSpeech
    prefix: ReplyPrefix

    async def take_back(self, emit: Callable[[StreamEvent], None]) -> None:
        """Cancel the reply and clear what the listener sees of it."""
        await self.speech.drop()
        emit(Replace(text=""))


class Speculation:
    """One turn's reply that is begun early.

    Args:
        turn: The turn.
        message: The user's message.
        policy: Decides whether to begin early.
        by_name: Slots of which it is enough to know that there is a value.

    Attributes:
        expected: The reply under way; None if none was begun.
        changed: How often another one was begun.
        sure: Nothing but late evidence can change the reply that is expected.
    """

    def __init__(
        self, turn: Turn[Session], message: UserMessage, policy: SpeculationPolicy, by_name: Collection[str]
    ) -> None:
        self.expected: PreparedReply | None = None
        self.changed = 0
        self.sure = False
        self._turn = turn
        self._policy = policy
        self._by_name = by_name
        self._held: HeldSpeech | None = None
        self._shown: BegunReply | None = None
        self._look: asyncio.Future[FirstLook] = asyncio.get_running_loop().create_future()
        # A weak sign of danger, or a danger under way, waits for the whole analysis.
        self._may_show_early = not message.screened.crisis.hints and turn.state.risk.level is RiskLevel.NONE

    def wanted(self) -> bool:
        """Return whether a reply is to be begun early; if not, the turn record says why."""
        reason = self._policy.reason_not_to(self._turn.state.conversation_id, self._turn.scope.sends)
        if reason is not None:
            self._turn.scope.ledger.ruled(AGENT, "off", reason)
        return reason is None

    async def expect(self, reply: PreparedReply, *, sure: bool) -> None:
        """Begin to speak, unless the same reply is under way; nothing is shown yet.

        Args:
            reply: The reply that is expected.
            sure: See `Speculation.sure`.
        """
        self.sure, turn = sure, self._turn
        if self.expected is not None:
            if self._failed or reply.sounds_like(self.expected):
                return
            self.changed += 1
            await self.stop()
            if not enough(turn.scope.sends, FEWEST_TO_BEGIN_ANEW):
                return
        self.expected = reply
        self._held = HeldSpeech(turn.runner, reply.speech, turn.scope, reply.guard)

    def arrived(self, text: str) -> None:
        """Note the first look once it is whole; `text` is the beginning of the analysis."""
        if not self._look.done() and (look := look_in(text, by_name=self._by_name)):
            self._look.set_result(look)

    async def first_look(self, deciding: "asyncio.Future[Any]") -> FirstLook | None:
        """Return the first look; None if the decisions are there before it, or if it must not be acted on."""
        if self._held is None or not self._may_show_early:
            return None
        await asyncio.wait((self._look, deciding), return_when=asyncio.FIRST_COMPLETED)
        look = self._look.result() if self._look.done() else None
        return None if look is None or look.in_danger else look

    def show_early(self) -> None:
        """Let the listener see the reply under way, unless a selector's answer may still change it."""
        if self.sure:
            self._show()

    @property
    def _failed(self) -> bool:
        return self._held is not None and self._shown is None and self._held.failed

    def _show(self) -> None:
        if self._held is not None and self.expected is not None and self._shown is None:
            prefix = ReplyPrefix(self.expected.notice, self._turn.scope.emit)
            self._shown = BegunReply(self.expected, self._held, prefix)
            self._held.release(prefix.emit)

    async def settle(self, decided: PreparedReply | None) -> BegunReply | None:
        """Return the reply under way if it is the decided one or is shown already; else cancel it.

        Args:
            decided: What the decisions lead to; None if it is no reply of the Counselor.
        """
        if self.expected is None:
            return None
        if decided is not None and self._failed:
            self.expected = decided  # Two streams have just failed: no third is opened for other words.
        holds = self._held is not None and decided is not None and decided.sounds_like(self.expected)
        if holds:
            self._show()
        outcome = "contradicted" if self._shown and not holds else "held" if holds and not self.changed else "changed"
        self._turn.scope.ledger.ruled(AGENT, outcome, "")
        self._policy.note(self._turn.state.conversation_id, held=outcome == "held")
        if self._shown is None:
            await self.stop()
        shown, self._held, self._shown = self._shown, None, None
        return shown

    async def stop(self) -> None:
        """Cancel a reply that is not wanted."""
        held, self._held = self._held, None
        if held is not None:
            await held.drop()
