"""What stops a staging."""

from collections.abc import Sequence


class StagingError(Exception):
    """The sources cannot be staged as they are; nothing half-made is left.

    Attributes:
        problems: Each names its file, and the line where there is one.
    """

    def __init__(self, problems: Sequence[str]) -> None:
        """Take what is wrong, all of it."""
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))
