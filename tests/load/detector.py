"""The cost of the safety rules: loading with the first message, and the longest messages."""

import random
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import yaml

from shared.content.catalogue import content
from tests.load.figures import Figure, percentile, progress
from tests.support.process import run_python

LONGEST = 4000  # characters of the longest message that is taken
LONG_GOAL_MS, LOAD_GOAL_S, MEMORY_GOAL_MIB = 40, 0.25, 15
READINGS, STARTS = 5, 5
FIRST = """
import sys, time, psutil, yaml, pydantic, ahocorasick_rs, shared.content.loader, shared.content.safety_rules as rules
process = psutil.Process()
memory, begun = process.memory_info().rss, time.process_time()
rules.load_screening().screen(sys.argv[1])
print(time.process_time() - begun, (process.memory_info().rss - memory) / 2**20)
"""
"""Run in a new process; its first imports are needed by other parts as well."""
MESSAGE = "요즘 너무 힘들어서 그냥 죽고 싶어요"
WORDS: dict[str, list[str]] = yaml.safe_load((Path(__file__).parent / "words.yaml").read_text("utf-8"))


def detector(posts: int) -> list[Figure]:
    """Measure the safety rules, with so many long messages of each language."""
    progress(f"safety rules: {STARTS} new processes")
    started = [map(float, run_python("-c", FIRST, MESSAGE).stdout.split()) for _ in range(STARTS)]
    seconds, mebibytes = (statistics.median(values) for values in zip(*started, strict=True))
    how = f"in a new process, CPU time; median of {STARTS}"
    after = "safety rules, memory after the first message"
    return [
        Figure("safety rules, load and first message", seconds, " s", LOAD_GOAL_S, how),
        Figure(after, mebibytes, " MiB", MEMORY_GOAL_MIB, "resident, the same"),
        _long("", WORDS["korean"], posts),
        _long(", in English", WORDS["english"], posts),
    ]


def _long(language: str, sentences: Sequence[str], posts: int) -> Figure:
    name = f"safety rules, {LONGEST:,} characters, p99{language}"
    progress(f"{name}: {posts} messages")
    chance = random.Random(0)
    texts = [_post(chance, sentences) for _ in range(posts)]
    for text in texts:
        content().screening.screen(text)
    took = [statistics.median(_reading(text) for _ in range(READINGS)) for text in texts]
    how = f"CPU time of {posts} posts of ordinary sentences in chance order; median of {READINGS} readings each"
    return Figure(name, percentile(took, 99), " ms", LONG_GOAL_MS, how)


def _post(chance: random.Random, sentences: Sequence[str]) -> str:
    text = ""
    while len(text) < LONGEST:
        text += chance.choice(sentences) + chance.choice((". ", ".\n", " ", "... ", "? "))
    return text[:LONGEST]


def _reading(text: str) -> float:
    begun = time.process_time()
    content().screening.screen(text)
    return (time.process_time() - begun) * 1000
