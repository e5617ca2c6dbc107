"""A whole conversation in process: the product's turn and its planner, with the counsellor's brain as their model."""

import json
from dataclasses import replace

from functions.planner.transitions import carry_out
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.protocol import Content
from shared.domain.counseling.records import PartTransition
from shared.engine.jobs import JobResult
from shared.engine.runner import AgentRunner
from shared.ports.language_model import ModelRequest
from tests.builders.job_room import Room, created
from tests.builders.shipped_settings import shipped_settings
from tests.builders.talk import Said, Talk
from tests.fakes.scripted_model import ScriptedModel

TALK = (
    *("안녕하세요", "지훈이요", "요즘 회사 일이 너무 힘들어서요. 팀장님이 매일 야근을 시켜요."),
    *("주말에도 일 생각이 나서 쉬어도 쉬는 것 같지 않아요", "퇴근하는 버스에서도 메일을 열어 봐요"),
    *("이 회사는 삼 년째 다녀요", "네 괜찮아요", "아니요 처음이에요"),
    *("친구 한 명 있는데 바빠서 자주는 못 만나요", "그냥 집에서 누워서 영상 봐요", "네 맞아요"),
    "지난주 회의 시간에 팀장님이 사람들 앞에서 제 보고서를 지적했어요. 너무 창피했어요.",
    *("그날 밤에 잠을 한숨도 못 잤어요", "화가 나기도 하고 제가 한심하게 느껴졌어요", "잘 모르겠어요"),
    *("사실은 수고했다는 말 한마디 듣고 싶었던 것 같아요", "이야기하니까 조금 후련해졌어요"),
)
CASUAL = (
    *("안녕 나는 민지야", "남자친구랑 헤어졌어. 아직도 매일 눈물이 나", "밥도 잘 못 먹고 있어"),
    *("응 예전에 한 번 받아봤어", "엄마한테 가끔 얘기해", "응 괜찮아", "혼자 걷거나 음악 들어", "응 맞아"),
    *("3년 만났는데 갑자기 연락을 끊더라", "나만 힘든 것 같아서 억울해", "왜 그랬는지 물어보고 싶어"),
)
ENGLISH = (
    *("Hi, I'm Sam", "I can't sleep because of work. My boss yells at me every day.", "I feel so tired all the time."),
    *(
        "Yes, that's fine",
        "No, never",
        "My sister, sometimes",
        "I go running",
        "Yes",
        "I felt so ashamed in front of everyone",
    ),
    *("I don't know", "I want to feel calm again"),
)


class BrainModel(ScriptedModel):
    """Answers by the brain, as the simulator's server does."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        self.brain = CounsellorBrain(seed)

    def _next(self, request: ModelRequest) -> str:
        self.requests.append(request)
        contents = [Content(role=message.role, text=message.text) for message in request.messages]
        if request.response_schema is None:
            return self.brain.answer_text(request.system, contents)
        schema = request.response_schema.model_json_schema()
        answer = self.brain.answer_json(schema, request.system, contents)
        assert answer is not None, f"no answer for {schema['title']}"
        request.response_schema.model_validate(answer)
        return json.dumps(answer, ensure_ascii=False)


class Conversation(Talk):
    """A talk whose part transitions are carried out at once."""

    def __init__(self, seed: int = 0, **opening: str) -> None:
        super().__init__(**opening)
        self.model = BrainModel(seed)
        self.runner = AgentRunner(self.model, shipped_settings(), self.clock)
        self.texts: list[str] = []
        self.replies: list[str] = []

    @classmethod
    async def of(cls, *texts: str, seed: int = 0, **opening: str) -> "Conversation":
        """Return a conversation with these messages of the user."""
        conversation = cls(seed, **opening)
        for text in texts:
            await conversation.say(text)
        return conversation

    async def say(self, text: str) -> Said:
        said = await super().say(text)
        self.texts.append(text)
        self.replies.append(said.reply)
        for transition in said.records(PartTransition.collection):
            await self._carry_out(transition)
        return said

    async def _carry_out(self, transition: PartTransition) -> None:
        room = Room()
        room.context = replace(room.context, runner=self.runner)
        await room.open(self.state, self.texts, (transition,))
        assert await carry_out(room.context, created(transition.collection, transition.record_id)) is JobResult.DONE
        plan = await room.record("plans", "0")
        assert plan is None or (plan["origin"], plan["attempts"]) == ("model", 1)
        self.state = await room.session()
