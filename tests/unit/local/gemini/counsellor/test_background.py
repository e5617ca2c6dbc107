"""What the simulated supervisor and summariser see in a talk."""

import re

import pytest

from functions.session_manager.summarize import LONGEST_SUMMARY, SUMMARIZER, Summary, SummaryInput
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.counsellor.prompt import Prompt
from local.gemini.counsellor.supervising import supervise
from local.gemini.protocol import Content
from shared.domain.counseling.sources import SourcedText
from shared.domain.counseling.supervision import SATISFACTORY, Criterion, judge
from shared.locale import Locale
from shared.services.counseling.dialogue import Line

GOOD = ("회사 일이 너무 힘들어서 잠을 못 자요.", "잠을 못 잔다는 말씀이시군요. 어떤 날이 가장 힘드세요?")
DOUBLE = ("회사 일이 너무 힘들어서 잠을 못 자요.", "잠을 못 주무시는군요. 언제부터예요? 회사에서는 어떠세요?")
PASSED_OVER = ("회사 일이 너무 힘들어서 잠을 못 자요.", "네. 상담은 처음이세요?")
PRESSED = ("그런 얘기는 하고 싶지 않아요.", "그러시군요. 그래도 그때 어떤 마음이었어요?")
RECEIVED = ("그런 얘기는 하고 싶지 않아요.", "지금은 쉬었다 가도 좋아요. 준비되시면 들려주세요.")


def prompt(*turns: tuple[str, str]) -> Prompt:
    lines = "\n".join(f"내담자: {said}\n상담사: {reply}" for said, reply in turns)
    return Prompt(f'<session part="2"></session>\n<dialogue>\n{lines}\n</dialogue>')


def total(*turns: tuple[str, str]) -> float:
    scores = supervise(prompt(*turns))["scores"]
    assert isinstance(scores, dict)
    counted = {Criterion.REGISTER: 9, Criterion.LENGTH: 9}
    return judge({**counted, **{Criterion(name): int(str(score)) for name, score in scores.items()}}).total


@pytest.mark.parametrize("turn", [GOOD, RECEIVED])
def test_a_reply_that_receives_and_asks_one_thing_is_good_enough(turn):
    assert total(turn) >= SATISFACTORY
    found = supervise(prompt(turn))
    assert (found["needs_improvement"], found["suggested_module"]) == (False, "")


@pytest.mark.parametrize(
    ("turn", "module"),
    [(DOUBLE, "questioning_technique"), (PASSED_OVER, "empathy_expression"), (PRESSED, "resistance_handling")],
)
def test_a_fault_falls_below_seven_and_names_what_would_serve_better(turn, module):
    assert total(GOOD, turn) < SATISFACTORY
    found = supervise(prompt(GOOD, turn))
    assert (found["needs_improvement"], found["suggested_module"]) == (True, module)
    assert found["improvements"]


SAID = {
    Locale.KO: (
        *("팀장님이 무서워요", "잠을 못 자서 힘들어요. 3.5시간 잤어요", "동생이랑 싸워서 속상해요"),
        "팀장님이 무서워요",
    ),
    Locale.EN: ("I am scared of my boss", "I can't sleep and feel tired", "I am sad about my brother", "I am scared"),
}
HEARD = Line(speaker="counselor", text="네.")
KNOWN = {Locale.KO: {"이름": "지우", "상담 경험": "아니요"}, Locale.EN: {"name": "Jiwoo", "earlier counselling": "no"}}


def summaries(locale, rounds):
    """Let each summary fold the same things said anew into the one before."""
    kept: tuple[SourcedText, ...] = ()
    brain = CounsellorBrain()
    for number in range(rounds):
        lines = tuple(Line(speaker="user", text=f"{text} ({number})", seq=number + 1) for text in SAID[locale])
        told = {"sources": kept, "known": KNOWN[locale], "lines": (*lines, *lines, HEARD)}
        given = SummaryInput(limit=LONGEST_SUMMARY, summary="", **told)
        rendered = SUMMARIZER.prompt.render(locale, given)
        answer = brain.answer_json(Summary.model_json_schema(), rendered.system, [Content("user", rendered.user)])
        found = Summary.model_validate(answer)
        kept = tuple(SourcedText(seq=one.seq, quote=one.quote, text=one.text) for one in found.sentences)
        yield found.summary


@pytest.mark.parametrize("locale", Locale)
def test_no_entry_stands_twice_and_all_stays_within_the_limit(locale):
    for summary in summaries(locale, 12):
        quotes = re.findall(r"“[^”]*”", summary)
        assert len(quotes) == len(set(quotes))
        assert len(summary) <= LONGEST_SUMMARY
        for label, value in KNOWN[locale].items():
            assert summary.count(f"{label}: “{value}”") == 1
