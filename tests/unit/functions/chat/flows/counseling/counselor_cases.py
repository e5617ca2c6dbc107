"""The situations whose Counselor prompt is tested as a whole, each reached by real turns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from shared.domain.counseling.background_events import ClosingStarted, Supervised, WrapUpSuggested
from shared.domain.counseling.carried import Carried
from shared.domain.counseling.lifecycle import BOUNDED
from shared.domain.counseling.session import PlanStatus, WrapUp, WrapUpStage
from shared.domain.counseling.task import Part, TaskStatus
from shared.domain.slots import Slot
from shared.locale import Locale
from tests.builders.answers import user_state_reading
from tests.builders.sessions import task
from tests.builders.talk import Talk

WORDS: Mapping[Locale, Mapping[str, str]] = {
    Locale.KO: {
        "hello": "안녕하세요, 이런 건 처음이라 조금 떨려요.",
        "plain": "발표가 다가오면 며칠 전부터 잠이 안 와요.",
        "calm": "매달 회사에서 발표를 해요.",
        "stop": "오늘은 여기까지 할게요.",
        "danger": "죽고 싶어요.",
        "hint": "사는 게 의미가 없는 것 같아요.",
        "after": "네, 지금은 집에 있어요.",
        "friend": "친구가 죽고 싶대요.",
        "threat": "그 사람을 죽여버리고 싶어요.",
        "beaten": "남편이 술만 마시면 때려요.",
        "childhood": "어릴 때 아빠한테 많이 맞았어요.",
        "name": "지우",
        "reason": "발표만 앞두면 잠을 못 자요",
        "goal": "발표를 앞둔 밤에 어떤 마음이 드는지 내 말로 말할 수 있다.",
        "title": "발표 앞의 밤 돌아보기",
        "target": "그날 밤에 든 마음을 하나 이상 말한다.",
        "restrictions": "잠을 잘 자는 방법을 먼저 알려 주지 않는다.",
        "last": "오늘 나눈 것 모으기",
        "keep": "오늘 알게 된 것을 한 가지 말한다.",
        "summary": "이름: 지우. 3월 2일 발표를 앞두고 “며칠 전부터 잠이 안 온다”고 함. 언니와 자주 통화함.",
        "improve": "‘떨린다’고 한 까닭을 내담자의 말로 되비춘 뒤에 물으세요.",
        "wish": "발표 전날에도 자고 싶다",
        "next": "발표 날의 마음부터 이어 가기",
    },
    Locale.EN: {
        "hello": "Hello, I have never done this before and I'm a little nervous.",
        "plain": "When a talk is coming up I lie awake for days.",
        "calm": "I have a talk at the company every month.",
        "stop": "Let's stop here for today.",
        "danger": "I want to die.",
        "hint": "Sometimes I feel like I'm dying.",
        "after": "Yes, I'm at home now.",
        "friend": "My friend says she wants to die.",
        "threat": "I want to kill him.",
        "beaten": "My husband hits me when he drinks.",
        "childhood": "My dad hit me when I was a kid.",
        "name": "Jiwoo",
        "reason": "I can't sleep before a talk",
        "goal": "To be able to say in their own words what they feel in the night before a talk.",
        "title": "The night before a talk",
        "target": "They name at least one feeling of that night.",
        "restrictions": "No tips for better sleep first.",
        "last": "Gathering today",
        "keep": "They name one thing that they found today.",
        "summary": "Name: Jiwoo. Before the talk on March 2 “I lie awake for days”. Often calls her sister.",
        "improve": "Reflect in their words why they are nervous before you ask.",
        "wish": "to sleep even the night before a talk",
        "next": "Begin with how the day of the talk went",
    },
}


@dataclass(frozen=True)
class Case:
    """One situation.

    Attributes:
        lead: Brings a new talk into the situation, with the words of its language.
        says: The key of the user's message in the tested turn.
        before: The keys of the messages in the turns before it.
        opened: The fields of the request that opens the conversation.
    """

    lead: Callable[[Talk, Mapping[str, str]], None] = lambda _talk, _words: None
    says: str = "plain"
    before: tuple[str, ...] = ()
    opened: Mapping[str, object] = field(default_factory=dict)
    only: tuple[Locale, ...] = tuple(Locale)

    async def prompt(self, locale: Locale) -> str:
        """Return the system prompt of the tested turn."""
        talk, words = Talk(locale=locale.value, **self.opened), WORDS[locale]
        self.lead(talk, words)
        for said in self.before:
            await talk.say(words[said])
        talk.model.requests.clear()
        await talk.say(words[self.says])
        (asked,) = talk.model.asked("counselor")
        return asked.system


def _known(talk: Talk, words: Mapping[str, str]) -> None:
    talk.set(user_info={"name": words["name"], "reason": words["reason"], "prior_counseling": False})


def _named(talk: Talk, words: Mapping[str, str]) -> None:
    talk.set(user_info={"name": words["name"]})
    talk.work_on("task_info_1", covered=["task_welcome_1"])


def _all(talk: Talk, status: TaskStatus, **more: object) -> None:
    """Give every task this status, and make none the current one."""
    tasks = (one.model_copy(update={"status": status}) for one in talk.state.tasks)
    talk.set(tasks=tuple(tasks), current_task=None, **more)


def _asked(talk: Talk, words: Mapping[str, str]) -> Slot:
    """Ask for the slot after the name, and return it."""
    _named(talk, words)
    (slot, *_) = (one for one in talk.state.task("task_info_1").required_slots if one.name != "name")
    talk.set(asked={slot.name: 1}, seq=3, message_count=3)
    return slot


def _rejected(talk: Talk, words: Mapping[str, str]) -> None:
    slot = _asked(talk, words)
    talk.set(slot_errors={slot.name: slot.error})


def _exploring(talk: Talk, words: Mapping[str, str], *, announced: bool = True) -> None:
    _known(talk, words)
    texts = {name: words[name] for name in ("title", "target", "restrictions")}
    talk.plan(task("task_part2_1", Part.EXPLORATION, **texts), goal=words["goal"])
    if announced:
        talk.set(announced_part=Part.EXPLORATION)


def _resisting(talk: Talk, words: Mapping[str, str]) -> None:
    _exploring(talk, words)
    talk.set(seq=2, message_count=2)
    talk.model.scripts["user_state_detector"] = user_state_reading(resistance="strong")


def _unread(talk: Talk, words: Mapping[str, str]) -> None:
    _exploring(talk, words)
    talk.work_on("task_part2_1")
    talk.model.scripts["task_completion_checker"] = "no JSON"


def _unread_answer(talk: Talk, words: Mapping[str, str]) -> None:
    talk.set(last_asked=_asked(talk, words).name)
    talk.model.scripts["task_completion_checker"] = "no JSON"


def _supervised(total: float) -> Callable[[Talk, Mapping[str, str]], None]:
    def lead(talk: Talk, words: Mapping[str, str]) -> None:
        _exploring(talk, words)
        gist = {"total": total, "improvements": [words["improve"]], "strengths": ["strength"]}
        talk.happen(Supervised(seq=1, upto=1, gist=gist))

    return lead


def _planning(talk: Talk, words: Mapping[str, str]) -> None:
    _known(talk, words)
    _all(talk, TaskStatus.SUFFICIENT, plan_status=PlanStatus.PLANNING, planning_seq=0)


def _suggested(talk: Talk, words: Mapping[str, str]) -> None:
    _exploring(talk, words)
    talk.set(seq=12, message_count=12)
    talk.happen(WrapUpSuggested(reason=BOUNDED))


def _nothing_open(talk: Talk, words: Mapping[str, str]) -> None:
    _exploring(talk, words)
    _all(talk, TaskStatus.COMPLETED)


def _closing(talk: Talk, words: Mapping[str, str]) -> None:
    _exploring(talk, words)
    last = task("task_closing_1", Part.CLOSING, title=words["last"], target=words["keep"])
    talk.happen(ClosingStarted(tasks=(last,)))
    talk.set(announced_part=Part.CLOSING, wrap_up=WrapUp(stage=WrapUpStage.AGREED))


def _all_covered(talk: Talk, words: Mapping[str, str]) -> None:
    _closing(talk, words)
    _all(talk, TaskStatus.COMPLETED)


def _carried(talk: Talk, words: Mapping[str, str]) -> None:
    said = {"summary": words["summary"], "goals": (words["wish"],), "next_plan": words["next"], "name": words["name"]}
    carried = Carried(conversation_id="c0", ended_at=datetime(2026, 10, 1, tzinfo=UTC), **said)
    talk.set(carried=carried, user_info={"name": words["name"]})


def _summed_up(talk: Talk, words: Mapping[str, str]) -> None:
    _exploring(talk, words)
    talk.set(summary_text=words["summary"])


def _all_at_once(talk: Talk, words: Mapping[str, str]) -> None:
    _resisting(talk, words)
    talk.set(announced_part=Part.OPENING, summary_text=words["summary"])
    talk.happen(Supervised(seq=1, upto=1, gist={"total": 3, "improvements": [words["improve"]]}))


CASES: Mapping[str, Case] = {
    "minimal": Case(lambda talk, _: talk.set(tasks=(), current_task=None), before=("plain",)),
    "part1_first_turn": Case(says="hello"),
    "part1_question": Case(_named, before=("hello",)),
    "part1_slot_error": Case(_rejected, says="calm"),
    "part1_answer_unread": Case(_unread_answer),
    "part1_follow_up": Case(_carried, says="hello", opened={"session_type": "follow_up"}),
    "part2_persona_goal": Case(_exploring, before=("plain",), opened={"persona": "Type_A"}),
    "part2_summary": Case(_summed_up, before=("plain",), opened={"persona": "Type_K"}),
    "part2_everything": Case(_all_at_once, says="calm", opened={"persona": "Type_A"}),
    "part_changed": Case(lambda talk, words: _exploring(talk, words, announced=False)),
    "module_changed": Case(_resisting),
    "supervision_low": Case(_supervised(6.5), before=("plain",)),
    "supervision_urgent": Case(_supervised(3), before=("plain",)),
    "supervision_good": Case(_supervised(9), before=("plain",)),
    "bridge": Case(_planning, before=("plain",)),
    "propose_wrap_up": Case(_suggested),
    "confirm_end": Case(_exploring, before=("plain",), says="stop"),
    "confirm_end_covered": Case(_all_covered),
    "care_after_crisis": Case(_exploring, before=("danger",), says="after"),
    "care_after_a_threat": Case(_exploring, before=("threat",), says="plain"),
    "helper": Case(_exploring, before=("friend",), says="plain"),
    "abuse": Case(_exploring, before=("beaten",), says="plain"),
    "abuse_told": Case(_exploring, before=("plain",), says="childhood"),
    "concern": Case(_named, before=("hello",), says="hint"),
    "concern_while_closing_is_due": Case(_suggested, says="hint"),
    "unread": Case(_unread),
    "part3": Case(_closing, before=("plain",)),
    "no_task": Case(_nothing_open, before=("plain",)),
    "casual_unread": Case(_unread, opened={"register": "반말"}, only=(Locale.KO,)),
    "casual": Case(_named, before=("hello",), opened={"register": "반말"}, only=(Locale.KO,)),
}
KEYS = [(name, locale) for name, case in CASES.items() for locale in case.only]
KEPT = (
    *("part1_first_turn", "part1_slot_error", "part1_follow_up", "part2_everything", "bridge", "unread"),
    *("concern", "care_after_crisis", "propose_wrap_up", "confirm_end"),
)
"""The cases whose whole prompt is compared with a file."""
