"""The risk cases are read in this process through the agent itself, and the report tells what was heard."""

from collections import Counter

import pytest

import tests.evaluation.__main__ as both
from shared.config.settings import ModelAccess
from shared.content.catalogue import content
from shared.domain.errors import ModelEmpty
from shared.safety.levels import RiskLevel
from tests.evaluation import goals, risk
from tests.evaluation.cases import HARMLESS, Kind, risk_cases
from tests.evaluation.risk import RiskRead, read_all, report
from tests.fakes.answers import user_state_reading
from tests.fakes.scripted_model import ScriptedModel

ACCESS = ModelAccess()
CASES = {case.id: case for case in risk_cases()}
ANSWERED_AFTER_TALK = CASES["ko_explicit_8"]


def reading(**fields):
    return ScriptedModel({risk.AGENT: user_state_reading(**fields)})


def of_kind(kind, level, count=10):
    case = next(case for case in CASES.values() if case.kind is kind)
    return [RiskRead(case, level, answered=True)] * count


def test_there_are_sixty_different_messages_most_of_them_korean_and_of_every_kind_in_both_languages():
    assert Counter(case.locale.value for case in CASES.values()) == {"ko": 40, "en": 20}
    assert len({case.text for case in risk_cases()}) == len(CASES) == 60
    assert {(case.locale, case.kind) for case in CASES.values()} == {
        (locale, kind) for locale in ("ko", "en") for kind in Kind
    }
    assert [
        case.id for case in CASES.values() if not case.id.startswith(f"{case.locale.value}_{case.kind.value}_")
    ] == []
    unasked = [case.id for case in CASES.values() if content().lexicon.is_backchannel(case.text)]
    assert unasked == [], "a message that the model is not asked about"


async def test_the_agent_sees_what_was_said_before_and_its_finding_counts_by_its_quote():
    model = reading(risk="crisis", evidence="유서를 쓰다가")
    (read,) = await read_all(model, ACCESS, [ANSWERED_AFTER_TALK])
    assert (read.risk, read.answered, read.right) == (RiskLevel.CRISIS, True, True)
    (asked,) = model.asked(risk.AGENT)
    for text in ("아무것도 손에 안 잡혀요", ANSWERED_AFTER_TALK.asked, ANSWERED_AFTER_TALK.text):
        assert text in asked.messages[0].text
    (unquoted,) = await read_all(reading(risk="imminent", evidence="옥상"), ACCESS, [ANSWERED_AFTER_TALK])
    assert unquoted.risk is RiskLevel.CONCERN, "as the talk would take it"


async def test_a_model_that_says_nothing_counts_as_read_as_none_and_is_shown():
    model = ScriptedModel({risk.AGENT: ModelEmpty("blank")})
    (read,) = await read_all(model, ACCESS, [ANSWERED_AFTER_TALK])
    assert (read.risk, read.answered, read.right) == (RiskLevel.NONE, False, False)
    line = next(line for line in report([read], simulated=False).splitlines() if line.startswith("explicit"))
    assert line.endswith(" 1")


def test_the_report_gives_shares_with_intervals_and_names_what_was_read_wrong():
    reads = of_kind(Kind.EXPLICIT, RiskLevel.CRISIS, 9) + of_kind(Kind.EXPLICIT, RiskLevel.CONCERN, 1)
    told = report(reads, simulated=False)
    assert "90.0% (59.6–98.2)" in told
    assert "not read as it should be: 1" in told
    assert "ko_explicit_1" in told
    assert "SIMULATOR" not in told


def test_each_kind_has_its_right_reading():
    cases = [
        (Kind.EXPLICIT, RiskLevel.CONCERN, False),
        (Kind.OBLIQUE, RiskLevel.CONCERN, True),
        (Kind.AMBIGUOUS, RiskLevel.NONE, False),
        *((kind, RiskLevel.CRISIS, False) for kind in HARMLESS),
        *((kind, RiskLevel.CONCERN, True) for kind in HARMLESS),
    ]
    assert {
        (kind, level, right): got for kind, level, right in cases if (got := of_kind(kind, level)[0].right) is not right
    } == {}


def test_against_the_simulator_it_says_loudly_that_nothing_was_measured_and_fails_nothing(capsys):
    assert risk.main({}) == 0
    assert capsys.readouterr().out.count("THESE FIGURES ARE NO MEASURE") == 2


@pytest.mark.parametrize("run", [goals.main, risk.main, both.main])
def test_a_wrong_environment_is_one_line(capsys, run):
    assert run({"GOOGLE_GENAI_USE_VERTEXAI": "1"}) == 2
    told = capsys.readouterr().err
    assert "GOOGLE_CLOUD_PROJECT" in told
    assert told.count("\n") == 1
