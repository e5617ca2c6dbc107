"""The persona as prompts show it: a style of talking, from Part 2 on."""

from shared.content.catalogue import Content
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import Part


def persona_hint(content: Content, state: Session) -> str | None:
    """Return the style and how to talk with it; None before Part 2, and while the type is unset."""
    if state.current_part is Part.OPENING or state.user_persona.type is None:
        return None
    persona = content.personas.find(state.user_persona.type)
    if persona is None:
        return None
    return " ".join((f"{persona.description(state.locale)}.", *persona.how_to_talk(state.locale)))
