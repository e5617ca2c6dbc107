"""Manifest of the agreement service."""

from collections.abc import Callable, Sequence

from functions.chat.flows.agreement.flow import AgreementFlow
from functions.chat.flows.agreement.nodes import Tools, plain_tools
from shared.content.catalogue import Content
from shared.domain.agreement.document import AgreementDocument
from shared.domain.counseling.session import Session
from shared.engine.flow import Manifest
from shared.engine.hooks import HookContext
from shared.ports.checkpoints import Checkpoints
from shared.ports.clock import Clock
from shared.ports.document_source import DocumentSource

NAME = "agreement"


def mid_flow(state: Session) -> bool:
    """Return whether the service waits for an answer: never, each question is answered in its own turn."""
    del state
    return False


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
        """Delete the checkpoint of a committed turn."""
        if checkpoints is not None:
            await checkpoints.end_checkpoint(context.state.conversation_id, context.result.message_id)

    return Manifest(
        name=NAME,
        flow=AgreementFlow(content, documents, clock, forms, checkpoints, tools),
        claims=content.agreement_questions.claims,
        hints=content.agreement_questions.hints,
        after_turn=(end_checkpoint,),
    )
