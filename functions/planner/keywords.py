"""Rates keywords by the user's words and chooses those for Part 2."""

from collections.abc import Sequence

from functions.planner.proposal import KeywordRating, ProposalErrors
from shared.content.catalogue import Content
from shared.domain.counseling.plans import Fault, RatedKeyword
from shared.locale import Locale
from shared.services.counseling.evidence import is_verbatim_quote, plain

MOST_KEYWORDS = 4
"""Maximum keywords of a plan."""
FLOOR = 5
"""Minimum relevance of a chosen keyword: the user brought it up themselves."""
FEW_KEYWORDS = 2
"""Maximum keywords of a plan if none of the quoted ones reaches the floor."""
HIGHEST = 10
SHORTEST_QUOTE = 3
"""Minimum characters of a quote; "네" shows nothing."""
QUOTE_LENGTH = 200
"""Maximum stored characters of a quote."""


def shown(content: Content, keywords: Sequence[str], locale: Locale) -> tuple[str, ...]:
    """Return the keywords' names in the session's language."""
    return tuple(content.part2_templates.keyword(word, locale) for word in keywords)


def rate(
    content: Content,
    keywords: Sequence[str],
    locale: Locale,
    words: str,
    ratings: Sequence[KeywordRating],
    tally: ProposalErrors,
) -> tuple[RatedKeyword, ...]:
    """Return a rating of each keyword, in order, with the chosen ones marked; an unrated keyword has relevance 0.

    `words` are the user's words, in which quotes must be found; `tally` notes the faults of the model's ratings.
    """
    named = {name.casefold(): word for word, name in zip(keywords, shown(content, keywords, locale), strict=True)}
    named |= {word.casefold(): word for word in keywords}
    rated: dict[str, RatedKeyword] = {}
    for rating in ratings:
        keyword = named.get(rating.keyword.strip().casefold())
        if keyword is None:
            tally.note(Fault.UNKNOWN_KEYWORD, rating.keyword)
        elif keyword in rated:
            tally.note(Fault.DOUBLE_KEYWORD, keyword)
        else:
            rated[keyword] = _rated(keyword, rating, words, tally)
    for keyword in keywords:
        if keyword not in rated:
            tally.note(Fault.UNRATED_KEYWORD, keyword)
    told = [rated[keyword] for keyword in keywords if keyword in rated]
    chosen = _chosen(told)
    held = [rated.get(keyword, RatedKeyword(keyword=keyword, relevance=0)) for keyword in keywords]
    return tuple(one.model_copy(update={"chosen": one.keyword in chosen}) for one in held)


def chosen_of(rated: Sequence[RatedKeyword]) -> tuple[str, ...]:
    """Return the chosen keywords, the most relevant first."""
    return tuple(one.keyword for one in _nearest(rated) if one.chosen)


def _rated(keyword: str, rating: KeywordRating, words: str, tally: ProposalErrors) -> RatedKeyword:
    relevance = round(min(max(rating.relevance, 0), HIGHEST)) if rating.relevance == rating.relevance else 0
    if not 0 <= rating.relevance <= HIGHEST:
        tally.note(Fault.RATING_OUT_OF_RANGE, keyword)
    quote = " ".join(rating.quote.split())
    if quote and not is_verbatim_quote(quote, words):
        tally.note(Fault.INVENTED_QUOTE, keyword)
        quote = ""
    elif relevance >= FLOOR and len(quote) < SHORTEST_QUOTE:
        tally.note(Fault.UNQUOTED, keyword)
    kept = quote[:QUOTE_LENGTH] if len(quote) >= SHORTEST_QUOTE else ""
    return RatedKeyword(keyword=keyword, relevance=relevance, quote=kept)


def _chosen(rated: Sequence[RatedKeyword]) -> set[str]:
    """Return the keywords for the plan: only those that the user's own words show, so that there may be none.

    The same words show one keyword, the most relevant.
    """
    shown: dict[str, RatedKeyword] = {}
    for one in _nearest([each for each in rated if each.quote and each.relevance > 0]):
        shown.setdefault(plain(one.quote), one)
    quoted = list(shown.values())
    near = [one for one in quoted if one.relevance >= FLOOR]
    return {one.keyword for one in near[:MOST_KEYWORDS] or quoted[:FEW_KEYWORDS]}


def _nearest(rated: Sequence[RatedKeyword]) -> list[RatedKeyword]:
    return sorted(rated, key=lambda one: -one.relevance)
