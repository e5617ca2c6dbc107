from datetime import timedelta
from itertools import pairwise

from local.demo.client import Visit
from local.demo.facts import facts, missing
from local.demo.session import Played, Step
from local.demo.stored import Evidence
from shared.domain.counseling.plans import PlanRecord
from shared.domain.counseling.session import SessionStatus
from shared.domain.counseling.user_state import Resistance, UserState
from shared.domain.turn import TurnRecord, TurnResult
from tests.fakes.counselling import NOW, session

LEFT = {"created_at": NOW, "expire_at": NOW + timedelta(days=1)}
NOTHING = Evidence(
    turns=(), transitions=(), feedback=(), plans=(), completions=(), supervisions=(), reviews=(), closing=None
)
SAYS = {"rules": [{"say": ["네"]}]}


def turn(seq, text, *events, **directive):
    told = {
        "stance": "work",
        "part": 1,
        "module_id": "rapport_building",
        "module_name": "라포",
        "module_summary": [],
        **directive,
    }
    return TurnRecord(
        conversation_id="c1",
        message_id=f"m{seq}",
        text=text,
        text_digest="",
        received_at=NOW,
        committed_at=NOW,
        seq=seq,
        flow="counseling",
        snapshot_version=1,
        directive=told if directive else None,
        events=events,
        result=TurnResult(message_id=f"m{seq}", seq=seq, reply="네", state_snapshot={}),
        **{key: value for key, value in LEFT.items() if key == "expire_at"},
    )


def played(*turns, states=(), problem=None, expects=(), **evidence):
    opened = session()
    states = [opened, *(states or [opened] * len(turns))]
    steps = tuple(
        Step(one.seq, one.text, "네", before, after)
        for one, (before, after) in zip(turns, pairwise(states), strict=True)
    )
    found = {**vars(NOTHING), "turns": turns, **evidence}
    visit = Visit.model_validate({**SAYS, "expects": expects})
    return Played(visit, "안녕하세요. 지난번에 걷기로 했어요.", opened, steps, states[-1], Evidence(**found), problem)


def plan(*kinds):
    answered = [
        {"id": f"f{at}", "source": "user_state", "kind": kind, "reason": "까닭"} for at, kind in enumerate(kinds)
    ]
    return PlanRecord.model_validate(
        {
            **LEFT,
            "record_id": "1",
            "number": 1,
            "seq": 1,
            "origin": "model",
            "level": 1,
            "goal": "목표",
            "keywords": (),
            "tasks": (),
            "feedback": answered,
        }
    )


def lacks(expectation, *given, **more):
    one = played(*given, expects=[expectation], **more)
    return missing(one.visit, facts(one))


def test_what_was_seen_is_not_missed():
    resisting = session(user_state=UserState(resistance=Resistance.STRONG), current_module="resistance_handling")
    one = {"states": [resisting], "plans": (plan("resistance", "circular"),)}
    for expectation in ({"reading": "resistance"}, {"module": "resistance_handling"}, {"replan": "circular"}):
        assert lacks(expectation, turn(1, "싫어요"), **one) == ()


def test_what_was_not_seen_is_named_with_what_was():
    assert lacks({"replan": "circular"}, turn(1, "네"), plans=(plan("resistance"),)) == (
        "did not show replan: circular; it showed resistance",
    )
    assert lacks({"part": "1-2"}, turn(1, "네")) == ("did not show part: 1-2; it showed none",)


def test_an_end_is_the_clients_own_when_they_asked_for_it(subtests):
    for asked_after, ended_by in (("오늘은 여기까지 할게요.", "asked"), ("아니요, 다 말했어요.", "agreed")):
        with subtests.test(ended_by=ended_by):
            turns = (turn(1, asked_after, proposes="end", stance="confirm_end"), turn(2, "네", "SessionClosed"))
            states = [session(), session(status=SessionStatus.COMPLETED)]
            one = played(*turns, states=states)
            assert facts(one)["ended_by"] == (ended_by,)
            assert facts(one)["answered"] == ("agreed",)
