"""The words of a transcript know whatever the product says."""

import ast
import inspect
from types import ModuleType

import pytest

from functions.chat.flows.counseling.selectors import candidates, task_selector
from local.demo.words import words
from shared.domain.counseling.records import FeedbackKind, FeedbackSource

RULING = ("settled", "_clear")
"""The functions whose answer is a rule's reason."""


def reasons(module: ModuleType) -> set[str]:
    """Return the texts that a module gives to `ledger.ruled` as reasons: what these functions return."""
    functions = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.FunctionDef)]
    return {
        one.value
        for function in functions
        if function.name in RULING
        for returned in ast.walk(function)
        if isinstance(returned, ast.Return) and returned.value is not None
        for one in ast.walk(returned.value)
        if isinstance(one, ast.Constant) and isinstance(one.value, str)
    }


@pytest.mark.parametrize("module", [candidates, task_selector])
def test_every_reason_for_a_task_is_told_in_korean(module: ModuleType) -> None:
    found = reasons(module)
    assert found
    assert found <= words().names["selection"].keys()


def test_every_request_for_another_plan_is_told_in_korean() -> None:
    assert {kind.value for kind in FeedbackKind} <= words().names["replan"].keys()
    assert {source.value for source in FeedbackSource} <= words().names["source"].keys()
