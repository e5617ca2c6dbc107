"""The level is counted from signs; it goes one step at most to the next session."""

import pytest

from shared.domain.counseling.level import LevelGround, LevelSign, grounds_of_state, level_of, next_level
from shared.domain.counseling.readings import StateReading
from shared.domain.counseling.user_state import EmotionLabel, Resistance

EXPERIENCE, DEPTH, CHANGE, BEGUN = LevelSign.EXPERIENCE, LevelSign.DEPTH, LevelSign.CHANGE, LevelSign.BEGUN


def level(*signs):
    return level_of([LevelGround(sign=sign) for sign in signs])


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        ((), 1),
        ((EXPERIENCE,), 2),
        ((CHANGE,), 2),
        ((EXPERIENCE, DEPTH), 3),
        ((EXPERIENCE, DEPTH, CHANGE), 4),
        ((EXPERIENCE, DEPTH, CHANGE, BEGUN), 5),
        ((DEPTH, DEPTH, DEPTH), 2),
        ((EXPERIENCE, DEPTH, CHANGE, BEGUN, LevelSign.SEVERE), 2),
        ((LevelSign.SEVERE,), 1),
        ((EXPERIENCE, DEPTH, CHANGE, LevelSign.RELUCTANT), 1),
    ],
)
def test_each_kind_of_evidence_raises_the_level_by_one_and_distress_holds_it(signs, expected):
    assert level(*signs) == expected


def reading(seq, **state):
    return StateReading(seq=seq, **state)


STRONG = {"emotion": EmotionLabel.SADNESS, "intensity": 8}


@pytest.mark.parametrize(
    ("readings", "endangered", "expected"),
    [
        ((reading(1, **STRONG),), False, []),
        ((reading(1, **STRONG), reading(3, **STRONG)), False, [LevelSign.SEVERE]),
        ((), True, [LevelSign.SEVERE]),
        ((reading(1, resistance=Resistance.MILD),), False, []),
        ((reading(1, resistance=Resistance.STRONG),), False, [LevelSign.RELUCTANT]),
    ],
)
def test_lasting_distress_danger_and_strong_resistance_are_signs(readings, endangered, expected):
    assert [ground.sign for ground in grounds_of_state(readings, endangered=endangered)] == expected


@pytest.mark.parametrize(
    ("present", "suggested", "worked", "expected"),
    [(1, 5, True, 2), (3, 1, True, 2), (5, 5, True, 5), (2, 2, True, 2), (1, 5, False, 1), (3, 1, False, 2)],
)
def test_the_next_level_is_one_step_away_at_most_and_higher_only_after_work_in_part_2(
    present, suggested, worked, expected
):
    assert next_level(present, suggested, worked=worked) == expected
