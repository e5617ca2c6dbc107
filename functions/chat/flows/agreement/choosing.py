"""Chooses the document that a question is about: the open one, the service's agreement, or an upload that is named."""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.content.catalogue import Content
from shared.content.schemas.agreement_messages import AgreementMessages, Saying
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.events import AgreementChosen
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.domain.conversation import Role
from shared.domain.counseling.session import Session
from shared.domain.errors import StoreUnavailable
from shared.engine.flow import Turn
from shared.ports.document_source import DocumentSource, Named


@dataclass(frozen=True)
class Chosen:
    """The document of one question.

    Attributes:
        document: None if the open one is gone.
        text: The question: what the message says, or the question before it if it only names the document.
        notice: What is said before the answer, or "".
        events: The document that is open from now on, if it changes.
    """

    document: AgreementDocument | None
    text: str
    messages: AgreementMessages
    notice: str = ""
    events: tuple[AgreementChosen, ...] = ()


@dataclass(frozen=True)
class DocumentChoice:
    """Reads which document a message means, by rules."""

    content: Content
    documents: DocumentSource[AgreementDocument]

    async def choose(self, turn: Turn[Session]) -> Chosen:
        """Return the document of a question; a message that names another one opens it, unless the client names it."""
        state, words = turn.state, self.content.agreement_questions
        if turn.document_id is not None:
            document = await self.documents.get(turn.document_id, state.user_id, state.locale)
            return Chosen(document, turn.text, self.messages(turn, document) if document else self._messages(turn))
        open_id = state.agreement.document_id
        if open_id != SERVICE_AGREEMENT and words.about_service(turn.text):
            messages = self._messages(turn)
            document = await self.documents.get(SERVICE_AGREEMENT, state.user_id, state.locale)
            return Chosen(document, turn.text, messages, messages.text(Saying.FROM_SERVICE))
        if (named := await self._named(turn, open_id)) and named.document_id != open_id:
            document = await self.documents.get(named.document_id, state.user_id, state.locale)
            if document is not None:
                messages = self.messages(turn, document)
                asked = words.without_names(turn.text, named.title) or _asked_before(turn)
                event = AgreementChosen(document_id=document.id)
                return Chosen(document, asked, messages, messages.text(Saying.NOW_ASKING), (event,))
        document = await self.documents.get(open_id, state.user_id, state.locale)
        if document is None:
            return Chosen(
                None, turn.text, self._messages(turn), events=(AgreementChosen(document_id=SERVICE_AGREEMENT),)
            )
        return Chosen(document, turn.text, self.messages(turn, document))

    async def offer(self, turn: Turn[Session]) -> str:
        """Return the offer to look in the user's newest upload, or "" if they have none."""
        own = await self._own(turn)
        return self._about(turn, own[0].title).text(Saying.OFFER_OWN) if own else ""

    def messages(self, turn: Turn[Session], document: AgreementDocument) -> AgreementMessages:
        """Return the fixed sentences about a document."""
        return self._messages(turn) if document.id == SERVICE_AGREEMENT else self._about(turn, document.title)

    async def _named(self, turn: Turn[Session], open_id: str) -> Named | None:
        """Return the upload that a message names by its title, or the newest if it only says that it was uploaded."""
        words = self.content.agreement_questions
        uploaded = words.names_upload(turn.text)
        if open_id != SERVICE_AGREEMENT and not uploaded:
            return None
        own = await self._own(turn)
        by_title = next((one for one in own if words.names(one.title, turn.text)), None)
        if by_title is None and uploaded and open_id == SERVICE_AGREEMENT:
            return next(iter(own), None)
        return by_title

    async def _own(self, turn: Turn[Session]) -> Sequence[Named]:
        """Return the user's uploads; none while the store is away, which the service's agreement does not need."""
        try:
            return await self.documents.own(turn.state.user_id)
        except StoreUnavailable:
            return ()

    def _about(self, turn: Turn[Session], title: str) -> AgreementMessages:
        # A title is the user's own words, but may order a model to say something: it is not repeated then.
        return self._messages(turn).about(title, sayable=not self.content.text_rules.instructive(title))

    def _messages(self, turn: Turn[Session]) -> AgreementMessages:
        return self.content.agreement_messages(turn.state.locale, turn.state.register_)


def _asked_before(turn: Turn[Session]) -> str:
    said = [message.text for message in turn.state.recent if message.role is Role.USER and message.text]
    return said[-1] if said else turn.text
