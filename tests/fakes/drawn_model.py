"""`LanguageModel` whose answers are drawn: sensible, wild, broken or missing, by the mood a test puts it in."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from enum import StrEnum
from random import Random

from shared.domain import errors
from shared.ports.language_model import ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply
from tests.builders.schema_answers import ODD_WORDS, WORDS, Answers, Known
from tests.fakes.scripted_model import USAGE, AlwaysThere

REPLY, ASKING = "그러셨군요. 천천히 이야기해 주세요.", "그러셨군요. 조금 더 들려주시겠어요?"
"""What a good model says, where it is told to ask nothing and where it is told to ask something."""
FAILURES: tuple[type[errors.ModelError], ...] = (
    *(errors.ModelTimeout, errors.ModelUnavailable, errors.ModelRateLimited, errors.ModelRejected),
    *(errors.ModelBlocked, errors.ModelEmpty, errors.ModelTruncated),
)
SPOKEN = (
    *ODD_WORDS, *WORDS, REPLY, ASKING, "그러셨군요. " * 300, "오늘은 여기까지 할까요?",
    "오늘은 여기까지 할까요? 아니면 더 이야기하고 싶으세요?", "그 마음이 지금도 남아 있나요?", "네",
    "상담을 종료합니다.",
)  # fmt: skip


class Mood(StrEnum):
    """How the model answers; declared from the kindest on."""

    SENSIBLE = "sensible"
    GRUDGING = "grudging"
    """Speaks sensibly, and finds nothing reached, covered or said."""
    WILD = "wild"
    """Fits the schema, with any content."""
    BROKEN = "broken"
    """Does not fit the schema; streams break in the middle."""
    SILENT = "silent"
    """Errors and timeouts only."""
    MIXED = "mixed"
    """Each call another of these."""


class DrawnModel(AlwaysThere):
    def __init__(self, known: Callable[[], Known]) -> None:
        self._known = known
        self._mood = Mood.SENSIBLE
        self._draw = Random(0)

    def put(self, mood: Mood, seed: int) -> None:
        """Let it answer in a mood from now on; the same seed draws the same answers."""
        self._mood = mood
        self._draw = Random(seed)

    async def generate(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(0)
        assert request.response_schema is not None, f"{request.agent} answers in prose only by a stream"
        mood, answers = self._of_this_call(), Answers(self._known(), self._draw)
        if mood is Mood.SILENT:
            raise self._failure()
        how = {Mood.SENSIBLE: answers.sensible, Mood.GRUDGING: answers.grudging, Mood.WILD: answers.wild}.get(
            mood, answers.broken
        )
        return ModelReply(text=how(request.response_schema), usage=USAGE)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        await asyncio.sleep(0)
        mood = self._of_this_call()
        if mood is Mood.SILENT:
            raise self._failure()
        good = ASKING if "<ask " in request.system else REPLY
        text = good if mood in (Mood.SENSIBLE, Mood.GRUDGING) else self._draw.choice(SPOKEN)
        breaks = mood is Mood.BROKEN
        for start in range(0, len(text) // (2 if breaks else 1), 40):
            yield ModelChunk(text=text[start : start + 40])
        if breaks:
            raise errors.ModelStreamBroken("drawn")
        yield ModelChunk(text="", usage=USAGE)

    def _of_this_call(self) -> Mood:
        return self._draw.choice(list(Mood)[:-1]) if self._mood is Mood.MIXED else self._mood

    def _failure(self) -> errors.ModelError:
        return self._draw.choice(FAILURES)("drawn")
