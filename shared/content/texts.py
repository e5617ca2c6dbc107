"""Words of errors, by code and language, for whoever answers a request."""

from shared.content.catalogue import Content
from shared.domain.locale import Locale


class ContentTexts:
    """Gives an error's title and detail from the messages."""

    def __init__(self, content: Content) -> None:
        """Take the content."""
        self._content = content

    def problem(self, code: str, locale: Locale) -> tuple[str, str]:
        """Return title and detail; the detail may name the error's fields as `{field}`."""
        return self._content.messages(locale).problem(code)
