"""Content negotiation: language and form of the answer."""

from collections.abc import Iterator

from starlette.requests import Request

from shared.locale import Locale

EVENT_STREAM = "text/event-stream"
_SPOKEN = {locale.value: locale for locale in Locale}


def locale_of(request: Request) -> Locale:
    """Return the best language of `Accept-Language`, else Korean."""
    best, best_weight = Locale.KO, 0.0
    for tag, weight in _weighted(request.headers.get("accept-language", "")):
        spoken = _SPOKEN.get(tag.partition("-")[0])
        if spoken is not None and weight > best_weight:
            best, best_weight = spoken, weight
    return best


def wants_stream(request: Request) -> bool:
    """Tell whether the caller accepts server-sent events; a HEAD request never does."""
    accepted = _weighted(request.headers.get("accept", ""))
    return request.method != "HEAD" and any(kind == EVENT_STREAM and weight > 0 for kind, weight in accepted)


def _weighted(header: str) -> Iterator[tuple[str, float]]:
    """Yield the entries of an Accept header with their weights; an unreadable weight is 0."""
    for entry in header.split(","):
        value, *parameters = (part.strip().lower() for part in entry.split(";"))
        quality = next((p.partition("=")[2] for p in parameters if p.startswith("q=")), "1")
        try:
            weight = float(quality)
        except ValueError:
            weight = 0.0
        yield value, weight
