"""A whole conversation in process: the product's turn and its planner, with the counsellor's brain as their model."""

import asyncio
import json
from collections.abc import AsyncGenerator

from functions.chat.flows.counseling.opening import open_session
from functions.chat.flows.counseling.turn import CounselingFlow
from functions.planner.keywords import shown
from functions.planner.material import Material
from functions.planner.plan_checks import FEWEST_TASKS, MOST_TASKS, Plan, Reader
from functions.planner.plan_part2 import PLANNER, PlanInput
from functions.planner.prompt_view import TechniqueShown
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.protocol import Content
from shared.config.agents import agent_settings
from shared.content.catalogue import content
from shared.contracts.chat import CreateConversation
from shared.domain.conversation import Message, Role
from shared.domain.counseling.background_events import ClosingStarted, PlanMade
from shared.domain.counseling.persona import persona_of
from shared.domain.counseling.records import PartTransition
from shared.domain.counseling.review import closing_tasks
from shared.domain.counseling.session import Session
from shared.domain.counseling.task import TaskOrigin
from shared.domain.ids import ConversationId, MessageId, TaskId, UserId
from shared.engine.agent import Agent, O
from shared.engine.flow import Turn
from shared.engine.runner import AgentRunner
from shared.engine.scope import Scope
from shared.locale import Register
from shared.ports.language_model import ModelRequest
from shared.ports.model_answers import ModelChunk, ModelReply
from shared.prompts.catalogue import I
from shared.services.counseling.job_context import users_words
from tests.fakes.settable_clock import SettableClock
from tests.support.chat_client import CONSENTS

WINDOW = 20
TALK = (
    *("안녕하세요", "지훈이요", "요즘 회사 일이 너무 힘들어서요. 팀장님이 매일 야근을 시켜요."),
    *("주말에도 일 생각이 나서 쉬어도 쉬는 것 같지 않아요", "아니요 처음이에요"),
    *("친구 한 명 있는데 바빠서 자주는 못 만나요", "그냥 집에서 누워서 영상 봐요", "네 맞아요"),
    "지난주 회의 시간에 팀장님이 사람들 앞에서 제 보고서를 지적했어요. 너무 창피했어요.",
    *("그날 밤에 잠을 한숨도 못 잤어요", "화가 나기도 하고 제가 한심하게 느껴졌어요", "잘 모르겠어요"),
    *("사실은 수고했다는 말 한마디 듣고 싶었던 것 같아요", "이야기하니까 조금 후련해졌어요"),
)
CASUAL = (
    *("안녕 나는 민지야", "남자친구랑 헤어졌어. 아직도 매일 눈물이 나", "밥도 잘 못 먹고 있어"),
    *("응 예전에 한 번 받아봤어", "엄마한테 가끔 얘기해", "혼자 걷거나 음악 들어", "응 맞아"),
    *("3년 만났는데 갑자기 연락을 끊더라", "나만 힘든 것 같아서 억울해", "왜 그랬는지 물어보고 싶어"),
)
ENGLISH = (
    *("Hi, I'm Sam", "I can't sleep because of work. My boss yells at me every day.", "I feel so tired all the time."),
    *("No, never", "My sister, sometimes", "I go running", "Yes", "I felt so ashamed in front of everyone"),
    *("I don't know", "I want to feel calm again"),
)


class BrainModel:
    """`LanguageModel` over the brain, as the simulator's server would answer."""

    def __init__(self, seed: int = 0) -> None:
        self.brain = CounsellorBrain(seed)
        self.requests: list[ModelRequest] = []

    async def generate(self, request: ModelRequest) -> ModelReply:
        return ModelReply(text=self.answer(request))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        yield ModelChunk(text=self.answer(request))

    async def check(self, model: str) -> bool:
        """Every model is served."""
        return True

    async def warm(self) -> None:
        """Nothing to load."""

    async def aclose(self) -> None:
        """Nothing is open."""

    def answer(self, request: ModelRequest) -> str:
        self.requests.append(request)
        contents = [Content(role=message.role, text=message.text) for message in request.messages]
        if request.response_schema is None:
            return self.brain.answer_text(request.system, contents)
        schema = request.response_schema.model_json_schema()
        answer = self.brain.answer_json(schema, request.system, contents)
        assert answer is not None, f"no answer for {schema['title']}"
        request.response_schema.model_validate(answer)
        return json.dumps(answer, ensure_ascii=False)


class Conversation:
    """A session that is talked to; background work is done at once."""

    def __init__(self, seed: int = 0, **opening: str) -> None:
        self.model = BrainModel(seed)
        self.clock = SettableClock()
        self.runner = AgentRunner(self.model, agent_settings(), self.clock)
        self.flow = CounselingFlow(content())
        request = CreateConversation.model_validate({"age_band": "adult", "consents": CONSENTS, **opening})
        self.state, greeting = open_session(content(), ConversationId("c1"), UserId("u1"), request, self.clock.now())
        self.messages: list[Message] = [greeting]
        self.replies: list[str] = []
        self.plan: Plan | None = None

    @classmethod
    def of(cls, *texts: str, seed: int = 0, **opening: str) -> "Conversation":
        """Return a conversation in which these were said."""
        conversation = cls(seed, **opening)
        for text in texts:
            conversation.say(text)
        return conversation

    def say(self, text: str) -> str:
        """Say something and return the reply."""
        return asyncio.run(self._say(text))

    async def _say(self, text: str) -> str:
        state = self.state
        turn = Turn(
            state=state,
            seq=state.seq + 1,
            message_id=MessageId(f"m{state.seq + 1}"),
            text=text,
            now=self.clock.now(),
            runner=self.runner,
            scope=self._scope(),
        )
        outcome = await self.flow.run(turn)
        for event in outcome.events:
            state = event.apply(state, turn.now)
        for role, words in ((Role.USER, text), (Role.COUNSELOR, outcome.reply)):
            self.messages.append(Message(seq=turn.seq, role=role, text=words, created_at=turn.now))
        self.state = state.model_copy(
            update={
                "seq": turn.seq,
                "message_count": state.message_count + 1,
                "recent": tuple(self.messages[-WINDOW:]),
            }
        )
        self.replies.append(outcome.reply)
        for record in outcome.records:
            if isinstance(record, PartTransition):
                await self._move(record)
        return outcome.reply

    async def _move(self, transition: PartTransition) -> None:
        if transition.from_part == 1 and transition.to_part == 2:
            self._apply(await self._planned())
        elif transition.to_part == 3:
            state = self.state
            templates = content().templates(state.session_type.value, state.locale, state.register_)
            self._apply(ClosingStarted(tasks=closing_tasks(templates)))

    def _apply(self, event: PlanMade | ClosingStarted) -> None:
        self.state = event.apply(self.state, self.clock.now())

    async def _planned(self) -> PlanMade:
        state: Session = self.state
        modules, persona = content().modules(state.locale), persona_of(content().personas, None)
        given = PlanInput(
            level=1,
            depth=content().part2_templates.depth(1, state.locale),
            casual=state.register_ is Register.CASUAL,
            persona="",
            keywords=shown(content(), persona.keywords, state.locale),
            techniques=tuple(TechniqueShown(id=m.id, name=m.name, description=m.description) for m in modules),
            known={name: str(value) for name, value in state.user_info.items()},
            carried=None,
            summary="",
            lines=Material(self.messages).lines(8000),
        )
        reader = Reader(
            content=content(),
            session=state,
            persona=persona,
            words=users_words(self.messages),
            bounds=(FEWEST_TASKS, MOST_TASKS),
            make_id=lambda number: TaskId(f"task_part2_{number}"),
            origin=TaskOrigin.PLANNER,
        )
        proposal = await self.ask(PLANNER, given)
        assert reader.wrong(proposal) is None
        self.plan = reader.read(proposal)
        return PlanMade(goal=self.plan.goal, keywords=self.plan.chosen, tasks=self.plan.tasks)

    async def ask(self, agent: Agent[I, O], given: I) -> O:
        """Ask a background agent."""
        scope = self._scope()
        answer = await self.runner.ask(agent, given, scope)
        assert not scope.ledger.failed(agent.name)
        return answer

    def _scope(self) -> Scope:
        return Scope(locale=self.state.locale, deadline=self.clock.monotonic() + 60)
