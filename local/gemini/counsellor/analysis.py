"""Answers of the message analyst: the task's completion and the person's state in one."""

from collections.abc import Iterator

from local.gemini.counsellor.completion import complete
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.state import read_state
from local.gemini.json_types import JsonObject

_CLEAR, _STRONG = 4, 7


def analyse(prompt: Prompt) -> JsonObject:
    """Read the newest message."""
    done, state = complete(prompt), read_state(prompt)
    slots = done["slots"]
    names = [str(one["name"]) for one in slots if isinstance(one, dict)] if isinstance(slots, list) else []
    return {
        "look": [*_danger(state), *_task(done, names), *_state(state)],
        "slots": slots,
        "intensity": state["intensity"],
        "state_evidence": state["evidence"],
        "task_evidence": done["evidence"],
    }


def _danger(state: JsonObject) -> Iterator[str]:
    if state["risk"] != "none":
        yield str(state["risk"])


def _task(done: JsonObject, names: list[str]) -> Iterator[str]:
    if done["complete"]:
        yield "complete"
    yield from (f"value:{name}" for name in names)


def _state(state: JsonObject) -> Iterator[str]:
    if state["resistance"] != "none":
        yield f"{state['resistance']}_resistance"
    if state["emotion"] != "neutral":
        yield str(state["emotion"])
        intensity = int(str(state["intensity"]))
        if intensity >= _CLEAR:
            yield "strong_feeling" if intensity >= _STRONG else "clear_feeling"
    if state["emotion_change"] != "none":
        yield str(state["emotion_change"])
    yield from (name for name in ("topic_changed", "circular") if state[name])
