"""Accepts request paths with line breaks."""

from starlette.convertors import PathConvertor, register_url_convertor


class AnyPath(PathConvertor):
    """A path with any characters; Starlette's own ends before a line break."""

    regex = "(?s:.*)"


def take_any_path() -> None:
    """Let every path reach the application, whose 404 is a problem document; the framework's is plain text.

    Must be called before functions-framework creates its routes, which use `{path:path}`.
    """
    register_url_convertor("path", AnyPath())
