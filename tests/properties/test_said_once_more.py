"""Whatever fails in whatever order: who was not understood is asked to say it again once, and nothing beside it."""

from dataclasses import dataclass

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shared.domain.errors import ModelBlocked, ModelEmpty, ModelTimeout, ModelUnavailable
from tests.fakes.answers import task_completion, user_state_reading
from tests.fakes.counselling import task
from tests.fakes.talk import REPLY, Said, Talk

SAID = (
    *(
        "그게 좀 그런 식이었어요",
        "팀장님이 다들 보는 데서 혼냈어요",
        "네",
        "제 이름은 지훈이에요",
        "모르겠어요",
        "없어요",
    ),
    *("말하기 싫어요", "이제 그만할래요", "네, 그만할게요", "아니요, 더 얘기할래요", "어릴 때 많이 맞았어요"),
    *("사는 게 의미가 없는 것 같아요", "죽고 싶어요", "지금은 안전해요. 죽을 생각은 없어요", "친구가 죽고 싶대요"),
)
BROKEN = ("{}", "네, 알겠습니다.", ModelTimeout("late"), ModelUnavailable("503"), ModelBlocked("x"), ModelEmpty("x"))


@dataclass(frozen=True)
class Step:
    """One message, and what its models answer."""

    text: str
    checker: object
    detector: object
    counselor: object


STEPS = st.builds(
    Step,
    text=st.sampled_from(SAID),
    checker=st.sampled_from((task_completion(), *BROKEN)),
    detector=st.sampled_from((user_state_reading(), user_state_reading(emotion="sadness", intensity=9), *BROKEN)),
    counselor=st.sampled_from((REPLY, REPLY, REPLY, "그러셨군요.", ModelUnavailable("503"))),
)


@settings(max_examples=60, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(part=st.sampled_from([1, 2]), steps=st.lists(STEPS, min_size=2, max_size=10))
async def test_nobody_is_asked_twice_running_nor_beside_another_question(part: int, steps: list[Step]) -> None:
    talk = Talk()
    if part == 2:
        talk.plan(*(task(name, 2, completion_rule="judged") for name in "abc"))
    asked = False
    for step in steps:
        scripts = {"task_completion_checker": step.checker, "user_state_detector": step.detector}
        talk.model.scripts |= scripts | {"counselor": step.counselor}
        said = await talk.say(step.text)
        now = asked_to_say_it_again(said)
        assert not (now and asked), step
        asked = now or apologised(said)
        if talk.state.ended:
            break


def asked_to_say_it_again(said: Said) -> bool:
    """Tell whether the reply was to ask for it, and look at what else it was to do."""
    one = said.outcome.directive
    if one is None or not one["parse_error"]:
        return False
    assert one["stance"] in ("work", "accompany")
    assert (one["concern"], one["heed"], one["proposes"], one["part_changed"]) == (False, None, None, False)
    assert {run.agent for run in said.runs if run.decided_by == "safe_default"} & {
        "task_completion_checker",
        "user_state_detector",
    }
    return True


def apologised(said: Said) -> bool:
    """Whether no model spoke, and the apology asked for the message once more."""
    return "RepeatAsked" in said.events
