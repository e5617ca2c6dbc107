"""How a person's consents stand, as they are shown them."""

from collections.abc import Mapping

from shared.content.schemas.consents import ConsentFile
from shared.contracts.retrieval import ConsentState, MyConsents
from shared.domain.consents import lacking
from shared.domain.conversation import Consent
from shared.locale import Locale


def consents_shown(texts: ConsentFile, consents: Mapping[str, Consent], locale: Locale) -> MyConsents:
    """Return each consent that is asked for; where one was withdrawn, with a note on what becomes of what is stored."""
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
