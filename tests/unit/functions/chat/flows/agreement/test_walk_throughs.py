"""The walk-throughs of the agreement service, with the decision log of each (`pytest -rP` prints them)."""

import pytest

from shared.contracts.agreement import CITATIONS
from shared.domain.errors import ModelUnavailable
from shared.locale import Locale
from tests.builders.agreements import Asking, enough, log_of, plan, triage

DOWN = ModelUnavailable("503")


def printed(outcome):
    print("\n".join(log_of(outcome)), outcome.reply, sep="\n")  # noqa: T201 - `-rP` shows the log
    return log_of(outcome)


def cited(outcome):
    return [one["label"] for hook in outcome.hooks if hook.type == CITATIONS for one in hook.data["citations"]]


async def test_an_article_that_is_named_is_read_by_rule_and_costs_the_answer_alone():
    asking = Asking({"agreement_responder": "상담 내용은 비밀이에요. [제5조] 영장이 있으면 아니에요. [제5조]"})
    outcome = await asking.ask("제5조가 뭐야?")
    assert printed(outcome) == [
        "0 scope → in_scope (rule)",
        "0 check_tool_needed → use_tools (rule)",
        "1 planner → call (rule) get_article_by_index:[('article_numbers', ['5'])]",
        "1 executor → executed (rule) get_article_by_index:[('article_numbers', ['5'])]",
        "1 evaluator → finish (rule)",
        "1 respond → answered (model)",
    ]
    assert asking.asked == ["responder"]
    assert cited(outcome) == ["제5조"]
    assert outcome.reply.startswith("상담 내용은 비밀이에요 [제5조]. 영장이 있으면 아니에요 [제5조].\n\n")
    assert asking.shown == outcome.reply


async def test_a_condition_is_searched_with_the_structure_and_a_missing_article_is_read_by_its_number():
    asking = Asking(
        {
            "agreement_evaluator": [enough(False, "제12조의 내용"), enough()],
            "agreement_responder": "언제든 해지할 수 있어요. [제10조] 요금은 7일 안에 돌려받아요. [제12조]",
        }
    )
    outcome = await asking.ask("해지 조건이 뭐야?")
    log = printed(outcome)
    assert log[2] == (
        "1 planner → call (rule) get_contract_structure:[] hybrid_search:[('queries', ['해지 조건이 뭐야'])]"
    )
    assert log[4:] == [
        "1 evaluator → continue (model)",
        "2 planner → call (rule) get_article_by_index:[('article_numbers', ['12'])]",
        "2 executor → executed (rule) get_article_by_index:[('article_numbers', ['12'])]",
        "2 evaluator → finish (model)",
        "2 respond → answered (model)",
    ]
    assert asking.asked == ["evaluator", "evaluator", "responder"]
    assert cited(outcome) == ["제10조", "제12조"]


async def test_several_articles_are_read_in_parallel_each_by_a_call_of_its_own():
    asking = Asking({"agreement_responder": "비밀이에요. [제5조] 7일 안에 돌려받아요. [제12조]"})
    outcome = await asking.ask("제5조랑 제12조 알려 줘")
    calls = [f"get_article_by_index:[('article_numbers', ['{number}'])]" for number in (5, 12)]
    assert printed(outcome)[3] == f"1 executor → executed (rule) {' '.join(calls)}"
    assert cited(outcome) == ["제5조", "제12조"]


@pytest.mark.parametrize(("text", "said"), [("안녕", "안녕하세요."), ("고마워요!", "도움이")])
async def test_a_greeting_needs_no_tool_and_no_model(text, said):
    asking = Asking()
    outcome = await asking.ask(text)
    assert printed(outcome) == [
        "0 scope → in_scope (rule)",
        "0 check_tool_needed → direct_response (rule)",
        "0 respond → answered (rule)",
    ]
    assert (asking.asked, outcome.hooks) == ([], ())
    assert outcome.reply.startswith(said)


async def test_a_comparison_reads_the_article_and_its_counterpart_in_the_standard_form():
    asking = Asking(
        {"agreement_responder": "언제든 해지해요. [제10조] 표준은 14일 전에 알려요. [상담 표준계약서 제7조]"}
    )
    outcome = await asking.ask("제10조를 표준계약서와 비교해 줘")
    log = printed(outcome)
    assert log[2].startswith("1 planner → call (rule) lookup_standard_contract:[('user_article_numbers', ['10'])]")
    assert cited(outcome) == ["제10조", "상담 표준계약서 제7조"]
    assert asking.asked == ["responder"]


async def test_the_structure_is_listed_by_code():
    asking = Asking()
    outcome = await asking.ask("어떤 조항들이 있나요?")
    assert "제5조의2 기록의 보관" in outcome.reply
    assert asking.asked == []


async def test_an_unclear_question_is_read_and_planned_by_the_model_with_its_arguments_repaired():
    wrong = '{"reason": "돈 이야기", "tool": "hybrid_search", "args": {"query": "환불"}}'
    asking = Asking(
        {
            "agreement_triage": triage(),
            "agreement_planner": [wrong],
            "agreement_evaluator": enough(),
            "agreement_responder": "7일 안에 돌려받아요. [제12조]",
        }
    )
    outcome = await asking.ask("남은 회기 돈은요?")
    assert printed(outcome)[2] == (
        "1 planner → call (model) get_contract_structure:[] hybrid_search:[('queries', ['환불'])]"
    )
    assert cited(outcome) == ["제12조"]
    assert asking.asked == ["triage", "planner", "evaluator", "responder"]


async def test_a_question_on_something_else_is_told_so():
    asking = Asking({"agreement_triage": triage(in_scope=False, needs_tools=False)})
    outcome = await asking.ask("오늘 날씨 어때?")
    assert printed(outcome)[-1] == "0 respond → answered (rule)"
    assert "동의서에서 답할 수 있는 내용이 아니라서" in outcome.reply


async def test_a_call_that_was_run_is_refused_and_the_answer_given():
    asking = Asking(
        {
            "agreement_evaluator": enough(False, "더"),
            "agreement_planner": plan("hybrid_search", topics=[{"topic_name": "x", "queries": ["해지 조건이  뭐야"]}]),
            "agreement_responder": "언제든 해지할 수 있어요. [제10조]",
        }
    )
    outcome = await asking.ask("해지 조건이 뭐야?")
    assert printed(outcome)[-2:] == ["2 planner → no_call (rule)", "2 respond → answered (model)"]
    assert "refused, run before" in outcome.directive["decisions"][-2]["reason"]


@pytest.mark.parametrize("sends", [7, 4, 2, 60])
async def test_a_model_that_is_never_content_gets_five_rounds_at_most_and_leaves_a_request_for_the_answer(sends):
    asked = iter(range(100))
    asking = Asking(
        {
            "agreement_evaluator": enough(False, "더 필요함"),
            "agreement_planner": lambda _: plan("get_article_by_title", titles=[f"제목{next(asked)}"]),
            "agreement_responder": "언제든 해지할 수 있어요. [제10조]",
        }
    )
    outcome = await asking.ask("해지 조건이 뭐야?", sends=sends)
    printed(outcome)
    assert outcome.directive["round"] == min(5, outcome.directive["round"])
    assert (outcome.directive["round"] == 5) == (sends == 60)
    assert asking.asked[-1] == "responder"
    assert len(asking.asked) <= sends
    assert outcome.reply.startswith("언제든 해지할 수 있어요 [제10조].")


@pytest.mark.parametrize("locale", Locale)
async def test_without_a_model_the_best_passage_is_quoted_with_its_source(locale):
    asking = Asking(
        dict.fromkeys(("agreement_triage", "agreement_planner", "agreement_evaluator", "agreement_responder"), DOWN),
        locale=locale,
    )
    outcome = await asking.ask("환불은 언제 되나요?")
    label = "제12조" if locale is Locale.KO else "Article 12"
    assert f"[{label}] 환불\n“① 남은 회기의 요금을 7일 안에 돌려드립니다." in outcome.reply
    assert (outcome.flags, cited(outcome)) == (("degraded",), [label])
    assert asking.shown == outcome.reply


async def test_what_the_document_does_not_have_is_said_to_be_unknown():
    asking = Asking()
    assert "찾지 못했어요" in (await asking.ask("제99조가 뭐야?")).reply
    assert asking.asked == []
    asking = Asking({"agreement_evaluator": enough(False), "agreement_responder": "주차 이야기는 없어요. [없음]"})
    outcome = await asking.ask("주차 요금 조항이 있나요?")
    assert outcome.reply.startswith("물어보신 내용은 동의서에서 찾지 못했어요.")
    assert "제3조의 연락처로 운영자에게" in outcome.reply
    assert outcome.hooks == ()


async def test_no_legal_advice_is_said_once_in_a_conversation():
    asking = Asking({"agreement_responder": "비밀이에요. [제5조]"})
    replies = [(await asking.ask(text)).reply for text in ("제5조가 뭐야?", "제5조 다시 알려 줘")]
    assert ["법률 자문" in reply for reply in replies] == [True, False]


async def test_a_document_that_is_gone_is_said_to_be_gone():
    asking = Asking(agreement={"document_id": "d1"})
    assert "문서를 찾을 수 없어요" in (await asking.ask("제5조가 뭐야?")).reply


async def test_the_planner_sees_the_titles_of_the_document_before_its_first_search():
    asking = Asking(
        {"agreement_planner": [plan("get_article_by_title", titles=["환불"])], "agreement_evaluator": [enough()]}
    )
    outcome = await asking.ask("그만 나오면 남은 건 돌려줘?")
    (asked_for,) = [one for one in asking.model.requests if one.agent == "agreement_planner"]
    assert "제12조 환불" in str(asked_for)
    assert [one["passage_id"] for one in outcome.directive["read"]] == ["article-12"]
