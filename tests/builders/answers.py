"""Answers with every field, as a provider gives them: those of an agent's safe default, but for what a test says."""

import html
import re
from collections.abc import Callable, Mapping
from functools import partial

from functions.chat.reading import NOTHING_READ, DangerRead, FeelingRead, Reading, SignRead, ValueRead
from functions.planner.infer_persona import INFERRER
from functions.session_manager.close import CLOSER
from functions.session_manager.provenance import SourcedSentence
from functions.session_manager.review_schema import REVIEWER
from functions.session_manager.summarize import Summary
from functions.supervisor.judgement import SUPERVISOR
from shared.domain.counseling.supervision import Criterion
from shared.ports.language_model import ModelRequest


def filled(agent, **given):
    """Return an answer as JSON has it; what a test gives may be wrong."""
    return {**agent.safe_default.model_dump(mode="json", by_alias=True), **given}


def answer(agent, **given):
    """Return an answer that fits the schema."""
    return agent.answers.model_validate(filled(agent, **given))


def reads(
    *signs: str,
    quote: str | None = None,
    danger: str | None = None,
    feeling: tuple[str, int] | None = None,
    told: Mapping[str, str] | None = None,
    corrects: Mapping[str, str] | None = None,
    **more: object,
) -> Callable[[ModelRequest], Reading]:
    """Return an answer of the reader with these findings; each quotes `quote`, or else the whole newest message."""

    def answered(request: ModelRequest) -> Reading:
        words = newest_message(request) if quote is None else quote
        values = tuple(ValueRead(slot=slot, value=value, quote=words) for slot, value in (told or {}).items())
        mended = tuple(ValueRead(slot=slot, value=value, quote=words) for slot, value in (corrects or {}).items())
        found = (*signs, *(f"told:{one.slot}" for one in values), *(f"corrects:{one.slot}" for one in mended))
        read = {
            "danger": (DangerRead(kind=danger, quote=words),) if danger else (),
            "signs": tuple(SignRead(id=one, quote=words) for one in found),
            "values": values,
            "corrections": mended,
        }
        if feeling:
            read["feeling"] = FeelingRead(name=feeling[0], intensity=feeling[1], quote=words)
        return NOTHING_READ.model_copy(update=read | more)

    return answered


def newest_message(request: ModelRequest) -> str:
    """Return the message that the reader is asked about."""
    found = re.search(r"<newest>(.*)</newest>", request.messages[0].text, re.DOTALL)
    assert found is not None
    return html.unescape(found[1])


def scores(score):
    return {criterion.value: score for criterion in Criterion}


def resting_on(quote, text, seq=1):
    """Return a summary's sentences that rest on these words of the user."""
    return (SourcedSentence(seq=seq, quote=quote, text=text),)


def summary_resting_on(quote, text, seq=1):
    return Summary(sentences=resting_on(quote, text, seq))


def judgement(score=8, **given):
    """Return a judgement in which every criterion has this score."""
    return answer(SUPERVISOR, scores=scores(score), **given)


persona_guess = partial(answer, INFERRER)
closing_work = partial(answer, CLOSER)
session_review = partial(answer, REVIEWER)
