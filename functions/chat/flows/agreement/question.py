"""The question of one turn, with what every node of its search reads."""

from dataclasses import dataclass

from functions.chat.flows.agreement.agents import Line, PassageView
from shared.content.schemas.agreement_messages import AgreementMessages, Saying
from shared.domain.agreement.citing import Sources
from shared.domain.agreement.search_state import SearchState
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.domain.agreement.tools import Library
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.turn import DecidedBy
from shared.engine.flow import Turn
from shared.engine.prose import excerpt
from shared.lexicon.agreement_questions import AgreementQuestions

LEAST_SECONDS = 0.8
"""Seconds that must be left for another analyser; with fewer, the answer is given from what was read."""
KEPT_FOR_THE_ANSWER = 1
"""Requests that no node before the last one takes."""
LONGEST_PASSAGE = 2000
"""Characters of a passage in a prompt; a longer one keeps its head and tail."""
_EARLIER = 2
"""Messages before the question, where it cannot be understood without them."""
_LONGEST_LINE = 400


@dataclass(frozen=True)
class Question:
    """A question on a document."""

    turn: Turn[Session]
    library: Library
    words: AgreementQuestions
    messages: AgreementMessages

    @property
    def text(self) -> str:
        return self.turn.text

    @property
    def own(self) -> bool:
        """Whether the document is the user's own."""
        return self.library.document.id != SERVICE_AGREEMENT

    @property
    def unknown(self) -> str:
        """The sentence for what the document does not say; of the service's agreement the operator can be asked."""
        return self.messages.text(Saying.UNKNOWN if self.own else Saying.UNKNOWN_OF_SERVICE)

    @property
    def in_document(self) -> bool:
        """Whether words of the question stand in the user's own document, whatever it is about."""
        return self.own and self.library.index.mentions(self.text)

    @property
    def follows(self) -> bool:
        """Whether the question refers to the dialogue before it."""
        return bool(self.turn.state.recent) and self.words.refers_back(self.text)

    @property
    def earlier(self) -> tuple[Line, ...]:
        """The messages before the question, if it refers to them."""
        if not self.follows:
            return ()
        recent = [message for message in self.turn.state.recent if message.text][-_EARLIER:]
        return tuple(
            Line(speaker="user" if message.role is Role.USER else "service", text=excerpt(message.text, _LONGEST_LINE))
            for message in recent
        )

    @property
    def may_ask(self) -> bool:
        """Whether the turn has the time and the requests for another analyser besides the answer."""
        scope = self.turn.scope
        left = scope.sends.left
        in_time = scope.analysis_left(self.turn.runner.clock.monotonic()) >= LEAST_SECONDS
        return in_time and (left is None or left > KEPT_FOR_THE_ANSWER)

    def decided_by(self, agent: str) -> DecidedBy:
        """Return who decided in an agent's newest run."""
        runs = [run for run in self.turn.scope.ledger.runs if run.agent == agent]
        return runs[-1].decided_by if runs else DecidedBy.RULE

    def sources(self, state: SearchState) -> Sources:
        """Return what was read, as it may be cited."""
        return Sources.of(self.library, state.read, self.turn.state.locale)

    def passages(self, state: SearchState) -> tuple[PassageView, ...]:
        """Return what was read, as prompts show it."""
        return tuple(
            PassageView(label=one.label, title=one.passage.title, text=excerpt(one.passage.text, LONGEST_PASSAGE))
            for one in self.sources(state).all
        )

    @staticmethod
    def done(state: SearchState) -> tuple[str, ...]:
        """Return the calls that were run, with what they found."""
        return tuple(f"{run.call.signature} → {run.error or run.note}" for run in state.runs)
