"""Embedders without a model."""

import asyncio

from shared.domain.errors import ModelUnavailable
from shared.ports.embedder import Embedded


class MeaningEmbedder:
    """Embeds by a function of task and text; fails or hangs for some tasks.

    Attributes:
        tasks: Of each call, in order.
    """

    def __init__(self, meaning, name="meanings/2", *, fails_for=(), hangs_for=()):
        self._meaning = meaning
        self.name, self.fails_for, self.hangs_for, self.tasks = name, fails_for, hangs_for, []

    async def embed(self, texts, task, timeout_s):
        self.tasks.append(task)
        if task in self.hangs_for:
            await asyncio.sleep(timeout_s + 60)
        if task in self.fails_for:
            raise ModelUnavailable("away").billed(sends=1)
        vectors = tuple(self._meaning(task, f"{one.title} {one.text}") for one in texts)
        return Embedded(vectors=vectors, tokens=len(texts), sends=1, cost_krw=0.5)

    async def aclose(self):
        pass
