"""Words of problems from the content."""

from shared.content.catalogue import Content
from shared.domain.locale import Locale
from shared.web.faults import Fault


class ContentProblemTexts:
    """`ProblemTexts` from `messages.yaml`."""

    def __init__(self, content: Content) -> None:
        """Take the content."""
        self._content = content

    def problem(self, code: str, locale: Locale) -> tuple[str, str]:
        """Return title and detail template."""
        return self._content.messages(locale).problem(code)

    def fault(self, fault: Fault, locale: Locale) -> str:
        """Return what does not fit, in words."""
        messages = self._content.messages(locale)
        return messages.fault(fault.kind, field=fault.field, expected=fault.expected, limit=fault.limit)
