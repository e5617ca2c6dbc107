"""The plan of Part 2 without a model: by the reason for coming, else by the level alone."""

from functions.planner.plan_checks import Plan
from shared.content.catalogue import Content
from shared.content.reason_plans import reason_plan
from shared.content.schemas.plans import TemplatePlan
from shared.domain.counseling.persona import UserPersona
from shared.domain.counseling.plans import RatedKeyword
from shared.domain.counseling.reason import ReasonHeard
from shared.locale import Locale
from shared.services.counseling.evidence import is_verbatim_quote

TEMPLATE_KEYWORDS = 2
"""Maximum keywords of a template's plan."""


def template_plan(
    content: Content, persona: UserPersona, words: str, reason: ReasonHeard | None, locale: Locale
) -> Plan:
    """Return the plan for the reason and the persona's level; its keywords are those that the user named."""
    chosen = tuple(word for word in persona.keywords if is_verbatim_quote(word, words))[:TEMPLATE_KEYWORDS]
    made = starting_point(content, persona.counseling_level, reason, locale)
    if made is None:
        made = content.part2_templates.plan(persona.counseling_level, chosen, locale)
    keywords = tuple(
        RatedKeyword(keyword=word, relevance=0, quote=word if word in chosen else "", chosen=word in chosen)
        for word in persona.keywords
    )
    return Plan(goal=made.goal, keywords=keywords, tasks=made.tasks)


def starting_point(content: Content, level: int, reason: ReasonHeard | None, locale: Locale) -> TemplatePlan | None:
    """Return the plan for a reason at a level; None without a reason."""
    if reason is None:
        return None
    return reason_plan(content.part2_reasons.of(reason.reason), content.part2_templates, level, locale)
