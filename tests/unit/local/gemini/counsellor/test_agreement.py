"""The demo's model answers questions on an agreement from the passages of the prompt, and knows whose message it is."""

import pytest

from functions.chat.flows.agreement.agents import RESPONDER, PassageView, ResponderInput
from functions.chat.flows.routing.intent import INTENT, IntentInput, Meant
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.protocol import Content
from shared.locale import Locale

KEPT = PassageView(
    label="제20조", title="보관 기간", text="① 메시지는 365일 동안 보관합니다. 그 뒤에 지워집니다.\n② 기록은 남습니다."
)
OTHER = PassageView(label="제9조", title="이용 횟수", text="① 하루는 자정에 바뀝니다.")


@pytest.mark.parametrize(
    ("casual", "begins"),
    [(False, "메시지는 365일 동안 보관해요. [제20조]"), (True, "메시지는 365일 동안 보관해. [제20조]")],
)
def test_tells_what_the_passages_say_with_the_source_after_each_sentence(casual, begins):
    given = ResponderInput(document_title="약관", casual=casual, passages=(KEPT, OTHER))
    system = RESPONDER.prompt.render(Locale.KO, given).system
    said = CounsellorBrain().answer_text(system, [Content(role="user", text="그럼 얼마나 보관해요?")])
    assert said.startswith(begins)
    assert "“그 뒤에 지워집니다”" in said
    assert "제9조" not in said
    assert "[없음]" in CounsellorBrain().answer_text(system, [Content(role="user", text="주차장 위치는요?")])


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("그럼 얼마나 보관해요?", "agreement"),
        ("다음 주에 상담 시간 바꿀 수 있어요?", "booking"),
        ("네, 그래서 낮에도 멍해요", "counseling"),
        ("집주인이 계약서를 안 돌려줘서 힘들어요", "counseling"),
    ],
)
def test_chooses_the_service_of_a_message_with_the_clients_words(text, service):
    given = IntentInput(services=("counseling", "agreement", "booking"), answered_by="agreement", reply="", text=text)
    prompt = INTENT.prompt.render(Locale.KO, given)
    content = [Content(role="user", text=prompt.user)]
    meant = Meant.model_validate(CounsellorBrain().answer_json(Meant.model_json_schema(), prompt.system, content))
    assert meant.service == service
    assert meant.quote in text
