"""The simulated summariser: summary after summary, as the product asks for them."""

import re

import pytest

from functions.session_manager.prompting import PROMPTS
from functions.session_manager.summarize import LONGEST_SUMMARY, Summary, SummaryInput
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.protocol import Content
from shared.locale import Locale
from shared.prompts.catalogue import Prompt
from shared.services.counseling.dialogue import Line

PROMPT = Prompt(PROMPTS, "summarizer", 1, SummaryInput)
SAID = {
    Locale.KO: (
        "팀장님이 무서워요",
        "잠을 못 자서 힘들어요. 3.5시간 잤어요",
        "동생이랑 싸워서 속상해요",
        "팀장님이 무서워요",
    ),
    Locale.EN: ("I am scared of my boss", "I can't sleep and feel tired", "I am sad about my brother", "I am scared"),
}
HEARD = Line(speaker="counselor", text="네.")
KNOWN = {Locale.KO: {"이름": "지우", "상담 경험": "아니요"}, Locale.EN: {"name": "Jiwoo", "earlier counselling": "no"}}


def summaries(locale, rounds):
    """Let each summary fold the same things said anew into the one before."""
    summary, brain = "", CounsellorBrain()
    for number in range(rounds):
        lines = tuple(Line(speaker="user", text=f"{text} ({number})") for text in SAID[locale])
        given = SummaryInput(limit=LONGEST_SUMMARY, summary=summary, known=KNOWN[locale], lines=(*lines, *lines, HEARD))
        rendered = PROMPT.render(locale, given)
        answer = brain.answer_json(Summary.model_json_schema(), rendered.system, [Content("user", rendered.user)])
        summary = str(answer["summary"])
        yield summary


@pytest.mark.parametrize("locale", Locale)
def test_no_entry_stands_twice_and_all_stays_within_the_limit(locale):
    for summary in summaries(locale, 12):
        quotes = re.findall(r"“[^”]*”", summary)
        assert len(quotes) == len(set(quotes))
        assert len(summary) <= LONGEST_SUMMARY
        for label, value in KNOWN[locale].items():
            assert summary.count(f"{label}: “{value}”") == 1
