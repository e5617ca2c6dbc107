"""Addresses with a line break in them."""

from starlette.convertors import PathConvertor, register_url_convertor


class AnyPath(PathConvertor):
    """A path with whatever characters; Starlette's own ends before a line break."""

    regex = "(?s:.*)"


def take_any_path() -> None:
    """Let every address reach the application, whose 404 is a problem document; the framework's would be plain text.

    To be called before functions-framework makes its routes, which take `{path:path}`.
    """
    register_url_convertor("path", AnyPath())
