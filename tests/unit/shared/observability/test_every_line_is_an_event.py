import ast
from pathlib import Path

ROOT = Path(__file__).parents[4]
PLAIN = {"debug", "info", "warning", "error", "exception", "critical", "log"}
MAY = ("shared/adapters", "shared/observability")
"""Adapters tell about their vendors in plain lines, in which only ids, numbers and codes are filled in."""


def plain_lines(file):
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PLAIN:
            owner = node.func.value
            if isinstance(owner, ast.Name) and owner.id.strip("_") in {"log", "logger", "logging"}:
                yield f"{file.relative_to(ROOT)}:{node.lineno}"


def test_the_product_logs_by_events_alone_and_prints_nothing():
    files = [file for top in ("functions", "shared") for file in (ROOT / top).rglob("*.py")]
    ours = [file for file in files if not str(file.relative_to(ROOT)).startswith(MAY)]
    assert len(ours) > 100
    assert [line for file in ours for line in plain_lines(file)] == []
