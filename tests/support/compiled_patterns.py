"""`python -m tests.support.compiled_patterns`: finds every pattern of the product, and those that a text can stall.

It imports every module, makes every lazy pattern, and notes what `re` is asked to compile and by which line. A line
that compiles a pattern and was never reached is reported, too, so that no pattern stays out of sight. Each pattern is
then run on its own hostile texts (hostile_texts.py) under a limit of processor time.
"""

import ast
import gc
import importlib
import inspect
import json
import math
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from heapq import nlargest
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from tests.support.hostile_texts import hostile_texts
from tests.support.process import ROOT

TOPS = ("functions", "shared", "local")
_LOCAL = "local/"
"""Serves a developer: what its scripted clients and its simulated model compile is tried where it is reached."""
LONGEST_MESSAGE = 4_000
LIMIT_S = 6.0
"""Processor seconds of one pattern on one text of the longest message: far more than a fast one takes on any machine,
and far less than one takes that grows with the cube of the text."""
_SHORT, _MIDDLE = 200, 1_000
_SUSPECT_S = 0.0006
_SUSPECT_AT_MIDDLE_S = 0.03
"""Seconds on a text from which a longer one is tried: a cubic pattern would be at its limit."""
_SUSPECTS = 2
"""Short texts, the slowest, whose long forms are tried."""
_MOST_TEXTS = 80
_SHOWN = 60
_ALL_S = 900
"""Processor seconds after which the system kills this process, should a match not heed its timer."""
_CALLS = frozenset(("compile", "search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn"))

Place = tuple[str, int]


class Recorder:
    """The patterns that lines of the product have `re` compile, and those lines."""

    def __init__(self) -> None:
        self.places: dict[re.Pattern[str], set[Place]] = {}
        self._compile = re._compile
        re._compile = self._recorded

    def _recorded(self, pattern: Any, flags: Any) -> re.Pattern[Any]:
        made: re.Pattern[Any] = self._compile(pattern, flags)
        caller = _outside_re(sys._getframe(1))
        path = Path(caller.f_code.co_filename)
        if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in TOPS and isinstance(made.pattern, str):
            self.places.setdefault(made, set()).add((str(path.relative_to(ROOT)), caller.f_lineno))
        return made

    def saw(self, path: str, call: ast.Call) -> bool:
        lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
        return any(place == path and line in lines for places in self.places.values() for place, line in places)

    def add(self, source: str, place: Place) -> None:
        self.places.setdefault(self._compile(source, re.IGNORECASE), set()).add(place)


def _outside_re(frame: FrameType | None) -> FrameType:
    while frame is not None and frame.f_globals.get("__name__") == "re":
        frame = frame.f_back
    assert frame is not None
    return frame


def product_modules() -> dict[str, ModuleType]:
    """Import every module of the product; by path."""
    paths = (path.relative_to(ROOT) for top in TOPS for path in sorted((ROOT / top).rglob("*.py")))
    return {
        str(path): importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
        for path in paths
        if path.name != "__main__.py"
    }


def make_lazy_values() -> None:
    """Compute every cached property of every object of the product, and of those that come thereby."""
    done: dict[int, object] = {}
    while new := [one for one in gc.get_objects() if id(one) not in done and _of_product(type(one))]:
        for one in new:
            done[id(one)] = one
            for name in _lazy_names(type(one)):
                getattr(one, name)


@cache
def _lazy_names(kind: type) -> tuple[str, ...]:
    found = (name for one in kind.__mro__ for name, value in vars(one).items() if isinstance(value, cached_property))
    return tuple(dict.fromkeys(found))


def _of_product(kind: type) -> bool:
    return str(getattr(kind, "__module__", "")).split(".")[0] in TOPS


def call_cached_functions(modules: dict[str, ModuleType]) -> None:
    """Call every cached function without arguments that returns patterns."""
    for module in modules.values():
        for value in vars(module).values():
            if callable(getattr(value, "cache_info", None)) and value.__module__ == module.__name__:
                signature = inspect.signature(value)
                if not signature.parameters and "Pattern" in str(signature.return_annotation):
                    value()


def unseen_calls(modules: dict[str, ModuleType], recorder: Recorder) -> Iterator[str]:
    """Yield the calls of `re` that were not reached and whose pattern needs values of that moment; note the others."""
    for path, module in modules.items():
        for call in _calls_of_re(path):
            if recorder.saw(path, call):
                continue
            try:
                source = eval(compile(ast.Expression(call.args[0]), path, "eval"), vars(module))
            except NameError:
                if not path.startswith(_LOCAL):
                    yield f"{path}:{call.lineno}"
            else:
                recorder.add(source, (path, call.lineno))


def _calls_of_re(path: str) -> Iterator[ast.Call]:
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name)) if name in _CALLS:
                yield node


class _OverTime(Exception):
    pass


def _over_time(_signal: int, _frame: FrameType | None) -> None:
    raise _OverTime


def slow_text(pattern: re.Pattern[str]) -> str | None:
    """Return the beginning of a text on which the pattern is over its limit, if one is found."""
    took: list[tuple[float, str]] = []
    for text in _some(list(hostile_texts(pattern.pattern, pattern.flags, _SHORT))):
        if (seconds := _seconds(pattern, text)) > LIMIT_S:
            return text[:_SHOWN]
        took.append((seconds, text))
    suspects = (text for seconds, text in nlargest(_SUSPECTS, took) if seconds > _SUSPECT_S)
    return next((text[:_SHOWN] for text in suspects if _grows_over(pattern, text)), None)


def _grows_over(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether a pattern is over its limit on a longer text: the middle length tells if to try the longest."""
    middle = _seconds(pattern, _longer(text, _MIDDLE))
    return middle > _SUSPECT_AT_MIDDLE_S and _seconds(pattern, _longer(text, LONGEST_MESSAGE)) > LIMIT_S


def _some(texts: Sequence[str]) -> Sequence[str]:
    """Return texts from all over a long pattern, whose many alternatives share the same fragments."""
    return texts[:: -(-len(texts) // _MOST_TEXTS)]


def _longer(text: str, length: int) -> str:
    """Repeat the text's middle, which is the same piece again and again."""
    middle = text[_SHORT // 2 - 60 : _SHORT // 2 + 60]
    return text[: _SHORT // 2] + middle * ((length - _SHORT) // len(middle)) + text[_SHORT // 2 :]


def _seconds(pattern: re.Pattern[str], text: str) -> float:
    """Return how long a pattern takes on a text; infinite if it is stopped at the limit."""
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)
    try:
        for _ in pattern.finditer(text):
            pass
        pattern.fullmatch(text)
    except _OverTime:
        return math.inf
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    # The limit is of processor time; a process that waited is under it.
    return min(time.perf_counter() - began, LIMIT_S)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_ALL_S, _ALL_S))
    signal.signal(signal.SIGVTALRM, _over_time)
    recorder = Recorder()
    modules = product_modules()
    from tests.support.reached_patterns import every_joined_list, reach  # noqa: PLC0415 - imports the product

    reach()
    make_lazy_values()
    call_cached_functions(modules)
    for name, source in every_joined_list():
        recorder.add(source, (name, 0))
    unseen = sorted(unseen_calls(modules, recorder))
    found = {pattern: sorted(places) for pattern, places in recorder.places.items()}
    slow = [
        {"source": pattern.pattern, "places": places, "text": text}
        for pattern, places in found.items()
        if (text := slow_text(pattern))
    ]
    sources = [{"source": pattern.pattern, "places": places} for pattern, places in found.items()]
    json.dump({"patterns": sources, "unseen": unseen, "slow": slow}, sys.stdout)


if __name__ == "__main__":
    main()
