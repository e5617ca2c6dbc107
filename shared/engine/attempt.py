"""One stream of a speaker: opened until its first words arrive, then shown as they come."""

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
"""Characters after which a reply is cut: three times the longest usual chat reply."""
_WHOLE_FROM = LONGEST_REPLY * 3 // 4
"""Characters of a reply from which text is shown only in whole sentences, since the cut is near."""


@dataclass
class Spoken:
    """A reply as the user saw it.

    Attributes:
        shortened: The stream broke or was too long; only whole sentences were kept.
        guarded: The output guard's result.
    """

    text: str
    shortened: bool = False
    guarded: Guarded = field(default_factory=lambda: Guarded(text=""))


@dataclass
class Attempt:
    """One stream and its progress.

    Attributes:
        show: Sends text to the listener.
        shown: Text that the listener received.
        waiting: Text that is shown once its sentence has ended.
        asked: The request was handed to the model.
        sends: Requests sent, as far as known; 0 if the circuit breaker was open.
        ended: End time on the stopwatch; None while it runs.
        lost: It was cancelled because another stream spoke first, or because the reply is not wanted any more.
        spoken: The final text, once the stream is over.
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
        """Whether a request was sent; none is sent while the circuit breaker is open."""
        return self.sends > 0 if self.ended is not None else self.asked

    async def open(self, chunks: AsyncGenerator[ModelChunk, None]) -> None:
        """Read up to the first words without showing them; a failure is recorded."""
        self._chunks, self.asked = chunks, True
        try:
            async for chunk in chunks:
                self._took(chunk)
                if self._begins(self.prose.take(chunk.text)):
                    return
            if not self._begins(self.prose.end()):
                raise ModelEmpty("the stream held no text")
        except ModelError as failure:
            self.failed(failure)
        finally:
            if not self._first_words:
                await self.close()

    async def read_on(self) -> None:
        """Show the first words and the rest of the stream; a failure is recorded."""
        chunks = self._chunks
        try:
            if chunks is None or not self._hear(self._first_words):
                return
            async for chunk in chunks:
                self._took(chunk)
                text = self.prose.take(chunk.text)
                if text and not self._hear(text):
                    return
            self._hear(self.prose.end())
        except ModelError as failure:
            self.prose.end()
            self.failed(failure)
        finally:
            await self.close()

    async def close(self) -> None:
        self.ended = self.clock.monotonic() if self.ended is None else self.ended
        if self._chunks is not None:
            await self._chunks.aclose()

    def failed(self, failure: ModelError) -> None:
        """Record a failure and the tokens that it cost."""
        self.error, self.sends = failure, max(self.sends, failure.sends)
        self.ended = self.clock.monotonic()
        if failure.prompt_tokens or failure.output_tokens:
            self.usage = used_by(failure)

    def was_cancelled(self, reason: str = "another stream spoke first") -> None:
        """Record why its text is not used; what its request cost beyond the counted tokens is unknown."""
        self.ended = self.clock.monotonic() if self.ended is None else self.ended
        self.lost, self.reason = True, f"cancelled: {reason}"
        self.sends = max(self.sends, 1) if self.asked else 0

    def kept(self) -> Spoken | None:
        """Return the text that may be kept, before the guard."""
        if self.watch.caught:
            self.reason = "ended by the guard"
            return Spoken(text=self.prose.text)
        if self._full:
            self.reason = f"ended at {LONGEST_REPLY} characters"
            text = shortened(self.prose.text, LONGEST_REPLY)
            # Text that was shown is never taken back, however long its sentence.
            return Spoken(text=text if text.startswith(self.shown) else f"{self.shown}…", shortened=True)
        if self.error is None:
            return Spoken(text=self.prose.text.rstrip())
        whole = whole_sentences(self.prose.text)
        return Spoken(text=whole, shortened=True) if whole else None

    def let_out(self, text: str) -> None:
        if text:
            self.shown += text
            self.show(text)

    @property
    def _full(self) -> bool:
        return len(self.prose.text) > LONGEST_REPLY

    def _begins(self, text: str) -> bool:
        if text:
            self._first_words, self.first_token = text, self.clock.monotonic()
        return bool(text)

    def _took(self, chunk: ModelChunk) -> None:
        self.usage = chunk.usage or self.usage
        self.sends = max(self.sends, chunk.sends)

    def _hear(self, text: str) -> bool:
        """Show the newest text as far as possible; return whether more text is wanted."""
        if self._full:
            return False
        self.waiting += self.watch.take(text)
        self.let_out(self._ready())
        return not self.watch.caught

    def _ready(self) -> str:
        near = len(self.shown) + len(self.waiting) > _WHOLE_FROM
        end = end_of_sentences(self.waiting) if near else len(self.waiting)
        ready, self.waiting = self.waiting[:end], self.waiting[end:]
        return ready
