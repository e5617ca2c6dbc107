"""What counts of a reading, and a turn that hears it, without a model."""

from dataclasses import dataclass, replace
from typing import Any

from functions.chat.applying import Moment, apply
from functions.chat.deciding import Decision, decide
from functions.chat.findings import Findings, after
from functions.chat.reading import NOTHING_HEARD, Felt, Heard, Told
from shared.content.catalogue import content
from shared.domain.counseling.session import Session
from shared.domain.counseling.user_state import EmotionLabel
from tests.builders.sessions import NOW

WORDS = "the client's words"


def hears(*signs: str, **more: Any) -> Heard:
    """A reading with signs; the values are given by slot."""
    told = {name: Told(value=value, quote=WORDS) for name, value in more.pop("values", {}).items()}
    return replace(NOTHING_HEARD, signs=dict.fromkeys(signs, WORDS), values=told, **more)


def feels(name: str, intensity: int) -> Felt:
    return Felt(name=EmotionLabel(name), intensity=intensity, quote=WORDS)


@dataclass(frozen=True)
class Decided:
    """A turn up to its reply."""

    applied: Findings
    decision: Decision | None
    session: Session


def after_hearing(before: Session, heard: Heard = NOTHING_HEARD, **more: Any) -> Decided:
    """Apply a reading to a session and decide, unless the session ended."""
    moment = Moment(before=before, seq=before.seq + 1, now=NOW, **more)
    applied = apply(moment, heard, before, Findings(), content())
    session = after(before, applied.events, NOW)
    decision = None if session.ended else decide(moment, heard, session, applied, content())
    return Decided(applied, decision, decision.session if decision else session)
