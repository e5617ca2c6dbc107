"""The written cases reach their agents in this process, and what the agents decide is counted as it should be."""

from collections import Counter

from functions.chat.flows.booking.extractor import EXTRACTOR
from functions.session_manager.provenance import SourcedSentence
from functions.session_manager.summarize import Summary
from shared.domain.errors import ModelEmpty
from shared.engine.runner import AgentRunner
from tests.builders.answers import judgement
from tests.builders.shipped_settings import agent_settings
from tests.evaluation import agents, background_agents, service_agents
from tests.evaluation.agent_cases import locale_of, written
from tests.evaluation.decisions import Decision, Group, precision, recall, report
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

GROUPS = {
    "extraction": written("booking_extraction").extraction,
    "supervision": written("supervision").supervision,
    "summary": written("summary").summaries,
}


def asking(agent, *answers):
    model = ScriptedModel({agent: list(answers)})
    return AgentRunner(model, agent_settings(), SettableClock()), model


def named(cases, case_id):
    return next(case for case in cases if case.id == case_id)


def test_each_group_has_twenty_to_sixty_different_cases_most_of_them_korean(subtests):
    for group, cases in GROUPS.items():
        with subtests.test(group=group):
            assert 20 <= len({case.id for case in cases}) == len(cases) <= 60
            assert 0.65 <= Counter(locale_of(case.id).value for case in cases)["ko"] / len(cases) <= 0.78


def test_the_judged_dialogues_name_tasks_that_are_written():
    assert {case.task for case in GROUPS["supervision"]} == set(written("supervision").tasks)


async def test_a_value_of_a_booking_counts_only_with_the_users_words_and_another_day_is_wrong():
    case = named(GROUPS["extraction"], "ko_extraction_16")
    read = EXTRACTOR.safe_default.model_copy(
        update={
            "date_words": "크리스마스 이브",
            "date": "2026-12-25",
            "time_words": "오후 두 시",
            "time": "14:00",
            "way_words": "전화",
            "way": "phone",
        }
    )
    runner, _ = asking("booking_extractor", read)
    decisions = await service_agents.extract_values(case, runner)
    assert [(one.found, one.hit) for one in decisions] == [(True, False), (True, True), (False, False), (False, False)]


async def test_what_the_supervisor_stores_is_counted_and_nothing_when_it_gave_no_judgement():
    case = named(GROUPS["supervision"], "ko_supervision_2")
    task = written("supervision").tasks[case.task]
    said = judgement(3, red_item=True, needs_improvement=True, improvements=("죽고 싶은지 직접 물으세요.",))
    runner, model = asking("supervisor", said)
    found = {one.group: one for one in await background_agents.judge_replies(case, task, runner)}
    assert [found[group].hit for group in (Group.RED_ITEM, Group.IMPROVEMENT, Group.LOW_SCORE)] == [True] * 3
    assert not found[Group.VIOLATION].wrong
    assert all(turn.counselor in model.requests[0].messages[0].text for turn in case.turns)
    silent, _ = asking("supervisor", *[ModelEmpty("blank")] * 2)
    assert {one.answered for one in await background_agents.judge_replies(case, task, silent)} == {False}


def test_a_fact_that_a_summary_should_keep_stands_in_what_it_was_made_from(subtests):
    for case in GROUPS["summary"]:
        with subtests.test(case=case.id):
            said = "\n".join(
                [case.before, *case.known.values(), *(f"{one.user} {one.counselor}" for one in case.turns)]
            )
            assert [fact for fact in case.keeps if not any(spelling in said for spelling in fact)] == []
            assert not set(case.keeps) & set(case.leaves_out)


async def test_a_summary_is_judged_by_the_facts_that_it_keeps_and_those_that_it_should_not_hold():
    case = named(GROUPS["summary"], "ko_summary_2")
    told = ("6월 14일에 시험이 있다.", "엄마와 이번이 마지막이라고 약속했다.")
    sentences = tuple(SourcedSentence(seq=1, quote="시험", text=text) for text in told)
    runner, _ = asking("summarizer", Summary(sentences=sentences))
    decisions = await background_agents.keep_facts(case, runner)
    assert (str(precision(decisions)), str(recall(decisions))) == ("66.7% (20.8–93.9)", "50.0% (15.0–85.0)")


def test_the_report_gives_both_shares_by_group_and_language_and_names_what_is_wrong():
    right = [Decision(Group.EXTRACTED, "ko_extraction_1", True, True, "yes")] * 9
    told = report([*right, Decision(Group.EXTRACTED, "ko_extraction_2", True, False, "no | 그 얘기요")])
    row = next(line for line in told.splitlines() if line.startswith("booking values") and " ko " in line)
    assert "100.0% (70.1–100.0)" in row
    assert "90.0% (59.6–98.2)" in row
    assert "decided wrongly: 1 of 10" in told
    assert "그 얘기요" in told


def test_on_the_simulator_every_case_gets_an_answer_and_the_output_says_that_nothing_was_measured(capsys):
    assert agents.main({}) == 0
    told = capsys.readouterr().out
    assert told.count("THESE FIGURES ARE NO MEASURE") == 2
    table = told.split("\n\n")[0]
    rows = [line.split() for line in table.splitlines() if " all " in line]
    assert len(rows) == len(Group)
    assert {row[-1] for row in rows} == {"·"}, "no case is without an answer"
