"""The Counselor's reply, begun before the reading is in, and held until it is known to be wanted.

`decide` is pure: a guess decides on what nobody has said yet, or on a reading that finds no sign, and then on all that
decides of the reading. If that leads to the same directive, the words are shown; else they are begun anew.
"""

import asyncio
from dataclasses import replace

from pydantic import ValidationError

from functions.chat.deciding import Decision
from functions.chat.reading import NOTHING_READ, ReaderInput, Reading, asked_last
from functions.chat.speaking import Prepared
from shared.contracts.events import Replace, StreamEvent
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part
from shared.domain.slots import SlotKind
from shared.engine.attempt import Spoken
from shared.engine.flow import Turn
from shared.engine.ledger import Ledger
from shared.engine.partial_json import so_far
from shared.engine.reply_prefix import ReplyPrefix
from shared.engine.speech import deliver

AGENT = "early_reply"
"""Name in the turn record; its output is `held`, `changed` or `contradicted`."""
FEWEST_SENDS = 4
"""Requests that must be left: the reading and its retry, the stream, and another if the plan changes."""
SIGNS_END, LOOK_ENDS = LOOKS = ("asked", "values")
"""The fields before which the looks end: the first may begin a reply, the second shows it."""
_UNKNOWN = NOTHING_READ.model_copy(update={"next_task": ""}).model_dump()
_FIELDS = tuple(Reading.model_fields)


def begins_at_once(before: Session) -> bool:
    """Return whether a reply may be begun before the first look: in Part 2, where one message ends no task."""
    task = before.task_in_progress
    goes_on = task is not None and task.part is Part.EXPLORATION and len(task.signs) + 1 < task.min_turns
    return goes_on and not asked_last(before) and before.wrap_up is None


def look_before(ends: str, text: str) -> Reading | None:
    """Return the beginning of a reading once the fields before `ends` are in `text`, which is what has arrived."""
    if f'"{ends}"' not in text:
        return None
    begun, fields = so_far(text), _FIELDS[: _FIELDS.index(ends)]
    try:
        return Reading.model_validate(_UNKNOWN | {name: begun[name] for name in fields})
    except (KeyError, ValidationError):
        return None


def decides(look: Reading, given: ReaderInput, reply: Prepared) -> bool:
    """Return whether a look is enough to show a reply: no danger, and no told value that may shape the directive."""
    kinds, ask = {slot.name: slot.kind for slot in given.slots}, reply.decision.directive.ask
    told = [one.id.partition(":") for one in look.signs if one.id.startswith(("told:", "corrects:"))]
    late = all(kind == "told" and kinds.get(name) is SlotKind.TEXT for kind, _, name in told)
    return late and not look.danger and (ask is None or ask.slot not in {name for _, _, name in told})


class EarlyReply:
    """One turn's reply that is begun early."""

    def __init__(self, turn: Turn[Session]) -> None:
        self._turn = turn
        self._reply: Prepared | None = None
        self._task: asyncio.Task[Spoken | None] | None = None
        self._ledger = Ledger()
        self._held: list[StreamEvent] = []
        self._prefix: ReplyPrefix | None = None
        self._changed = False

    async def begin(self, reply: Prepared) -> None:
        """Begin to speak, unless the same reply is under way; nothing is shown yet."""
        if self._reply is not None:
            if self._prefix is not None or reply.sounds_like(self._reply):
                return
            self._changed = True
            await self._drop()
        sends = self._turn.scope.sends.left
        if sends is not None and sends < FEWEST_SENDS:
            return
        self._reply, self._ledger, self._held = reply, Ledger(), []
        scope = replace(self._turn.scope, ledger=self._ledger, emit=self._take)
        self._task = asyncio.create_task(deliver(self._turn.runner, reply.speech, scope, reply.guard))

    def show(self) -> None:
        """Show what was held and what follows."""
        if self._reply is None or self._prefix is not None or self._failed:
            return
        self._prefix = ReplyPrefix(self._reply.notice, self._turn.scope.emit)
        for event in self._held:
            self._prefix.emit(event)

    async def settle(self, decided: Prepared) -> tuple[Prepared, ReplyPrefix, Spoken | None] | None:
        """Return the reply under way if it is the decided one or is shown already; else cancel it."""
        if self._reply is None or self._task is None:
            return None
        broke = self._task.done() and self._task.exception() is not None  # Who said nothing is not asked anew.
        holds = not broke and decided.sounds_like(self._reply)
        if holds:
            self.show()
        changed = "changed" if self._prefix is None or holds else "contradicted"
        outcome = "held" if holds and not self._changed else changed
        self._turn.scope.ledger.ruled(AGENT, outcome, "")
        if self._prefix is None and not holds:
            await self._drop()
            return None
        prefix = self._prefix or ReplyPrefix(decided.notice, self._turn.scope.emit)
        shown = decided if holds else replace(self._reply, decision=_over(decided, self._reply))
        try:
            return shown, prefix, await self._task
        finally:
            self._turn.scope.ledger.add(self._ledger)
            self._task = None

    async def take_back(self) -> None:
        """Cancel the reply, and clear what was shown of it: a danger is answered in its place."""
        if self._prefix is not None:
            self._turn.scope.emit(Replace(text=""))
        await self.stop()

    async def stop(self) -> None:
        """Cancel a reply that is not wanted; its tokens are wasted."""
        await self._drop()
        self._reply = None

    @property
    def _failed(self) -> bool:
        task = self._task
        return task is not None and task.done() and (task.exception() is not None or task.result() is None)

    def _take(self, event: StreamEvent) -> None:
        if self._prefix is None:
            self._held.append(event)
        else:
            self._prefix.emit(event)

    async def _drop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._turn.scope.ledger.add(self._ledger.wasted())


def _over(decided: Prepared, shown: Prepared) -> Decision:
    """Return what was decided, with the directive that is shown: late evidence takes nothing back."""
    return replace(decided.decision, directive=shown.decision.directive)
