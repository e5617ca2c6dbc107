"""Handlers for reviewers: staff whose token has the role."""

from starlette.requests import Request
from starlette.responses import Response

from functions.chat.http.api import ChatApi, caller_of, conversation_of
from shared.contracts.review import LookQuery, MarkSeen, ReviewQuery
from shared.domain.errors import Forbidden
from shared.ports.identity import REVIEWER, Caller
from shared.web.answers import answer
from shared.web.requests import read_body, read_query


async def reviewer_of(api: ChatApi, request: Request) -> Caller:
    """Return the caller, who must be a reviewer.

    Raises:
        Forbidden: The caller is not a reviewer.
    """
    caller = await caller_of(api, request)
    if caller.role != REVIEWER:
        raise Forbidden("not a reviewer")
    return caller


async def list_reviews(api: ChatApi, request: Request) -> Response:
    """For reviewers: list flagged sessions, the most pressing first."""
    reviewer = await reviewer_of(api, request)
    return answer(await api.reviews.queue(reviewer, read_query(request, ReviewQuery)))


async def get_review(api: ChatApi, request: Request) -> Response:
    """For reviewers: look at a flagged session; every look is audited."""
    reviewer = await reviewer_of(api, request)
    purpose = read_query(request, LookQuery).purpose
    return answer(await api.reviews.look(reviewer, conversation_of(request), purpose))


async def mark_reviewed(api: ChatApi, request: Request) -> Response:
    """For reviewers: mark a flagged session as seen, with a note."""
    reviewer = await reviewer_of(api, request)
    given = await read_body(request, MarkSeen)
    return answer(await api.reviews.mark_seen(reviewer, conversation_of(request), given))
