"""Events of a turn about an agreement."""

from datetime import datetime

from shared.domain.counseling.session import Session
from shared.domain.event import Event


class AgreementAnswered(Event[Session]):
    """A question on an agreement was answered, with the notice that this is no legal advice."""

    def apply(self, state: Session, at: datetime) -> Session:
        return _changed(state, advice_declined=True)


class AgreementChosen(Event[Session]):
    """The conversation asks about another document from now on."""

    document_id: str

    def apply(self, state: Session, at: datetime) -> Session:
        return _changed(state, document_id=self.document_id)


def _changed(state: Session, **changes: object) -> Session:
    changed = state.agreement.model_copy(update=changes)
    return state if changed == state.agreement else state.model_copy(update={"agreement": changed})
