"""One stream of a speaker's words: opened up to its first words, then shown as it comes."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field

from shared.domain.errors import ModelEmpty, ModelError
from shared.domain.turn import DecidedBy
from shared.engine.ledger import used_by
from shared.engine.prose import Prose, end_of_sentences, shortened, whole_sentences
from shared.engine.reply_guard import ReplyWatch
from shared.ports.clock import Clock
from shared.ports.model_answers import ModelChunk, Usage
from shared.ports.model_settings import ModelSettings
from shared.safety.output_guard.guard import Guarded

LONGEST_REPLY = 1200
"""Characters after which a reply is ended. Own bound: three times what a counselor says in a chat at the most."""
_WHOLE_FROM = LONGEST_REPLY * 3 // 4
"""Characters of a reply behind which words wait for the end of their sentence: it may come too late."""


@dataclass
class Spoken:
    """A reply as the user saw it.

    Attributes:
        shortened: The stream broke or did not end, and the whole sentences before that were kept.
        guarded: What the guard made of it.
    """

    text: str
    shortened: bool = False
    guarded: Guarded = field(default_factory=lambda: Guarded(text=""))


@dataclass
class Attempt:
    """One stream and what it has given so far.

    Attributes:
        show: Shows words to the listener.
        shown: What the listener got of it.
        waiting: What may be shown behind that, once its sentence has ended.
        asked: Its request was handed to the model.
        sends: Requests that it took, as far as is known; 0 where its model rests.
        ended: When it was over; None while it runs.
        lost: It was cancelled because another stream spoke first.
        spoken: What of it stands, once it is over.
    """

    settings: ModelSettings
    decided_by: DecidedBy
    clock: Clock
    began: float
    watch: ReplyWatch
    show: Callable[[str], None]
    prose: Prose = field(default_factory=Prose)
    shown: str = ""
    waiting: str = ""
    usage: Usage = field(default_factory=Usage)
    asked: bool = False
    sends: int = 0
    first_token: float | None = None
    ended: float | None = None
    error: ModelError | None = None
    lost: bool = False
    spoken: Spoken | None = None
    reason: str = ""
    _chunks: AsyncGenerator[ModelChunk, None] | None = None
    _first_words: str = ""

    @property
    def sent(self) -> bool:
        """Whether anything was sent: a model that rests is not asked."""
        return self.sends > 0 if self.ended is not None else self.asked

    async def open(self, chunks: AsyncGenerator[ModelChunk, None]) -> None:
        """Read up to the first words, which are not shown yet; a failure is noted."""
        self._chunks, self.asked = chunks, True
        try:
            async for chunk in chunks:
                self._took(chunk)
                self._first_words = self.prose.take(chunk.text)
                if self._first_words:
                    self.first_token = self.clock.monotonic()
                    return
            raise ModelEmpty("the stream held no text")
        except ModelError as failure:
            self.failed(failure)
        finally:
            if not self._first_words:
                await self.close()

    async def read_on(self) -> None:
        """Show the first words and what comes after them, to the end; a failure is noted."""
        chunks = self._chunks
        try:
            if chunks is None or not self._hear(self._first_words):
                return
            async for chunk in chunks:
                self._took(chunk)
                text = self.prose.take(chunk.text)
                if text and not self._hear(text):
                    return
        except ModelError as failure:
            self.failed(failure)
        finally:
            await self.close()

    async def close(self) -> None:
        """End the call."""
        self.ended = self.clock.monotonic() if self.ended is None else self.ended
        if self._chunks is not None:
            await self._chunks.aclose()

    def failed(self, failure: ModelError) -> None:
        """Note a failure and what the call used up all the same."""
        self.error, self.sends = failure, max(self.sends, failure.sends)
        self.ended = self.clock.monotonic()
        if failure.prompt_tokens or failure.output_tokens:
            self.usage = used_by(failure)

    def was_cancelled(self) -> None:
        """Note that another stream spoke first; what its request cost beyond the counted tokens is not known."""
        self.ended = self.clock.monotonic()
        self.lost, self.reason = True, "cancelled: another stream spoke first"
        self.sends = max(self.sends, 1) if self.asked else 0

    def kept(self) -> Spoken | None:
        """Return what of it is fit to stand, before the guard."""
        if self.watch.caught:
            self.reason = "ended by the guard"
            return Spoken(text=self.prose.text)
        if self._full:
            self.reason = f"ended at {LONGEST_REPLY} characters"
            text = shortened(self.prose.text, LONGEST_REPLY)
            # Nothing that was shown is taken back, be its sentence as long as it may.
            return Spoken(text=text if text.startswith(self.shown) else f"{self.shown}…", shortened=True)
        if self.error is None:
            return Spoken(text=self.prose.text.rstrip())
        whole = whole_sentences(self.prose.text)
        return Spoken(text=whole, shortened=True) if whole else None

    def let_out(self, text: str) -> None:
        """Show words."""
        if text:
            self.shown += text
            self.show(text)

    @property
    def _full(self) -> bool:
        """Tell whether it is longer than a reply may be."""
        return len(self.prose.text) > LONGEST_REPLY

    def _took(self, chunk: ModelChunk) -> None:
        """Note what the call has used up so far."""
        self.usage = chunk.usage or self.usage
        self.sends = max(self.sends, chunk.sends)

    def _hear(self, text: str) -> bool:
        """Show what may be shown of the newest words; return whether more are wanted."""
        if self._full:
            return False
        self.waiting += self.watch.take(text)
        self.let_out(self._ready())
        return not self.watch.caught

    def _ready(self) -> str:
        """Take what may be shown of the waiting words."""
        near = len(self.shown) + len(self.waiting) > _WHOLE_FROM
        end = end_of_sentences(self.waiting) if near else len(self.waiting)
        ready, self.waiting = self.waiting[:end], self.waiting[end:]
        return ready
