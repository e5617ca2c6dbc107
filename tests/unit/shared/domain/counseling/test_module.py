from shared.domain.counseling.module import CRISIS_MODULE, plannable
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part
from tests.builders.sessions import module


def test_the_planner_may_name_what_part_2_may_use():
    modules = [module("calm"), module(CRISIS_MODULE)]
    assert [one.id for one in plannable(modules, SessionType.CLOSING)] == ["calm"]
    first = module("first", applicable_to={SessionType.FIRST_SESSION: (Part.OPENING,)})
    assert plannable([first], SessionType.FIRST_SESSION) == ()
