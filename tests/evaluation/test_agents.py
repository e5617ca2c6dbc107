"""The written cases reach their agents in this process, and what the agents decide is counted as it should be."""

from collections import Counter

import pytest

from functions.chat.flows.booking.extractor import EXTRACTOR
from functions.chat.flows.counseling.selectors.module_selector import ModulePick
from functions.chat.flows.routing.intent import INTENT
from functions.session_manager.provenance import SourcedSentence
from functions.session_manager.summarize import Summary
from shared.content.catalogue import content
from shared.domain.errors import ModelEmpty
from shared.engine.runner import AgentRunner
from tests.builders.answers import judgement, task_choice, task_completion, user_state_reading
from tests.builders.shipped_settings import agent_settings
from tests.evaluation import agents, background_agents, service_agents, turn_agents
from tests.evaluation.agent_cases import (
    NONE_FITS,
    completion_cases,
    extraction_cases,
    intent_cases,
    locale_of,
    module_cases,
    selection_cases,
    state_cases,
    summary_cases,
    supervision_cases,
)
from tests.evaluation.decisions import Decision, Group, precision, recall, report
from tests.evaluation.one_call import OneCallRunner
from tests.fakes.scripted_model import ScriptedModel
from tests.fakes.settable_clock import SettableClock

STATES = state_cases()
GROUPS = {
    "completion": completion_cases().completion,
    "slots": completion_cases().slots,
    "resistance": STATES.resistance,
    "topic": STATES.topic_change,
    "circular": STATES.circular,
    "emotion": STATES.emotion,
    "selection": selection_cases().selection,
    "module states": module_cases().states,
    "techniques": module_cases().techniques,
    "intent": intent_cases().intent,
    "extraction": extraction_cases().extraction,
    "supervision": supervision_cases().supervision,
    "summary": summary_cases().summaries,
}


def asking(agent, *answers):
    model = ScriptedModel({agent: list(answers)})
    return AgentRunner(model, agent_settings(), SettableClock()), model


def named(cases, case_id):
    return next(case for case in cases if case.id == case_id)


def decided(decisions):
    return [(one.group, one.wanted, one.found, one.hit, one.wrong) for one in decisions]


def test_each_group_has_twenty_to_sixty_different_cases_most_of_them_korean(subtests):
    for group, cases in GROUPS.items():
        with subtests.test(group=group):
            assert 20 <= len({case.id for case in cases}) == len(cases) <= 60
            assert 0.65 <= Counter(locale_of(case.id).value for case in cases)["ko"] / len(cases) <= 0.78


def test_the_cases_name_tasks_that_are_written(subtests):
    for case in selection_cases().selection:
        with subtests.test(case=case.id):
            tasks = {task.id for task in selection_cases().plans[case.plan].tasks}
            assert case.expected <= {*tasks, NONE_FITS}
            assert case.covered | ({case.current} - {None}) <= tasks
            assert case.current not in case.covered
    assert {case.task for case in GROUPS["completion"]} == set(completion_cases().tasks)
    assert {case.task for case in GROUPS["supervision"]} == set(supervision_cases().tasks)


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (task_completion(complete=True, evidence="제가 수술하던 날인데"), True),
        (task_completion(complete=True, evidence="남편이 밉다"), False),
        (ModelEmpty("blank"), False),
    ],
)
async def test_a_task_counts_as_complete_only_with_the_users_own_words(answer, found):
    case = named(GROUPS["completion"], "ko_completion_6")
    runner, model = asking("task_completion_checker", answer, answer)
    (decision,) = await turn_agents.judge_completion(case, completion_cases().tasks[case.task], runner)
    assert (decision.found, decision.answered) == (found, not isinstance(answer, ModelEmpty))
    assert all(text in model.requests[0].messages[0].text for text in (case.asked, case.text, "감정과 그 이유"))


async def test_one_call_answers_what_the_checker_or_the_detector_is_asked():
    case, afraid = named(GROUPS["completion"], "ko_completion_6"), named(GROUPS["emotion"], "ko_emotion_3")
    model = ScriptedModel(
        {
            "task_completion_checker": task_completion(complete=True, evidence="제가 수술하던 날인데"),
            "user_state_detector": user_state_reading(emotion="sadness", intensity=8),
        }
    )
    runner = OneCallRunner(model, agent_settings(), SettableClock())
    (complete,) = await turn_agents.judge_completion(case, completion_cases().tasks[case.task], runner)
    _, strength = await turn_agents.read_state(Group.EMOTION, afraid, runner)
    assert (complete.found, strength.hit) == (True, True)
    assert {request.agent for request in model.requests} == {"message_analyst"}
    model.scripts = {"message_analyst": ModelEmpty("blank")}
    (silent,) = await turn_agents.judge_completion(case, completion_cases().tasks[case.task], runner)
    assert (silent.found, silent.answered) == (False, False)


async def test_a_wrong_value_of_a_slot_counts_against_precision_and_recall():
    case = named(GROUPS["slots"], "ko_slots_4")
    values = [{"name": name, "quote": "서연이에요", "value": "서연", "corrects": False} for name in case.ask]
    runner, _ = asking("task_completion_checker", task_completion(complete=False, slots=values))
    decisions = await turn_agents.read_slots(case, completion_cases().labels, runner)
    assert [one.hit for one in decisions] == [True, False]
    assert (precision(decisions).hits, precision(decisions).of, recall(decisions).of) == (1, 2, 2)


async def test_another_emotion_than_the_labels_is_wrong_and_a_second_label_is_no_false_alarm():
    calm = named(GROUPS["emotion"], "ko_emotion_22")
    afraid = named(GROUPS["emotion"], "ko_emotion_3")
    joy, sad = user_state_reading(emotion="joy", intensity=3), user_state_reading(emotion="sadness", intensity=8)
    runner, _ = asking("user_state_detector", joy, sad)
    assert not any(one.wrong for one in await turn_agents.read_state(Group.EMOTION, calm, runner))
    label, strength = await turn_agents.read_state(Group.EMOTION, afraid, runner)
    assert (label.found, label.hit, label.wrong) == (True, False, True)
    assert strength.hit


async def test_mild_resistance_is_resistance_but_no_strong_one():
    case = named(GROUPS["resistance"], "ko_resistance_1")
    runner, _ = asking("user_state_detector", user_state_reading(resistance="mild"))
    some, strong = await turn_agents.read_state(Group.RESISTANCE, case, runner)
    assert (some.hit, strong.hit, strong.wrong) == (True, False, True)


async def test_the_tasks_of_the_plan_are_offered_and_none_is_an_answer():
    case = named(GROUPS["selection"], "ko_selection_9")
    refused = task_choice(task_id=NONE_FITS, feedback_to_task_planner="이혼 이야기가 빠졌습니다.")
    runner, model = asking("task_selector", refused)
    plan = selection_cases().plans[case.plan]
    chosen, none = await turn_agents.choose_task(case, plan, runner)
    assert (chosen.found, chosen.wrong, none.hit) == (False, False, True)
    assert all(task.id in model.requests[0].messages[0].text for task in plan.tasks)


def test_a_module_that_is_expected_may_be_used_in_the_part_and_every_written_task_is_worked_on(subtests):
    cases = (*GROUPS["module states"], *GROUPS["techniques"])
    assert {case.task for case in cases} == set(module_cases().tasks)
    for case in cases:
        with subtests.test(case=case.id):
            part = module_cases().tasks[case.task].part
            able = {one.id for one in content().modules(locale_of(case.id)) if one.applies("first_session", part)}
            assert case.expected <= able


async def test_the_technique_of_a_case_is_the_tables_or_the_models_and_another_one_is_wrong():
    case = named(GROUPS["techniques"], "ko_module_technique_15")
    pattern = named(GROUPS["techniques"], "ko_module_technique_6")
    tasks = module_cases().tasks
    options = [ModulePick(reason="생각", module_id=one) for one in ("cbt_basics", "pattern_exploration")]
    listens = ModulePick(reason="듣기", module_id="empathy_expression")
    runner, model = asking("module_selector", *options, listens)
    right, wrong = [
        (await turn_agents.choose_module(Group.TECHNIQUE, pattern, tasks[pattern.task], runner))[0] for _ in options
    ]
    assert [(one.wanted, one.hit, one.wrong) for one in (right, wrong)] == [(True, True, False), (True, False, True)]
    assert all(pattern.text in asked.messages[0].text for asked in model.requests)
    listening, offered = await turn_agents.choose_module(Group.TECHNIQUE, case, tasks[case.task], runner)
    assert (listening.wanted, listening.found, listening.wrong) == (False, False, False)
    assert (offered.group, offered.hit) == (Group.OFFERED, True)


async def test_a_service_counts_as_named_only_with_the_users_words_and_the_counselling_is_no_other_service():
    asked, heard = named(GROUPS["intent"], "ko_intent_2"), named(GROUPS["intent"], "ko_intent_15")
    right = INTENT.answers(quote=asked.text, service="agreement")
    runner, model = asking("intent", right, INTENT.answers(quote="계약서", service="agreement"), right)
    (hit,) = await service_agents.name_service(asked, runner)
    (unquoted,) = await service_agents.name_service(asked, runner)
    assert [(one.hit, one.wrong) for one in (hit, unquoted)] == [(True, False), (False, True)]
    assert all(text in model.requests[0].messages[0].text for text in (asked.asked, asked.text))
    runner, _ = asking("intent", INTENT.answers(quote=heard.text, service="counseling"))
    (kept,) = await service_agents.name_service(heard, runner)
    assert (kept.wanted, kept.found, kept.wrong) == (False, False, False)


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
    task = supervision_cases().tasks[case.task]
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
    right = [Decision(Group.CIRCULAR, "ko_circular_1", True, True, "yes")] * 9
    told = report([*right, Decision(Group.CIRCULAR, "ko_circular_2", True, False, "no | 그 얘기요")])
    row = next(line for line in told.splitlines() if line.startswith("circular") and " ko " in line)
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
