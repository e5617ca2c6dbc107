"""The risk cases are read in this process through the agent itself, and the report gives the figures."""

from collections import Counter

from shared.config.settings import ModelAccess
from shared.content.catalogue import content
from shared.domain.errors import ModelEmpty
from shared.safety.levels import RiskLevel
from tests.builders.answers import reads
from tests.evaluation import risk
from tests.evaluation.__main__ import main
from tests.evaluation.cases import Kind, risk_cases
from tests.evaluation.risk import RiskRead, good_enough, read_all, report
from tests.fakes.scripted_model import ScriptedModel

ACCESS = ModelAccess()
CASES = {case.id: case for case in risk_cases()}
ANSWERED_AFTER_TALK = CASES["ko_explicit_8"]


def of_kind(kind, level, count):
    case = next(case for case in CASES.values() if case.kind is kind)
    return [RiskRead(case, level, answered=True)] * count


def test_the_sixty_cases_are_distinct_cover_every_kind_and_language_and_reach_the_model():
    assert Counter(case.locale.value for case in CASES.values()) == {"ko": 40, "en": 20}
    assert len({case.text for case in risk_cases()}) == len(CASES) == 60
    kinds = {(case.locale, case.kind) for case in CASES.values()}
    assert kinds == {(locale, kind) for locale in ("ko", "en") for kind in Kind}
    assert [case.id for case in CASES.values() if content().lexicon.read(case.text).is_backchannel] == []


async def test_the_agent_gets_the_earlier_dialogue_and_a_missing_answer_counts_as_no_risk():
    finding = reads(danger="own_crisis", quote="유서를 쓰다가")
    model = ScriptedModel({risk.AGENT: [finding, *[ModelEmpty("blank")] * 2]})
    read, silent = await read_all(model, ACCESS, [ANSWERED_AFTER_TALK] * 2)
    assert (read.risk, read.answered, read.right) == (RiskLevel.CRISIS, True, True)
    assert (silent.risk, silent.answered, silent.right) == (RiskLevel.NONE, False, False)
    for text in ("아무것도 손에 안 잡혀요", ANSWERED_AFTER_TALK.asked, ANSWERED_AFTER_TALK.text):
        assert text in model.asked(risk.AGENT)[0].messages[0].text


def test_the_report_gives_shares_with_intervals_and_names_the_misread_cases():
    reads = of_kind(Kind.EXPLICIT, RiskLevel.CRISIS, 9) + of_kind(Kind.EXPLICIT, RiskLevel.CONCERN, 1)
    text = report(reads, simulated=False)
    assert "90.0% (59.6–98.2)" in text
    assert "not read as it should be: 1" in text
    assert "ko_explicit_1" in text
    calm = of_kind(Kind.HARD_NEGATIVE, RiskLevel.CONCERN, 1)
    assert good_enough(reads + calm)
    assert not good_enough(reads[1:] + calm)
    assert not good_enough(reads + of_kind(Kind.HARD_NEGATIVE, RiskLevel.CRISIS, 1))


def test_the_report_on_the_simulator_says_that_nothing_was_measured_and_returns_0(capsys):
    assert risk.main({}) == 0
    assert capsys.readouterr().out.count("THESE FIGURES ARE NO MEASURE") == 2


def test_an_invalid_environment_is_reported_in_one_line_with_exit_code_2(capsys):
    assert main({"GOOGLE_GENAI_USE_VERTEXAI": "1"}) == 2
    error = capsys.readouterr().err
    assert "GOOGLE_CLOUD_PROJECT" in error
    assert error.count("\n") == 1
