"""What the services beside the counselling did in a session: who answered, what was cited, what was booked."""

from collections.abc import Iterator

from local.demo.session import COUNSELING, Played, Step
from shared.content.catalogue import content
from shared.content.schemas.consents import Operator
from shared.contracts.agreement import CITATIONS, Citation, Citations
from shared.domain.agreement.document import AgreementDocument
from shared.domain.agreement.state import SERVICE_AGREEMENT
from shared.domain.booking.appointment import Appointment
from shared.domain.booking.state import BookingStage
from shared.domain.turn import Hook, TurnRecord
from shared.locale import Locale

BOOKING_HOOKS = {"booking_confirmed": "booked", "booking_changed": "changed", "booking_cancelled": "cancelled"}
"""What became of a booking, by the hook of the turn."""
_KEPT = ("current_task", "last_asked", "asked", "current_module", "user_info")
"""Fields of the counselling that another service's answer leaves as they were."""

_OPERATOR = Operator(name="-", contact="-")
"""It is named in the text of the agreement, in no title."""


def digresses(step: Step, record: TurnRecord) -> bool:
    """Tell whether another service answered inside a counselling conversation."""
    return step.before.flow == COUNSELING != record.flow


def citations(record: TurnRecord) -> tuple[Citation, ...]:
    """Return what a reply cites."""
    cited = [Citations.model_validate(hook.data) for hook in record.result.hooks if hook.type == CITATIONS]
    return tuple(one for each in cited for one in each.citations)


def is_written(citation: Citation) -> bool:
    """Tell whether a cited document has the passage, with this title."""
    document = _documents().get(citation.document_id)
    passage = document.passage(citation.passage_id) if document else None
    return passage is not None and passage.title == citation.title


def booking_hooks(record: TurnRecord) -> Iterator[tuple[str, Hook]]:
    """Yield what became of bookings in a turn."""
    for hook in record.result.hooks:
        if hook.type in BOOKING_HOOKS:
            yield BOOKING_HOOKS[hook.type], hook


def standing(played: Played) -> tuple[Appointment, ...]:
    """Return the bookings of the client that stand in the calendar at the end, the earliest first."""
    return tuple(sorted((one for one in played.evidence.bookings if one.booked), key=lambda one: one.starts_at))


def unasked(step: Step, record: TurnRecord) -> Iterator[str]:
    """Yield what was done to a booking in a turn that no question to confirm came before, or after another one."""
    asked = step.before.booking.stage is BookingStage.READY
    done = [what for what, _ in booking_hooks(record)]
    yield from done[1:] if asked else done


def moved(step: Step, record: TurnRecord) -> tuple[str, ...]:
    """Return what another service's answer changed of the counselling, unless background work closed a Part."""
    if not digresses(step, record) or step.before.current_part is not step.after.current_part:
        return ()
    return tuple(name for name in _KEPT if getattr(step.before, name) != getattr(step.after, name))


def _documents() -> dict[str, AgreementDocument]:
    agreements = content().agreements
    return {SERVICE_AGREEMENT: agreements.service(Locale.KO, _OPERATOR), **agreements.standards}
