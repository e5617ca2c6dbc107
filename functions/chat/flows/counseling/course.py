"""The course of one turn: the session after the steps so far, and all their findings."""

from copy import copy

from functions.chat.flows.counseling.asked_before import fixed_openings
from functions.chat.flows.counseling.findings import Findings, after
from functions.chat.flows.counseling.user_message import UserMessage
from shared.content.catalogue import Content
from shared.domain.counseling.directive import Directive
from shared.domain.counseling.questions_said import QuestionsSaid, digest
from shared.domain.counseling.session import Session
from shared.engine.flow import Outcome, Turn
from shared.lexicon.asking import asks_of


class Course:
    """The session after the steps so far, and all their findings."""

    def __init__(self, turn: Turn[Session], content: Content) -> None:
        self.turn = turn
        self._content = content
        self.message = UserMessage(turn, content)
        self.session = turn.state
        self.found = Findings()

    def fork(self, turn: Turn[Session]) -> "Course":
        """Return a course that goes on from here by itself, with another turn of the same message."""
        fork = copy(self)
        fork.turn = turn
        return fork

    def take(self, other: "Course") -> None:
        """Go on from where a fork stands."""
        self.session, self.found = other.session, other.found

    def apply(self, found: Findings) -> None:
        self.session = after(self.session, found.events, self.turn.now)
        self.found += found

    def outcome(self, reply: str, directive: Directive | None = None) -> Outcome[Session]:
        if said := (*asks_of(reply), *fixed_openings(reply, self.session, self._content)):
            self.apply(Findings(events=(QuestionsSaid(digests=tuple(map(digest, said))),)))
        return Outcome(
            reply=reply,
            events=self.found.events,
            records=self.found.records,
            audit=self.found.audit,
            hooks=self.found.hooks,
            flags=self.found.flags,
            directive=None if directive is None else directive.for_record(),
        )
