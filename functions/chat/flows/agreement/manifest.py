"""Manifest of the agreement service."""

from collections.abc import Callable, Sequence

from functions.chat.flows.agreement.flow import AgreementFlow, orders
from functions.chat.flows.agreement.nodes import Tools, plain_tools
from shared.content.catalogue import Content
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.domain.counseling.session import Session
from shared.engine.flow import Manifest, Turn
from shared.engine.hooks import HookContext
from shared.ports.checkpoints import Checkpoints
from shared.ports.clock import Clock
from shared.ports.document_source import DocumentSource

NAME = "agreement"
FELT = 5
"""The least intensity, of 10, of a feeling that makes a question no question on a document."""


def mid_flow(state: Session) -> bool:
    """Return whether the service waits for an answer: never, each question is answered in its own turn."""
    del state
    return False


def keeps(turn: Turn[Session], content: Content) -> bool:
    """Return whether a conversation about documents goes on with a question on the open one.

    Any question may be on the user's own document, and on the service's agreement what agreements regulate; a message
    that the client sends with a document is on that. What tells a feeling, or belongs to a booking, is left to the
    other services and to the intent agent. Greetings and thanks to the service are answered by it, and orders to its
    model are refused.
    """
    state, text, words = turn.state, turn.text, content.agreement_questions
    own = state.agreement.document_id != SERVICE_AGREEMENT
    spoke = state.flow == NAME and state.answered_by in ("", NAME)
    if spoke and (words.greets(text) or words.thanks(text) or orders(text, content)):
        return True
    if turn.document_id is None and (
        state.flow != NAME
        or state.booking.mid_flow
        or not (words.asks_about_document(text) if own else words.asks_of_contracts(text))
    ):
        return False
    heard = content.session_words.asks_to_be_heard(text) or content.session_words.opens_up(text)
    return not heard and content.lexicon.read(text).emotion.intensity < FELT


def agreement(
    content: Content,
    documents: DocumentSource[AgreementDocument],
    clock: Clock,
    forms: Callable[[], Sequence[AgreementDocument]] = tuple,
    checkpoints: Checkpoints | None = None,
    tools: Tools = plain_tools,
) -> Manifest[Session]:
    """Return the manifest; see `AgreementFlow` for the parts."""

    async def end_checkpoint(context: HookContext[Session]) -> None:
        if checkpoints is not None:
            await checkpoints.end_checkpoint(context.state.conversation_id, context.result.message_id)

    return Manifest(
        name=NAME,
        flow=AgreementFlow(content, documents, clock, forms, checkpoints, tools),
        keeps=lambda turn: keeps(turn, content),
        claims=content.agreement_questions.claims,
        hints=content.agreement_questions.hints,
        after_turn=(end_checkpoint,),
    )
