"""Words of problems from the content."""

from shared.content.catalogue import Content
from shared.domain.locale import Locale


class ContentProblemTexts:
    """`ProblemTexts` from `messages.yaml`."""

    def __init__(self, content: Content) -> None:
        """Take the content."""
        self._content = content

    def problem(self, code: str, locale: Locale) -> tuple[str, str]:
        """Return title and detail template."""
        return self._content.messages(locale).problem(code)
