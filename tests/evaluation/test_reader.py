"""What is asked of the reader is answered once, and what it answered is counted as it should be."""

import json
from dataclasses import replace

import pytest

from cases.case import examples, written
from cases.story import Gold
from functions.chat.reading import NOTHING_READ, SignRead, ValueRead
from shared.config.settings import ModelAccess
from shared.content.catalogue import content
from shared.domain.errors import ModelUnavailable
from shared.domain.slots import SlotKind
from tests.builders.sessions import slot
from tests.evaluation.decisions import precision, recall
from tests.evaluation.intervals import wilson
from tests.evaluation.labels import judge, same_value, unasked, wrong_ends
from tests.evaluation.reader import ask_all, chosen, main, parsed
from tests.evaluation.reader_report import Measured, compared, report
from tests.evaluation.recorded import append, load, question, read, replay, unanswered
from tests.fakes.scripted_model import ScriptedModel

SHIPPED = content()
QUESTIONS = {one.id: question(one, SHIPPED) for one in (*written(SHIPPED), *examples(SHIPPED))}
STOPS, STAYS = QUESTIONS["example/wants_to_stop/yes1"], QUESTIONS["example/wants_to_stop/no1"]
AGREES = QUESTIONS["example/agrees/no1"]


def saying(asked, *signs):
    """An answer that names conditions, each with the whole message as its quote."""
    read_signs = tuple(SignRead(id=name, quote=asked.case.text) for name in signs)
    return NOTHING_READ.model_copy(update={"signs": read_signs}).model_dump_json()


def test_the_interval_of_a_share_is_wilsons():
    assert [round(bound, 3) for bound in wilson(9, 10)] == [0.596, 0.982]
    assert [round(bound, 3) for bound in wilson(0, 10)] == [0, 0.278]
    assert wilson(0, 0) == (0, 1)


@pytest.mark.parametrize(
    ("kind", "wanted", "said", "same"),
    [
        (SlotKind.NAME, "지은", "지은", True),
        (SlotKind.NAME, "지은", "김지은", False),
        (SlotKind.BOOLEAN, True, True, True),
        (SlotKind.BOOLEAN, True, False, False),
        (SlotKind.INTEGER, 3, 13, False),
        (SlotKind.TEXT, "남편이 바람을 피워서", "남편이 바람을 피운 걸 알게 돼서", True),
        (SlotKind.TEXT, "막내 이모", "이모", True),
        (SlotKind.TEXT, "막내 이모", "고등학교 친구", False),
        (SlotKind.TEXT, "panic attacks on the train", "having panic attacks on trains", True),
        (SlotKind.TEXT, "panic attacks on the train", "cannot sleep since March", False),
    ],
)
def test_free_text_is_compared_loosely_and_everything_else_exactly(kind, wanted, said, same):
    assert same_value(slot("value", kind=kind), wanted, said) is same


def test_every_written_case_and_example_is_asked_about_in_the_state_of_its_session():
    assert {name: found for name, one in QUESTIONS.items() if (found := unasked(one.case, one.given))} == {}


def test_only_labelled_conditions_are_judged_and_a_sign_without_the_clients_words_is_none():
    def decided(text):
        return [(one.group, one.wanted, one.found) for one in judge(STOPS.case, STOPS.given, read(STOPS, text).heard)]

    assert decided(saying(STOPS, "wants_to_stop", "good_news")) == [("wants_to_stop", True, True)]
    invented = NOTHING_READ.model_copy(update={"signs": (SignRead(id="wants_to_stop", quote="그만두겠습니다"),)})
    assert decided(invented.model_dump_json()) == [("wants_to_stop", True, False)]


def test_a_wrong_value_counts_against_precision_and_recall():
    asked = QUESTIONS["written/told/ko_slots_1"]
    gold = Gold(values={"name": ("윤아", "윤아라고 불러 주세요")})
    whole = replace(asked, case=replace(asked.case, gold=gold, judged=None, whole=True))

    def shares(name):
        told = (ValueRead(slot="name", value=name, quote="윤아라고 불러 주세요"),)
        heard = read(whole, NOTHING_READ.model_copy(update={"values": told}).model_dump_json()).heard
        decisions = [one for one in judge(whole.case, whole.given, heard) if one.group == "told"]
        return precision(decisions)[:2], recall(decisions)[:2]

    assert shares("윤아") == ((1, 1), (1, 1))
    assert shares("지아") == ((0, 1), (0, 1))


def test_of_stories_with_notes_in_place_of_signs_values_are_judged_and_conditions_are_not(tmp_path, capsys):
    line = {
        "client": "지은이라고 해요. 이제 가 볼게요",
        "reading": {"values": {"name": ["지은", "지은이라고"]}, "notes": ['wants to go "이제 가 볼게요"']},
        "reply": "네.",
        "holds": {"part": 1, "task": "task_info_1", "stance": "work"},
    }
    about = {"id": "held", "locale": "ko", "title": "…", "about": "…", "lines": [line]}
    (tmp_path / "held.yaml").write_text(json.dumps(about, ensure_ascii=False), "utf-8")
    options = ["--folder", str(tmp_path), "--without", "written,examples"]
    (one,) = chosen(SHIPPED, parsed(options))
    append(tmp_path / "answers.jsonl", one.answered("m", saying(one, "wants_to_stop")))
    assert main({}, [*options, "--answers", str(tmp_path / "answers.jsonl")]) == 0
    told = capsys.readouterr().out
    assert "of 1 told missed 100.0%" in told
    assert "wants_to_stop" not in told
    assert line["client"] not in told


def test_a_yes_that_is_none_and_a_wish_that_is_none_are_named_as_wrong_ends():
    heard = read(AGREES, saying(AGREES, "agrees")).heard
    assert wrong_ends(AGREES.case, AGREES.given, heard) == ["agrees"]
    stays = read(STAYS, saying(STAYS, "wants_to_stop"))
    assert wrong_ends(STAYS.case, STAYS.given, stays.heard) == ["wants_to_stop"]
    told = report(Measured("somebody", [stays]))
    assert "wrong ends: 1" in told
    assert STAYS.case.text in told


def test_an_answer_to_another_prompt_is_not_used_and_is_counted_and_the_last_of_several_wins():
    old = STOPS.answered("m", saying(STOPS, "wants_to_stop")).model_copy(update={"input": "another"})
    again = replay([STOPS, STAYS], [old])
    assert (again.reads, again.stale, again.missing) == ((), ("example/wants_to_stop/yes1",), 1)
    fresh = [STOPS.answered("m", text) for text in (saying(STOPS), saying(STOPS, "wants_to_stop"))]
    (used,) = replay([STOPS], [*fresh, old]).reads
    assert used.heard.holds("wants_to_stop")
    assert "stale: 1 cases" in report(Measured("m", again.reads, again.stale, again.missing))


def test_an_answer_that_cannot_be_read_counts_as_nothing_read_and_is_named():
    broken = read(STOPS, '{"danger": [')
    assert broken.broken
    assert not broken.heard.signs
    assert "broken answers, counted as nothing read: example/wants_to_stop/yes1" in report(Measured("m", [broken]))


def test_two_readers_are_compared_on_the_cases_that_both_answered():
    one = Measured("one", [read(STOPS, saying(STOPS, "wants_to_stop")), read(STAYS, saying(STAYS))])
    other = Measured("other", [read(STOPS, saying(STOPS))])
    told = compared(one, other)
    assert "1 cases answered by both" in told
    (row,) = [line.split() for line in told.splitlines() if line.startswith("wants_to_stop")]
    assert row[-2:] == ["1", "0"]


async def test_what_a_file_answers_is_not_asked_again_and_a_call_that_failed_is(tmp_path):
    file, asked = tmp_path / "answers.jsonl", [STOPS, STAYS]

    async def run(*answers):
        before = load([file])[0] if file.exists() else []
        model = ScriptedModel({"reader": list(answers)})
        await ask_all(model, ModelAccess(), list(unanswered(asked, before)), lambda one: append(file, one))
        return len(model.requests)

    assert await run(saying(STOPS, "wants_to_stop"), ModelUnavailable("down")) == 2
    assert await run('{"torn', '{"torn') == 2, "the failed one alone, once more after a broken answer"
    assert await run() == 0
    rows, _ = load([file])
    assert [(one.case, one.answer[:6]) for one in rows] == [(STOPS.case.id, '{"dang'), (STAYS.case.id, '{"torn')]


def test_an_answer_after_a_torn_line_stands_on_a_line_of_its_own(tmp_path):
    file, answer = tmp_path / "answers.jsonl", STOPS.answered("m", saying(STOPS))
    append(file, answer)
    file.write_text(file.read_text("utf-8") + '{"case": "wr', "utf-8")
    append(file, answer)
    assert load([file]) == ([answer, answer], 1)


def test_prompts_that_are_answered_elsewhere_come_back_as_recorded_answers(tmp_path, capsys):
    few = ["--only", "agrees", "--without", "stories,blind"]
    folder, file, figures = tmp_path / "asked", tmp_path / "answers.jsonl", tmp_path / "figures.json"
    assert main({}, [*few, "--prompts", str(folder)]) == 0
    rows = [json.loads(line) for line in (folder / "index.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        one = QUESTIONS[row["case"]]
        assert one.case.text in (folder / f"{row['number']}.md").read_text("utf-8")
        (folder / "answers" / f"{row['number']}.json").write_text(saying(one, *one.case.gold.signs), "utf-8")
    collecting = ["--collect", str(folder), "--record", str(file), "--model", "somebody"]
    assert [main({}, collecting) for _ in range(2)] == [0, 0]
    assert len(load([file])[0]) == len(rows), "collecting twice adds nothing"
    assert main({}, [*few, "--answers", str(file), "--json", str(figures)]) == 0
    told = capsys.readouterr().out
    assert "tokens" in told
    (found,) = json.loads(figures.read_text("utf-8"))
    assert found["rows"]["agrees"]["all"]["recall"][:2] == [2, 2]


@pytest.mark.parametrize("wrong", [["--only", "no_such_condition"], ["--without", "songs"], ["--collect", "there"]])
def test_an_option_that_cannot_be_followed_is_reported_in_one_line_with_exit_code_2(wrong, capsys):
    assert main({}, wrong) == 2
    assert capsys.readouterr().err.count("\n") == 1
