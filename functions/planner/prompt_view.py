"""What the planner's prompts show of a session."""

from pathlib import Path

from shared.domain.counseling.module import plannable
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.session import Session
from shared.locale import Locale
from shared.model import Model
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.prompt_slots import declined_labels, slots_for_prompt

PROMPTS = Path(__file__).parent / "prompts"


class TechniqueShown(Model):
    """A module in the prompt."""

    id: str
    name: str
    description: str


class CarriedShown(Model):
    """The user's goals and the counsellor's plan from earlier sessions."""

    goals: tuple[str, ...]
    next_plan: str


def techniques_shown(context: CounselingJobContext, session: Session) -> tuple[TechniqueShown, ...]:
    """Return the modules that a task of Part 2 may name."""
    modules = plannable(context.content.modules(session.locale), session.session_type)
    return tuple(TechniqueShown(id=m.id, name=m.name, description=m.description) for m in modules)


def persona_shown(context: CounselingJobContext, persona: UserPersona, locale: Locale) -> str:
    """Return the style of talking in the session's language, or an empty text."""
    found = context.content.personas.find(persona.type) if persona.type else None
    return found.description(locale) if found else ""


def known_shown(context: CounselingJobContext, session: Session) -> dict[str, str]:
    """Return what the user gave or declined, by label, so that no plan asks for it again."""
    words = context.content.messages(session.locale, session.register_)
    return slots_for_prompt(session, words) | dict.fromkeys(declined_labels(session), words.text("slot_declined"))


def carried_shown(session: Session) -> CarriedShown | None:
    """Return goals and plan from earlier sessions, or None."""
    carried = session.carried
    if carried is None or not (carried.goals or carried.next_plan):
        return None
    return CarriedShown(goals=carried.goals, next_plan=carried.next_plan)
