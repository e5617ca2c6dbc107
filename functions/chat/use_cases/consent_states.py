"""The state of a user's consents, for display."""

from collections.abc import Mapping

from shared.content.schemas.consents import ConsentFile
from shared.contracts.retrieval import ConsentState, MyConsents
from shared.domain.consents import lacking
from shared.domain.conversation import Consent
from shared.locale import Locale


def consents_shown(texts: ConsentFile, consents: Mapping[str, Consent], locale: Locale) -> MyConsents:
    """Return the state of each consent; after a withdrawal with a note on stored data."""
    due = lacking(consents, texts.required)
    states = []
    for text in texts.consents:
        kept = consents.get(text.id)
        states.append(
            ConsentState(
                id=text.id,
                version=text.version,
                required=text.required,
                granted=kept is not None and kept.granted,
                granted_version=kept.version if kept and kept.granted else None,
                at=kept.at if kept else None,
                withdrawn_at=kept.withdrawn_at if kept else None,
                due=text.id in due,
            )
        )
    withdrawn = any(one.withdrawn_at for one in states)
    return MyConsents(consents=tuple(states), note=texts.withdrawn.at(locale) if withdrawn else "")
