"""Files and symbols that pages of docs/ name, and checks that they exist."""

import ast
import re
from functools import cache

from tests.support.process import ROOT

NOTHING = "—"
CELL = re.compile(rf"{NOTHING}|`[^`]+`(?:, `[^`]+`)*")
"""A cell of a table with names of files or symbols."""


def entries(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def defined(path: str) -> set[str]:
    """Return the qualified names that a Python file defines: functions, classes, methods, fields and constants."""
    names: set[str] = set()

    def walk(body: list[ast.stmt], owner: str) -> None:
        for node in body:
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef():
                    names.add(owner + node.name)
                case ast.ClassDef():
                    names.add(owner + node.name)
                    walk(node.body, f"{owner}{node.name}.")
                case ast.Assign():
                    names.update(owner + target.id for target in node.targets if isinstance(target, ast.Name))
                case ast.AnnAssign(target=ast.Name(id=name)):
                    names.add(owner + name)

    walk(ast.parse((ROOT / path).read_text("utf-8")).body, "")
    return names


def is_in(symbol: str, path: str) -> bool:
    """Return whether a Python file defines a symbol, or another file contains it."""
    if path.endswith(".py"):
        return symbol in defined(path)
    return re.search(rf"(?<!\w){re.escape(symbol)}(?!\w)", (ROOT / path).read_text("utf-8")) is not None


def missing_places(cell: str) -> list[str]:
    """Return each `file` or `file:symbol` of a cell that does not exist; the whole cell, if its form is wrong."""
    return [entry for entry in entries(cell) if not _is_place(entry)] if CELL.fullmatch(cell) else [cell]


def _is_place(entry: str) -> bool:
    path, _, symbol = entry.partition(":")
    return (ROOT / path).is_file() and (not symbol or is_in(symbol, path))
