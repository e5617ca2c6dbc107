"""Which actions the code writes to the audit trail, read from its sources."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.support.process import ROOT


@dataclass
class Source:
    """A module: the texts at its top by name, the module of each imported name, its functions."""

    constants: dict[str, str] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    functions: list[ast.FunctionDef | ast.AsyncFunctionDef] = field(default_factory=list)


def _source(text: str) -> Source:
    tree, source = ast.parse(text), Source()
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=str(value))):
                source.constants[name] = value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = zip(map(ast.unparse, names), values, strict=True)
                source.constants |= {name: value.value for name, value in pairs if isinstance(value, ast.Constant)}
            case ast.ImportFrom(module=str(module), names=names):
                source.imports |= {alias.asname or alias.name: module for alias in names}
    source.functions += [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return source


def written_actions() -> set[str]:
    """Return every action that an audit entry is made with; LookupError where the action of a call is unknown."""
    files = [path for name in ("functions", "shared") for path in (ROOT / name).rglob("*.py")]
    sources = {".".join(p.relative_to(ROOT).with_suffix("").parts): _source(p.read_text("utf-8")) for p in files}
    takers = {
        (module, function.name): [name for name in _parameters(function) if name != "self"]
        for module, source in sources.items()
        for function in source.functions
        if "action" in _parameters(function)
    }
    return {
        action
        for module, source in sources.items()
        for function in source.functions
        for call in ast.walk(function)
        if isinstance(call, ast.Call)
        for name in [ast.unparse(call.func).removeprefix("self.")]
        for origin in [source.imports.get(name, module)]
        if name == "AuditEntry" or (origin, name) in takers
        for action in _told(_argument(call, takers.get((origin, name), [])), function, source, sources[origin])
    }


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)]


def _argument(call: ast.Call, parameters: list[str]) -> ast.expr:
    named = [keyword.value for keyword in call.keywords if keyword.arg == "action"]
    return named[0] if named else call.args[parameters.index("action")]


def _told(value: ast.expr, function: ast.AST, source: Source, origin: Source) -> Iterator[str]:
    """Yield what may stand for an action here: nothing where it is only handed on."""
    match value:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=other):
            yield from _told(body, function, source, origin)
            yield from _told(other, function, source, origin)
        case ast.Name(id=name) if name not in _parameters(function):
            assigned = [
                n.value for n in ast.walk(function) if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name
            ]
            if assigned:
                yield from _told(assigned[0], function, source, origin)
            elif text := source.constants.get(name) or origin.constants.get(name):
                yield text
            else:  # it runs over several: those that were imported together with what is called
                several = [text for constant, text in origin.constants.items() if constant in source.imports]
                if not several:
                    raise LookupError(name)
                yield from several
        case ast.Name():
            return
        case _:
            raise LookupError(ast.unparse(value))
