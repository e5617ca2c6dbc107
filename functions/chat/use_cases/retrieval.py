"""Reads conversations for their owner and converts them to wire models, page by page."""

from datetime import datetime

from pydantic import JsonValue

from shared.contracts.chat import ConversationPage, ConversationView, MessagePage, MessageView
from shared.contracts.documents import DocumentExport, DocumentSummary, PassageView, UploadView
from shared.contracts.retrieval import (
    ConversationExport,
    ConversationsQuery,
    ExportedDocument,
    LastSessionView,
    Me,
    MessagesQuery,
    PersonaView,
    ProfileView,
)
from shared.domain.agreement.document import AgreementDocument, Passage
from shared.domain.agreement.upload import UploadedDocument
from shared.domain.conversation import Message
from shared.domain.counseling.profile import KeptPersona, Profile
from shared.domain.counseling.staff_review import ReviewerNote
from shared.domain.errors import NotFound
from shared.domain.ids import ConversationId
from shared.ports.conversation_documents import View
from shared.ports.conversation_reader import ConversationReader
from shared.ports.identity import Caller


async def own_view(store: ConversationReader, caller: Caller, conversation_id: ConversationId) -> View:
    """Return the view of the caller's conversation.

    Raises:
        NotFound: It does not exist or belongs to another user.
    """
    view = await store.view(conversation_id)
    if view is None or view.user_id != caller.user_id:
        raise NotFound("conversation")
    return view


async def own_conversations(store: ConversationReader, caller: Caller, query: ConversationsQuery) -> ConversationPage:
    """Return a page of the caller's conversations, newest first."""
    views = await store.views_of(caller.user_id, query.before, query.limit + 1)
    page = tuple(conversation_view(view) for view in views[: query.limit])
    return ConversationPage(conversations=page, next=page[-1].created_at if len(views) > query.limit else None)


async def history(store: ConversationReader, conversation_id: ConversationId, query: MessagesQuery) -> MessagePage:
    """Return a page of the history: whole turns, in order."""
    found = await store.messages(conversation_id, query.after, query.limit + 1)
    turns = sorted({message.seq for message in found})
    if len(turns) <= query.limit:
        return MessagePage(messages=tuple(message_view(message) for message in found))
    last = turns[query.limit - 1]
    return MessagePage(messages=tuple(message_view(m) for m in found if m.seq <= last), next=last)


async def export(store: ConversationReader, conversation_id: ConversationId, now: datetime) -> ConversationExport:
    """Return everything stored about a conversation, including reviewers' notes without their names."""
    documents = await store.export(conversation_id)
    return ConversationExport(
        conversation_id=conversation_id,
        exported_at=now,
        documents=tuple(ExportedDocument(path=path, fields=_own(path, fields)) for path, fields in documents),
    )


def _own(path: str, fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return a document's fields without those that identify staff."""
    if f"/{ReviewerNote.collection}/" not in path:
        return fields
    return {name: value for name, value in fields.items() if name != "by"}


def me_view(caller: Caller, profile: Profile | None) -> Me:
    """Convert a profile for its owner; an empty one if there is none."""
    if profile is None:
        return Me(user_id=caller.user_id, profile=ProfileView())
    persona, last = profile.persona, profile.last_session
    shown = ProfileView(
        name=profile.name,
        summary=profile.summary,
        goals=tuple(kept.goal for kept in profile.goals),
        next_plan=profile.next_plan,
        persona=_persona_view(persona) if persona else None,
        last_session=LastSessionView.model_validate(last.model_dump(exclude={"in_danger"})) if last else None,
        sessions=profile.sessions,
        under_14=profile.under_14,
        updated_at=profile.updated_at,
        expire_at=profile.expire_at,
    )
    return Me(user_id=caller.user_id, profile=shown)


def _persona_view(persona: KeptPersona) -> PersonaView:
    return PersonaView(
        type=persona.type,
        type_specific_keywords=persona.type_specific_keywords,
        common_keywords=persona.common_keywords,
        counseling_level=persona.counseling_level,
        updated_at=persona.updated_at,
    )


def summary_view(kept: UploadedDocument) -> DocumentSummary:
    return DocumentSummary(
        document_id=kept.document_id,
        title=kept.title,
        locale=kept.locale.value,
        version=kept.version,
        upload=upload_view(kept),
        passages=kept.passages,
    )


def upload_view(kept: UploadedDocument) -> UploadView:
    return UploadView.model_validate(kept.model_dump(include=set(UploadView.model_fields)))


def passage_view(passage: Passage) -> PassageView:
    return PassageView.model_validate(passage.model_dump())


def document_export(kept: UploadedDocument, document: AgreementDocument) -> DocumentExport:
    return DocumentExport(
        document_id=kept.document_id,
        title=kept.title,
        locale=kept.locale.value,
        version=kept.version,
        upload=upload_view(kept),
        passages=tuple(map(passage_view, document.passages)),
    )


def conversation_view(view: View) -> ConversationView:
    return ConversationView.model_validate(view.model_dump(exclude={"user_id", "expire_at", "measures"}))


def message_view(message: Message) -> MessageView:
    return MessageView(
        seq=message.seq,
        role=message.role.value,
        text=message.text,
        created_at=message.created_at,
        message_id=message.message_id,
    )
