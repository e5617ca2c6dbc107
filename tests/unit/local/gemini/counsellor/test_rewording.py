"""The simulated counsellor reads the tags of a prompt alone: whatever else it says may be said in other words."""

import asyncio
import re

import pytest

from local.gemini.counsellor.prompt import LABELS, READ
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.domain.counseling.session import SessionType
from shared.locale import Locale, Register
from shared.ports.language_model import ModelMessage, ModelRequest
from tests.support.every_agent import every_agent
from tests.support.prompt_inputs import filled
from tests.unit.local.gemini.counsellor.conversation import CASUAL, ENGLISH, TALK, BrainModel, Conversation

COUNTS = re.compile(rf"<({'|'.join(READ)})((?: [a-z_]+=\"[^\"<>]*\")*)>(.*?)</\1>", re.DOTALL)
LABEL = re.compile(r"^[^:\n]+(?=:)", re.MULTILINE)
REMARK = re.compile(r"^\(.*\)$", re.MULTILINE)
TOLD_ABOUT = ("part", "module")
"""Tags of which the attributes count and what they hold is an instruction."""
SAID = {
    "text": "저는 지훈이 아니라 지은이에요. 회사 일로 잠을 못 자서 너무 불안해요. 푹 자고 싶어요.",
    "heard": "저는 완벽해야 해서 실수하면 제가 한심해요. 이제는 조금 쉬고 싶어요.",
    "replied": "언제부터 그러셨어요? 무엇이 가장 힘드세요?",
    "question": "어떻게 불러 드리면 편하실까요?",
    "completion_criteria": "내담자가 감정을 말했을 때",
    "label": "이름",
    "value": "지훈",
    "feedback_kind": "topic_change",
}


def reworded(text: str) -> str:
    """Put another word for each that stands outside of what counts, and other labels before what does."""
    parts, end = [], 0
    for found in COUNTS.finditer(text):
        name, attributes, inside = found.groups()
        if name in TOLD_ABOUT or (name == "notice" and "parse_error" not in attributes):
            inside = _others(inside)
        elif name in {"task", "dialogue"}:
            inside = LABEL.sub(lambda label: label[0][::-1], REMARK.sub(lambda remark: _others(remark[0]), inside))
        parts += [_others(text[end : found.start()]), f"<{name}{attributes}>{inside}</{name}>"]
        end = found.end()
    return "".join([*parts, _others(text[end:])])


def _others(text: str) -> str:
    """Put other words into what lies between angle brackets."""
    words = re.compile(r"<[^<>]*>|([가-힣]+)|[A-Za-z_]+")
    return words.sub(lambda found: found[0] if found[0][0] == "<" else "다른" if found[1] else "other", text)


def told_otherwise(request: ModelRequest) -> ModelRequest:
    """Return the request with its prompt in other words; what is said to the Counselor is said by the person."""
    first, *more = request.messages
    if request.response_schema is not None:
        first = first.model_copy(update={"text": reworded(first.text)})
    return request.model_copy(update={"system": reworded(request.system), "messages": (first, *more)})


def answers(request: ModelRequest) -> tuple[str, str]:
    """Return the answer as the prompt is, and as it is in other words."""
    other = told_otherwise(request)
    assert other.system != request.system
    return BrainModel().answer(request), BrainModel().answer(other)


@pytest.mark.parametrize(
    ("talk", "opening"), [(TALK, {}), (CASUAL, {"register": "반말"}), (ENGLISH, {"locale": "en"})], ids=str
)
def test_a_conversation_goes_the_same_way(talk, opening):
    conversation = Conversation(**opening)
    for text in (*talk, "오늘은 여기까지 할게요", "네"):
        conversation.say(text)
    asyncio.run(conversation.review())
    asyncio.run(conversation.closing(casual="register" in opening))
    assert len({request.agent for request in conversation.model.requests}) >= 7
    for request in conversation.model.requests:
        as_it_is, in_other_words = answers(request)
        assert in_other_words == as_it_is


@pytest.mark.parametrize("locale", Locale)
@pytest.mark.parametrize("name", every_agent())
def test_every_agent_is_answered_the_same_way(name, locale):
    agent = every_agent()[name]
    (given,) = (
        given for prompt, given in filled(lambda field: SAID.get(field, SAID["text"])) if prompt is agent.prompt
    )
    rendered = agent.prompt.render(locale, given)
    request = ModelRequest(
        agent=agent.name,
        system=rendered.system,
        messages=(ModelMessage(role="user", text=rendered.user),),
        settings=agent_settings()[agent.name],
        response_schema=agent.answers,
    )
    as_it_is, in_other_words = answers(request)
    assert in_other_words == as_it_is


@pytest.mark.parametrize("tag", READ)
def test_each_tag_that_counts_stands_in_a_prompt(tag):
    sources = [prompt.source(locale) for prompt, _ in filled(str) for locale in Locale]
    assert any(re.search(rf"<{tag}[ >{{]", source) for source in sources)


@pytest.mark.parametrize("slot", LABELS)
def test_the_labels_are_the_contents(slot):
    templates = [
        task for kind in SessionType for locale in Locale for task in content().templates(kind, locale, Register.FORMAL)
    ]
    assert {each.label for task in templates for each in task.slots if each.name == slot} == set(LABELS[slot])
