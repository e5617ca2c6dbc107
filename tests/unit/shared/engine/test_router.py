import pytest

from shared.engine.flow import Manifest, Turn
from shared.engine.router import FlowRouter
from tests.fakes.counselling import session
from tests.fakes.engine import scope_of
from tests.fakes.settable_clock import SettableClock


class Asked:
    """The intent agent: it answers what it was given and counts how often it was asked."""

    def __init__(self, answer):
        self.answer = answer
        self.names = []

    async def __call__(self, turn, names):
        self.names.append(names)
        return self.answer


def manifest(name, word=None):
    return Manifest(name=name, flow=object(), claims=(lambda text: word in text) if word else None)


def turn(text="hi", **more):
    clock = SettableClock()
    state = session(flow="counseling", **more)
    return Turn(state=state, seq=1, message_id="m1", text=text, now=clock.now(), runner=None, scope=scope_of(clock))


FLOWS = [manifest("counseling"), manifest("booking", word="예약"), manifest("agreement")]


async def test_in_mid_flow_nobody_is_asked():
    intent = Asked("agreement")
    one = turn("예약할래요", mid_flow=True)
    assert (await FlowRouter(FLOWS, intent).route(one)).name == "counseling"
    assert intent.names == []
    assert [(run.agent, run.output, run.reason) for run in one.scope.ledger.runs] == [
        ("intent", "counseling", "mid-flow")
    ]


async def test_with_one_flow_nobody_is_asked():
    intent = Asked("agreement")
    one = turn(mid_flow=False)
    assert (await FlowRouter(FLOWS[:1], intent).route(one)).name == "counseling"
    assert (intent.names, one.scope.ledger.runs[0].reason) == ([], "one flow")


async def test_words_that_a_flow_claims_go_to_it_without_the_model():
    intent = Asked("agreement")
    one = turn("다음 예약을 바꾸고 싶어요", mid_flow=False)
    assert (await FlowRouter(FLOWS, intent).route(one)).name == "booking"
    assert (intent.names, one.scope.ledger.runs[0].output) == ([], "booking")


async def test_otherwise_the_intent_agent_tells_among_the_registered_flows():
    intent = Asked("agreement")
    assert (await FlowRouter(FLOWS, intent).route(turn(mid_flow=False))).name == "agreement"
    assert intent.names == [("counseling", "booking", "agreement")]


@pytest.mark.parametrize("answer", [None, "", "nonsense"])
async def test_an_intent_that_fails_keeps_the_current_flow(answer):
    assert (await FlowRouter(FLOWS, Asked(answer)).route(turn(mid_flow=False))).name == "counseling"


async def test_without_an_intent_agent_the_flow_is_kept():
    assert (await FlowRouter(FLOWS).route(turn(mid_flow=False))).name == "counseling"


def test_two_flows_of_one_name_are_refused():
    with pytest.raises(ValueError, match="one name"):
        FlowRouter([manifest("a"), manifest("a")])
