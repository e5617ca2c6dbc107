"""Texts of problems from the content."""

from shared.content.catalogue import Content
from shared.contracts.chat import ResourceView
from shared.locale import Locale
from shared.web.danger import DangerNotice
from shared.web.faults import FieldFault


class ContentProblemTexts:
    """`ProblemTexts` from `messages.yaml`."""

    def __init__(self, content: Content) -> None:
        self._content = content

    def problem(self, code: str, locale: Locale) -> tuple[str, str]:
        """See `ProblemTexts`."""
        return self._content.messages(locale).problem(code)

    def fault(self, fault: FieldFault, locale: Locale) -> str:
        """See `ProblemTexts`."""
        messages = self._content.messages(locale)
        return messages.fault(fault.kind, field=fault.field, expected=fault.expected, limit=fault.limit)

    def consent(self, name: str, locale: Locale) -> str:
        """See `ProblemTexts`."""
        return self._content.messages(locale).consent(name)

    def help(self, danger: DangerNotice, locale: Locale) -> tuple[str, tuple[ResourceView, ...]]:
        """See `ProblemTexts`."""
        lines = self._content.crisis_replies.resources(locale, danger.needs, minor=danger.minor)
        shown = tuple(ResourceView(name=line.name, number=line.number, hours=line.hours) for line in lines)
        return self._content.messages(locale).text("unanswered_in_danger"), shown
