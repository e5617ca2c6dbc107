"""What a session showed, for expectations and the index."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from local.demo.client import Visit
from local.demo.services import booking_hooks, citations, is_written, resumed, standing
from local.demo.session import COUNSELING, Played, Step
from local.demo.words import module_names, words
from shared.content.catalogue import content
from shared.contracts.agreement import Citation
from shared.domain.counseling.directive import Directive, counselors
from shared.domain.counseling.records import Supervision
from shared.domain.counseling.session import SessionStatus, WrapUpAim
from shared.domain.counseling.supervision import SATISFACTORY
from shared.domain.turn import TurnRecord

Facts = Mapping[str, tuple[str, ...]]
"""Distinct observations in order, by the name of an expectation's field."""
AGREED = ("WrapUpAgreed", "SessionClosed")
DECLINED = "WrapUpDeclined"
KEPT_OPEN, PASSED = "WrapUpUnclear", "WrapUpPassed"
MISREAD = "MisreadTold"
ASKED = "asked"
_PATTERNS = ("opens_with", "plans", "cited")


def facts(played: Played) -> Facts:
    """Collect the facts of a session."""
    records = {record.seq: record for record in played.evidence.turns}
    states = [played.opened, *(step.after for step in played.steps)]
    closing = played.evidence.closing
    return {
        "part": tuple(f"{one.from_part.value}-{one.to_part.value}" for one in played.evidence.transitions),
        "persona": _each(
            str(step.after.user_persona.type)
            for step in played.steps
            if counselors(records[step.seq].directive) and directive_of(records[step.seq]).persona
        ),
        "replan": _each(each.kind for plan in played.evidence.plans for each in plan.feedback),
        "plans": _each(task.title for plan in played.evidence.plans if plan.feedback for task in plan.tasks),
        "supervision": _each(
            "heeded" for each in played.evidence.supervisions if each.total < SATISFACTORY and heeded(each, records)
        ),
        "reading": _each(signal.value for state in states for signal in state.user_state.signals()),
        "module": _each(state.current_module for state in states),
        "covered": _each(one.reason.value for one in played.evidence.completions),
        "proposed": _each(aim.value for record in played.evidence.turns if (aim := proposed(record))),
        "answered": tuple(_answers(played)),
        "went_back": tuple(
            after.status.value
            for before, after in pairwise(states)
            if before.status is SessionStatus.WRAPPING_UP and after.status is SessionStatus.ACTIVE
        ),
        "ended_by": (_ended_by(played, records),) if played.session.ended else (),
        "risk": _levels([state.risk.level.name.lower() for state in states]),
        "opens_with": (played.greeting,),
        "goals": ("kept",) if closing is not None and closing.goals else (),
        "level": _each(str(state.user_persona.counseling_level) for state in states),
        "misread": _each("heard" for record in played.evidence.turns if MISREAD in record.events),
        "service": _each(record.flow for record in played.evidence.turns),
        "cited": _each(f"{one.label} {one.title}" for one in _cited(played)),
        "resumed": _each(resumed(played)),
        "batch": (str(max((step.after.booking.batch_total for step in played.steps), default=0)),),
        "booking": tuple(f"{what} {times}" for what, times in _bookings(played).items()),
        "standing": (str(len(standing(played))),),
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


def missing(visit: Visit, found: Facts) -> tuple[str, ...]:
    """Return a visit's unmet expectations, each with what was seen instead."""
    return tuple(
        f"did not show {field}: {wanted}; it showed {', '.join(found[field]) or 'none'}"
        for field, wanted in (each.asked for each in visit.expects)
        if not _holds(field, wanted, found[field])
    )


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


def end_cause(step: Step) -> str:
    """Return why the counsellor asks whether to end: the client `asked`, or everything is `covered`."""
    return ASKED if content().lexicon.read(step.text).asks_to_end else "covered"


def _holds(field: str, wanted: str, seen: tuple[str, ...]) -> bool:
    if field in _PATTERNS:
        return any(re.search(wanted, one) for one in seen)
    return any(one in seen for one in wanted.split("|"))


def _bookings(played: Played) -> Mapping[str, int]:
    return Counter(what for record in played.evidence.turns for what, _ in booking_hooks(record))


def _cited(played: Played) -> Iterator[Citation]:
    """Yield the citations of passages that their document has."""
    for record in played.evidence.turns:
        yield from filter(is_written, citations(record))


def _answers(played: Played) -> Iterator[str]:
    for record in played.evidence.turns:
        if DECLINED in record.events:
            yield "declined"
        elif {KEPT_OPEN, PASSED} & {*record.events}:
            yield "unclear"
        elif any(event in record.events for event in AGREED):
            yield "agreed"


def _ended_by(played: Played, records: Mapping[int, TurnRecord]) -> str:
    asking = [step for step in played.steps if proposed(records[step.seq]) is WrapUpAim.END]
    return ASKED if asking and end_cause(asking[-1]) == ASKED else "agreed"


def _levels(levels: list[str]) -> tuple[str, ...]:
    """Return the levels after each change."""
    changed = [after for before, after in pairwise(levels) if before != after]
    return _each(changed)


def _each(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))
