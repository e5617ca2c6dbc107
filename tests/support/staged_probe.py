"""Run inside a clean venv with a staged folder as its argument: imports and reads everything in it.

Prints `<modules> <prompts>`; an exception names what is missing. It cannot import the tests' code.
"""

import ast
import sys
from importlib import import_module
from pathlib import Path

FOLDER = Path(sys.argv[1])
sys.path.append(str(FOLDER))  # as functions-framework does

sources = [path for path in sorted(FOLDER.rglob("*.py")) if path.name != "main.py"]
names = [".".join(path.relative_to(FOLDER).with_suffix("").parts).removesuffix(".__init__") for path in sources]
modules = [import_module(name) for name in names]
for name, module in zip(names, modules, strict=True):
    assert str(module.__file__).startswith(str(FOLDER)), f"{name} comes from {module.__file__}"

# An import within a function is needed, too.
for source in [*sources, FOLDER / "main.py"]:
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Import):
            for alias in node.names:
                import_module(alias.name)
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported = import_module(node.module)
            for alias in node.names:
                if not hasattr(imported, alias.name):
                    import_module(f"{node.module}.{alias.name}")

content = import_module("shared.content.catalogue").content
preload = sys.modules.get("functions.chat.parts")
(preload.preload if preload else str)(content())

locales = list(import_module("shared.locale").Locale)
prompt_type = import_module("shared.prompts.catalogue").Prompt
found = [value for module in modules for value in vars(module).values()]
prompts = {
    id(value): value
    for value in [*found, *(getattr(value, "prompt", None) for value in found)]
    if isinstance(value, prompt_type)
}
for prompt in prompts.values():
    for locale in locales:
        prompt.load(locale)

sys.stdout.write(f"{len(modules)} {len(prompts)}\n")
