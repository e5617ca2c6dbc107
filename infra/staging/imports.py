"""Whether everything that staged code imports of the repository is staged with it."""

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

from infra.staging.sources import Files


def missing_imports(root: Path, files: Files) -> list[str]:
    """Return what is imported and not there, as `path:line: …`.

    Imports inside functions count too, and those for type checking: an import that only a type checker follows
    still belongs to the layers. A name put together at run time is not seen; the code has none.
    """
    return [
        f"{path}:{problem}"
        for path, content in sorted(files.items())
        if path.suffix == ".py"
        for problem in _problems(root, files, content)
    ]


def _problems(root: Path, files: Files, content: bytes) -> Iterator[str]:
    try:
        imports = _imports(content)
    except SyntaxError as error:
        yield f"{error.lineno}: {error.msg}"
        return
    for node in imports:
        if isinstance(node, ast.ImportFrom) and node.level:
            yield f"{node.lineno}: imports by a relative name; the staged layout wants absolute ones"
        else:
            yield from (
                f"{node.lineno}: imports {module}, which is not staged"
                for module in _modules(root, node)
                if not _staged(files, module)
            )


@lru_cache(maxsize=2048)
def _imports(content: bytes) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Return the imports of a file; most files are staged with each function."""
    return tuple(node for node in ast.walk(ast.parse(content)) if isinstance(node, ast.Import | ast.ImportFrom))


def _modules(root: Path, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the modules of the repository that a statement imports; `from package import module` names two.

    A module of one of its packages counts even if there is no such file; what is imported from it may be no module.
    """
    if isinstance(node, ast.Import):
        named, perhaps = [alias.name for alias in node.names], []
    else:
        package = node.module or ""
        named, perhaps = [package], [f"{package}.{alias.name}" for alias in node.names]
    yield from (name for name in named if _is_there(root, name.split(".")[0]))
    yield from (name for name in perhaps if _is_there(root, name))


def _is_there(root: Path, module: str) -> bool:
    return any((root / path).is_file() for path in _paths(module))


def _staged(files: Files, module: str) -> bool:
    return any(path in files for path in _paths(module))


def _paths(module: str) -> tuple[PurePosixPath, PurePosixPath]:
    path = PurePosixPath(*module.split("."))
    return path.with_suffix(".py"), path / "__init__.py"
