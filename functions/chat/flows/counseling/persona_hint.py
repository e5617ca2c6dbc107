"""The persona as prompts show it: a style of talking."""

from shared.content.catalogue import Content
from shared.domain.counseling.session import Session


def persona_hint(content: Content, state: Session) -> str | None:
    """Return the style and how to talk with it; None while the type is unset.

    A type is inferred when Part 1 ends; one that is given or kept holds from the start.
    """
    if state.user_persona.type is None:
        return None
    persona = content.personas.find(state.user_persona.type)
    if persona is None:
        return None
    return " ".join((f"{persona.description(state.locale)}.", *persona.how_to_talk(state.locale)))
