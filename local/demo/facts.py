"""What a session showed, for the index, and where it differs from its story."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from local.demo.services import booking_hooks
from local.demo.session import COUNSELING, Played
from local.demo.words import module_names, words
from shared.domain.counseling.directive import Directive, EndCause, counselors
from shared.domain.counseling.records import Supervision
from shared.domain.counseling.session import SessionStatus, WrapUpAim
from shared.domain.turn import TurnRecord
from shared.safety.levels import RiskLevel

Facts = Mapping[str, tuple[str, ...]]
"""Distinct observations in order, by what they are of."""
AGREED = ("WrapUpAgreed", "SessionClosed")
DECLINED = "WrapUpDeclined"
KEPT_OPEN, PASSED = "WrapUpUnclear", "WrapUpPassed"
MISREAD = "MisreadTold"


def facts(played: Played) -> Facts:
    """Collect the facts of a session."""
    states = [played.opened, *(step.after for step in played.steps)]
    return {
        "part": tuple(f"{one.from_part.value}-{one.to_part.value}" for one in played.evidence.transitions),
        "replan": _each(each.kind for plan in played.evidence.plans for each in plan.feedback),
        "module": _each(state.current_module for state in states),
        "answered": tuple(_answers(played)),
        "went_back": tuple(
            after.status.value
            for before, after in pairwise(states)
            if before.status is SessionStatus.WRAPPING_UP and after.status is SessionStatus.ACTIVE
        ),
        "ended_by": (_ended_by(played),) if played.session.ended else (),
        "risk": _levels([state.risk.level.name.lower() for state in states]),
        "service": _each(record.flow for record in played.evidence.turns),
        "booking": tuple(f"{what} {times}" for what, times in _bookings(played).items()),
    }


def happened(found: Facts) -> str:
    """Summarise a session in one line."""
    line = words().happened
    parts = (
        [line.parts.format(parts=", ".join(one.replace("-", "→") for one in found["part"]))] if found["part"] else []
    )
    for field, template in (("replan", line.replan), ("answered", line.answered), ("risk", line.risk)):
        if found[field]:
            parts.append(template.format(what=words().list_of(tuple(words().name(field, one) for one in found[field]))))
    others = tuple(words().name("services", one) for one in found["service"] if one != COUNSELING)
    if others:
        parts.append(line.services.format(what=words().list_of(others)))
    for one in found["booking"]:
        what, _, times = one.partition(" ")
        parts.append(line.booking.format(what=words().name("booking", what), times=times))
    if found["went_back"]:
        parts.append(line.went_back)
    shown = tuple(module_names()[one] for one in found["module"] if one in line.modules_worth_telling)
    if shown:
        parts.append(line.modules.format(what=words().list_of(shown)))
    parts.extend(words().name("ended_by", one) for one in found["ended_by"])
    return " · ".join(parts) or line.nothing


def otherwise(played: Played) -> tuple[str, ...]:
    """Return where the session begins to differ from what the story holds, by kind; its Parts depend on its plans."""
    found: dict[str, str] = {}
    records = {record.seq: record for record in played.evidence.turns}
    for number, step in enumerate(played.steps, start=1):
        held = played.story.held(number)
        kinds = {
            "risk": ((held.risk or RiskLevel.NONE).name.lower(), step.after.risk.level.name.lower()),
            "service": (held.service, records[step.seq].flow),
            "ended": (held.ended, step.after.ended),
        }
        for kind, (wanted, shown) in kinds.items():
            if wanted != shown:
                found.setdefault(kind, f"line {number}: {kind} is {shown}, the story holds {wanted}")
    return tuple(found.values())


def proposed(record: TurnRecord) -> WrapUpAim | None:
    """Return what a reply proposed, if anything."""
    return directive_of(record).proposes if counselors(record.directive) else None


def directive_of(record: TurnRecord) -> Directive:
    """Return the counsellor's instructions of a turn."""
    return Directive.model_validate(record.directive)


def heeded(found: Supervision, records: Mapping[int, TurnRecord]) -> bool:
    """Tell whether the reply after a supervision got its improvements; `records` are the turns by number."""
    following = records.get(found.seq + 1)
    return (
        following is not None
        and counselors(following.directive) is not None
        and bool(directive_of(following).supervision)
    )


def end_cause(turns: Iterable[TurnRecord]) -> EndCause | None:
    """Return why the counsellor last asked whether to end; None if it did not."""
    asked = [directive_of(record).end_cause for record in turns if proposed(record) is WrapUpAim.END]
    return asked[-1] if asked else None


def _bookings(played: Played) -> Mapping[str, int]:
    return Counter(what for record in played.evidence.turns for what, _ in booking_hooks(record))


def _answers(played: Played) -> Iterator[str]:
    for record in played.evidence.turns:
        if DECLINED in record.events:
            yield "declined"
        elif {KEPT_OPEN, PASSED} & {*record.events}:
            yield "unclear"
        elif any(event in record.events for event in AGREED):
            yield "agreed"


def _ended_by(played: Played) -> str:
    return "asked" if end_cause(played.evidence.turns) is EndCause.ASKED else "agreed"


def _levels(levels: list[str]) -> tuple[str, ...]:
    """Return the levels after each change."""
    changed = [after for before, after in pairwise(levels) if before != after]
    return _each(changed)


def _each(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
