"""Which actions the code writes to the audit trail, read from its sources."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tests.support.process import ROOT

ENTRY = "AuditEntry"
ACTION = "action"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Source:
    """One file of the code."""

    path: Path

    @cached_property
    def text(self) -> str:
        """Return it as it stands."""
        return self.path.read_text("utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Return what it says."""
        return ast.parse(self.text)

    @cached_property
    def constants(self) -> dict[str, str]:
        """Return the texts that stand at its top, by name; `A, B = "a", "b"` are two."""
        found: dict[str, str] = {}
        for node in self.tree.body:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(text))):
                    found[name] = text
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    pairs = zip(names, values, strict=True)
                    found |= {
                        n.id: v.value for n, v in pairs if isinstance(n, ast.Name) and isinstance(v, ast.Constant)
                    }
        return found

    @cached_property
    def imports(self) -> dict[str, str]:
        """Return the module of each name that it imports."""
        taken = [node for node in self.tree.body if isinstance(node, ast.ImportFrom) and node.module]
        return {alias.asname or alias.name: str(node.module) for node in taken for alias in node.names}

    @cached_property
    def functions(self) -> list[Function]:
        """Return its functions and methods."""
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]


def written_actions() -> set[str]:
    """Return every action that an audit entry is made with.

    Raises:
        LookupError: What a call gives for the action cannot be told from the source.
    """
    files = [Source(path) for name in ("functions", "shared") for path in (ROOT / name).rglob("*.py")]
    sources = {".".join(file.path.relative_to(ROOT).with_suffix("").parts): file for file in files}
    takers = {
        (module, function.name): [argument.arg for argument in function.args.args]
        for module, file in sources.items()
        if f"{ACTION}: str" in file.text
        for function in file.functions
        if ACTION in _parameters(function)
    }
    names = {ENTRY, *(name for _, name in takers)}
    return {
        action
        for module, file in sources.items()
        if any(f"{name}(" in file.text for name in names)
        for function in file.functions
        for call, origin in _calls(function, module, file, takers)
        for action in _told(_argument(call, takers.get((origin, _called(call)))), function, file, sources.get(origin))
    }


def _calls(
    function: Function, module: str, file: Source, takers: dict[tuple[str, str], list[str]]
) -> Iterator[tuple[ast.Call, str]]:
    """Give the calls in a function that take an action, with the module of what is called."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        name = _called(node)
        origin = file.imports.get(name, module)
        if name == ENTRY or (origin, name) in takers:
            yield node, origin


def _called(call: ast.Call) -> str:
    """Name what is called: a function, or a method of one's own."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
    return ""


def _argument(call: ast.Call, parameters: list[str] | None) -> ast.expr:
    named = [keyword.value for keyword in call.keywords if keyword.arg == ACTION]
    if named:
        return named[0]
    taken = [name for name in parameters or [] if name != "self"]
    return call.args[taken.index(ACTION)]


def _parameters(function: Function) -> set[str]:
    return {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}


def _told(value: ast.expr, function: Function, file: Source, origin: Source | None) -> set[str]:
    """Return what may stand for an action here: nothing where it is only handed on."""
    match value:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=body, orelse=other):
            return _told(body, function, file, origin) | _told(other, function, file, origin)
        case ast.Name(id=name) if name in _parameters(function):
            return set()
        case ast.Name(id=name):
            return _named(name, function, file, origin)
    raise LookupError(f"{file.path}: {ast.unparse(value)}")


def _named(name: str, function: Function, file: Source, origin: Source | None) -> set[str]:
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                return _told(value, function, file, origin)
    if name in file.constants:
        return {file.constants[name]}
    if origin and name in origin.constants:
        return {origin.constants[name]}
    # It runs over several: those that were imported together with what is called.
    several = {text for constant, text in (origin.constants if origin else {}).items() if constant in file.imports}
    if not several:
        raise LookupError(f"{file.path}: {name}")
    return several
