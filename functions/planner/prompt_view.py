"""What the planner's prompts show of a session."""

from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.session import Session
from shared.locale import Locale
from shared.model import Model
from shared.services.counseling.job_context import CounselingJobContext
from shared.services.counseling.prompt_slots import declined_labels, slots_for_prompt


class TechniqueShown(Model):
    """A module as the prompt shows it."""

    id: str
    name: str
    description: str


class CarriedShown(Model):
    """What the user wished for in earlier sessions, and what the counsellor noted."""

    goals: tuple[str, ...]
    next_plan: str


def techniques_shown(context: CounselingJobContext, session: Session) -> tuple[TechniqueShown, ...]:
    """Return the modules as the prompts show them."""
    modules = context.content.modules(session.locale)
    return tuple(TechniqueShown(id=m.id, name=m.name, description=m.description) for m in modules)


def persona_shown(context: CounselingJobContext, persona: UserPersona, locale: Locale) -> str:
    """Return the style of talking in words of the session's language, or nothing."""
    found = context.content.personas.find(persona.type) if persona.type else None
    return found.description(locale) if found else ""


def known_shown(context: CounselingJobContext, session: Session) -> dict[str, str]:
    """Return what the user gave or declined to give, by label: nothing of it is planned to be asked for."""
    words = context.content.messages(session.locale, session.register_)
    return slots_for_prompt(session, words) | dict.fromkeys(declined_labels(session), words.text("slot_declined"))


def carried_shown(session: Session) -> CarriedShown | None:
    """Return what was kept of earlier sessions, if anything was."""
    carried = session.carried
    if carried is None or not (carried.goals or carried.next_plan):
        return None
    return CarriedShown(goals=carried.goals, next_plan=carried.next_plan)
