"""What is asked of the reader is answered once, and what it answered is counted as it should be."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from cases.case import examples, written
from cases.story import Gold
from functions.chat.reading import NOTHING, NOTHING_READ, SignRead, ValueRead
from local.gemini.latency import INSTANT
from local.gemini.server import serve
from shared.config.settings import ModelAccess
from shared.content.catalogue import content
from shared.domain.errors import ModelUnavailable
from shared.domain.slots import SlotKind
from tests.builders.sessions import slot
from tests.evaluation.decisions import precision, recall
from tests.evaluation.labels import judge, same_value, unasked, wrong_ends
from tests.evaluation.reader import ask_all, chosen, main, name_of, parsed, reader_settings
from tests.evaluation.reader_report import Measured, report
from tests.evaluation.recorded import append, load, newest, prompt_digest, question, read, replay, unanswered
from tests.fakes.scripted_model import ScriptedModel

SHIPPED = content()
QUESTIONS = {one.id: question(one, SHIPPED) for one in (*written(SHIPPED), *examples(SHIPPED))}
STOPS, STAYS = QUESTIONS["example/wants_to_stop/yes1"], QUESTIONS["example/wants_to_stop/no1"]
AGREES = QUESTIONS["example/agrees/no1"]


def saying(asked, *signs):
    """An answer that names conditions, each with the whole message as its quote."""
    read_signs = tuple(SignRead(id=name, quote=asked.case.text) for name in signs)
    return NOTHING_READ.model_copy(update={"signs": read_signs}).model_dump_json()


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
    def judged(text):
        return [(one.group, one.wanted, one.found) for one in judge(STOPS.case, STOPS.given, read(STOPS, text).heard)]

    assert judged(saying(STOPS, "wants_to_stop", "good_news")) == [("wants_to_stop", True, True)]
    invented = NOTHING_READ.model_copy(update={"signs": (SignRead(id="wants_to_stop", quote="그만두겠습니다"),)})
    assert judged(invented.model_dump_json()) == [("wants_to_stop", True, False)]


def whole(base, gold, text="", **given):
    """A question of a story in which the client says `text`."""
    said = text or base.case.text
    case = replace(base.case, id="small/1", text=said, gold=gold, judged=None, whole=True)
    return replace(base, case=case, given=base.given.model_copy(update={"text": said, **given}))


def decided(asked, row, **found):
    """What an answer decides in a row, and the report with errors."""
    heard = read(asked, NOTHING_READ.model_copy(update=found).model_dump_json())
    own = [one for one in judge(asked.case, asked.given, heard.heard) if one.group == row]
    return own, report(Measured("m", [heard]), errors=True)


@pytest.mark.parametrize(
    ("label", "value", "quote", "right", "by_quote"),
    [
        ("취업 준비로 무기력함", "취업 준비로 무기력해요", "무기력해져서요", True, False),
        ("기운이 없음", "자꾸 늘어짐", "자꾸 무기력해져서요", True, True),
        ("기운이 없음", "엄마와 다툼", "자꾸 무기력해져서요 근데 엄마랑은 절대로 안 싸워요", False, False),
        ("기운이 없음", "엄마와 다툼", "절대로 안 싸워요", False, False),
    ],
)
def test_a_paraphrase_of_the_same_words_is_right_and_named_and_a_much_longer_quote_is_not_the_same(
    label, value, quote, right, by_quote
):
    gold = Gold(values={"reason": (label, "자꾸 무기력해져서요")})
    asked = whole(QUESTIONS["written/told/ko_slots_5"], gold, "자꾸 무기력해져서요 근데 엄마랑은 절대로 안 싸워요")
    told = ValueRead(slot="reason", value=value, quote=quote)
    found, shown = decided(asked, "told", values=(told,))
    (one,) = [one for one in found if one.wanted or one.found]
    assert (one.hit, one.by_quote) == (right, by_quote)
    assert [precision(found)[:2], recall(found)[:2]] == [(right, 1)] * 2, "a wrong value hurts both"
    assert f"{int(by_quote)} of {int(right)} right ones by their quote only" in shown
    assert ("  by quote only told" in shown) is by_quote


def test_a_next_task_is_skipped_by_the_label_alone_and_the_report_counts_the_skipped():
    asked = next(one for name, one in QUESTIONS.items() if name.startswith("written/complete/") and one.given.tasks)
    now, complete = asked.given.tasks[0], SignRead(id="complete", quote=asked.case.text)
    assert now.current
    wrong = {"signs": (complete,), "next_task": NOTHING}
    skipped, shown = decided(whole(asked, Gold(signs={"complete": "…"}, next_task=now.id)), "next_task", **wrong)
    assert (skipped, "; 1 more: code decides" in shown) == ([], True)
    (one,), _ = decided(whole(asked, Gold(next_task=now.id)), "next_task", **wrong)
    assert one.wrong, "that the reader found it complete is no excuse"
    met = now.model_copy(update={"wants": ("name",)})
    for told, judged in (({"name": ("윤아", "…")}, 0), ({}, 1)):
        ends = whole(asked, Gold(values=told, next_task=NOTHING), tasks=(met,))
        assert len(decided(ends, "next_task", next_task=now.id)[0]) == judged


def test_a_wish_to_stop_where_code_asked_whether_to_end_is_judged_unless_the_label_says_yes():
    stops = {"signs": (SignRead(id="wants_to_stop", quote=AGREES.case.text),)}
    for label, judged in (({}, 1), ({"agrees": "…"}, 0)):
        asked = whole(AGREES, Gold(signs=label), asked=("end",))
        assert len(decided(asked, "wants_to_stop", **stops)[0]) == judged


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
    assert "wants_to_stop" in used.heard.signs
    assert "stale: 1 cases" in report(Measured("m", again.reads, again.stale, again.missing))
    torn = STOPS.answered("m", '{"torn')
    assert newest([STOPS, STAYS], [*fresh, old, torn]) == [(STOPS, old.answer)], "what is only streamed may be stale"


def test_an_answer_that_cannot_be_read_counts_as_nothing_read_and_is_named():
    broken = read(STOPS, '{"danger": [')
    assert broken.broken
    assert not broken.heard.signs
    assert "broken answers, counted as nothing read: example/wants_to_stop/yes1" in report(Measured("m", [broken]))


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
    assert {(row["locale"], row["prompt"]) for row in rows} == {("ko", prompt_digest()), ("en", prompt_digest())}
    told = capsys.readouterr().out
    assert "tokens" in told
    (found,) = json.loads(figures.read_text("utf-8"))
    assert found["rows"]["agrees"]["all"]["recall"][:2] == [2, 2]


@pytest.mark.parametrize(
    "wrong",
    [
        ["--only", "no_such_condition"],
        ["--without", "songs"],
        ["--collect", "there"],
        ["--sample", "0"],
        ["--folder", str(Path(__file__).parent)],
        ["--record", "answers.jsonl"],
        ["--answers", str(Path(__file__).parent / "__init__.py")],
        ["--compare", "0123", "4567"],
    ],
)
def test_an_option_that_cannot_be_followed_is_reported_in_one_line_with_exit_code_2(wrong, capsys):
    assert main({}, wrong) == 2
    told = capsys.readouterr()
    assert [line[:5] for line in told.err.splitlines()][-1:] == ["cbot:"]
    assert told.out == ""


def test_where_every_answer_is_stale_or_none_is_the_run_fails_and_says_what_to_do(tmp_path, capsys):
    file = tmp_path / "answers.jsonl"
    few = ["--only", "agrees", "--without", "stories,blind,written", "--answers", str(file)]
    append(file, AGREES.answered("m", saying(AGREES)).model_copy(update={"input": "another"}))
    assert main({}, few) == 2
    told = capsys.readouterr().err
    assert "all recorded answers (1 cases) are to another prompt" in told
    assert "--record" in told
    file.write_text("", "utf-8")
    append(file, STOPS.answered("m", saying(STOPS)))
    assert main({}, few) == 2
    assert "no case was answered" in capsys.readouterr().err


def test_two_models_of_a_file_and_two_wordings_of_the_prompt_are_compared_where_both_answered(tmp_path, capsys):
    file = tmp_path / "answers.jsonl"
    for name, signs in (("one", ()), ("other", ("agrees",))):
        append(file, AGREES.answered(name, saying(AGREES, *signs)).model_copy(update={"prompt": f"of {name}"}))
    append(file, QUESTIONS["example/agrees/no2"].answered("one", saying(AGREES)))
    few = ["--only", "agrees", "--without", "stories,blind,written"]
    assert main({}, [*few, "--compare", f"{file}:one", f"{file}:other"]) == 0
    assert main({}, [*few, "--answers", str(file), "--compare", "of one", "of other"]) == 0
    told = capsys.readouterr().out
    assert told.count("1 cases answered by both") == 2
    assert [line.split()[-2:] for line in told.splitlines() if line.startswith("agrees  ")] == [["1", "0"]] * 2
    assert main({}, [*few, "--compare", f"{file}:one", f"{file}:nobody"]) == 2


async def test_three_calls_in_a_row_without_an_answer_end_the_run(tmp_path):
    model, kept = ScriptedModel({"reader": [saying(STOPS), *[ModelUnavailable("down")] * 4]}), []
    with pytest.raises(ConnectionError, match=r"no answer 3 times in a row \(model_unavailable: down"):
        await ask_all(model, ModelAccess(), [STOPS, STAYS, AGREES, STOPS, STAYS], kept.append)
    assert [one.case for one in kept] == [STOPS.case.id]
    assert len(model.requests) == 4


def test_a_model_at_another_address_than_googles_is_not_recorded_by_the_name_that_was_asked_for():
    asked = reader_settings(ModelAccess()).model
    for address in (None, "https://generativelanguage.googleapis.com"):
        assert name_of(ModelAccess(api_key="k", base_url=address)) == asked
    for address in ("https://googleapis.com.example.org", "http://127.0.0.1:1"):
        assert name_of(ModelAccess(api_key="k", base_url=address)) == f"{asked} at another address"


async def test_the_simulator_is_told_from_a_model_and_the_report_says_that_nothing_was_measured(capsys, tmp_path):
    few, file = ["--only", "agrees", "--without", "stories,blind,written"], tmp_path / "answers.jsonl"
    async with await serve(latency=INSTANT) as simulator:
        environment = {"GEMINI_API_KEY": "k", "GOOGLE_GEMINI_BASE_URL": simulator.address}
        for more in ([], ["--model", "somebody"]):
            assert await asyncio.to_thread(main, environment, [*few, "--record", str(file), *more]) == 0
    assert capsys.readouterr().out.count("THESE FIGURES ARE NO MEASURE") == 4
    assert {one.model for one in load([file])[0]} == {"CBot's own simulator", "somebody"}
