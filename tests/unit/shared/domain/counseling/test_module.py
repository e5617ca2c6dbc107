"""The table of modules: state × task × persona × supervision, within what a module may be used for."""

import pytest

from shared.domain.counseling.module import (
    CRISIS_MODULE,
    LISTENING,
    MOST_CANDIDATES,
    ChoiceCause,
    Situation,
    choose,
    plannable,
)
from shared.domain.counseling.session import SessionType
from shared.domain.counseling.task import Part, TaskKind, TaskOrigin
from shared.domain.counseling.user_state import EmotionLabel, StateSignal, UserState
from tests.builders.sessions import module, task

CIRCULAR, CLEAR, STRONG = StateSignal.CIRCULAR, StateSignal.CLEAR_EMOTION, StateSignal.STRONG_EMOTION
LATER = dict.fromkeys(SessionType, (Part.EXPLORATION,))
LOSS = ("돌아가셨", "passed away")
MODULES = [
    module("calm", suits=(TaskKind.EXPLORATION,)),
    module("ask", suits=(TaskKind.EXPLORATION, TaskKind.PERSONA)),
    module("soothe", answers=(STRONG,)),
    module("circle_1", answers=(CIRCULAR,)),
    module("circle_2", answers=(CIRCULAR,)),
    module("two_minds", answers=(CIRCULAR,), suits=(TaskKind.EXPLORATION,), cues=("하고는 싶", "torn")),
    module("late", answers=(CIRCULAR,), suits=(TaskKind.PERSONA,), applicable_to=LATER),
    module("grief", answers=(CLEAR,), suits=(TaskKind.EMOTION,), cues=LOSS, only_when_cued=True),
    module("ashamed", answers=(CLEAR,), emotions=(EmotionLabel.SHAME,)),
    module(LISTENING, answers=(CLEAR,)),
    module("hinted"),
    module(CRISIS_MODULE, answers=(StateSignal.RISK,)),
]
PLANNED, TEMPLATE = TaskOrigin.PLANNER, TaskOrigin.TEMPLATE
SHAME = UserState(emotion=EmotionLabel.SHAME, intensity=5)


def chosen(*signals, one=None, part=Part.EXPLORATION, **more):
    told = {"session_type": SessionType.FIRST_SESSION, "part": part, "current": "calm"}
    choice = choose(MODULES, Situation(signals=signals, task=one, **told | more))
    return choice.candidates, choice.cause


class TestTheRows:
    def test_risk_goes_before_everything_and_then_the_most_pressing_state_that_a_module_answers(self):
        found = chosen(CIRCULAR, StateSignal.RISK, one=task(module_id="hinted"), suggested="hinted")
        assert found == ((CRISIS_MODULE,), ChoiceCause.RISK)
        assert chosen(StateSignal.RESISTANCE, STRONG, CIRCULAR, suggested="hinted")[0] == ("soothe",)

    def test_a_clear_emotion_is_answered_once_and_then_the_task_goes_on(self):
        planned = task(module_id="ask", origin=PLANNED)
        assert chosen(CLEAR, one=planned) == ((LISTENING,), ChoiceCause.STATE)
        assert chosen(CLEAR, one=planned, new_feeling=False) == (("ask",), ChoiceCause.TASK)

    def test_then_a_usable_suggestion_of_the_supervisor(self):
        planned = task(module_id="ask", origin=PLANNED)
        assert chosen(one=planned, suggested="hinted") == (("hinted",), ChoiceCause.SUPERVISION)
        for unusable in ("hypnosis", CRISIS_MODULE, "grief"):
            assert chosen(one=planned, suggested=unusable) == (("ask",), ChoiceCause.TASK)
        assert chosen(one=planned, suggested="late", part=Part.OPENING) == (("ask",), ChoiceCause.TASK)

    def test_the_planners_module_stands_alone_until_words_call_for_another_and_a_templates_is_one_of_its_kind_in_part_2(
        self,
    ):
        exploring = {"kind": TaskKind.EXPLORATION, "module_id": "ask"}
        assert chosen(one=task(origin=PLANNED, **exploring)) == (("ask",), ChoiceCause.TASK)
        called = chosen(one=task(origin=PLANNED, **exploring), heard_now="하고는 싶은데요")
        assert called == (("two_minds", "ask"), ChoiceCause.TASK)
        assert chosen(one=task(origin=TEMPLATE, **exploring)) == (("ask", "calm"), ChoiceCause.TASK)
        assert chosen(one=task(origin=TEMPLATE, **exploring), part=Part.OPENING) == (("ask",), ChoiceCause.TASK)
        heard = chosen(one=task(origin=TEMPLATE, **exploring), part=Part.OPENING, heard_now="하고는 싶은데요")
        assert heard == (("two_minds", "ask"), ChoiceCause.TASK)

    def test_a_tasks_module_that_may_not_be_used_here_gives_way_to_its_kind(self):
        one = task(kind=TaskKind.PERSONA, module_id="late", origin=PLANNED)
        assert chosen(one=one) == (("late",), ChoiceCause.TASK)
        assert chosen(one=one, part=Part.OPENING) == (("ask",), ChoiceCause.TASK)

    def test_without_a_task_the_subject_and_then_the_current_module(self):
        assert chosen(heard_now="하고는 싶어요") == (("two_minds", LISTENING), ChoiceCause.SUBJECT)
        assert chosen(current="hinted") == (("hinted",), ChoiceCause.CURRENT)
        assert chosen(current="hypnosis") == ((LISTENING,), ChoiceCause.CURRENT)

    def test_the_first_turn_after_a_crisis_receives_the_feeling(self):
        planned = task(module_id="ask", origin=PLANNED)
        assert chosen(one=planned, current=CRISIS_MODULE) == ((LISTENING,), ChoiceCause.CURRENT)


class TestWhatIsToldWithoutACue:
    def test_lets_the_model_choose_among_all_that_answer_the_state_or_serve_the_tasks_kind(self):
        assert chosen(CLEAR, tells=True)[0] == ("ashamed", LISTENING, "grief")
        exploring = task(kind=TaskKind.EXPLORATION, module_id="ask", origin=PLANNED)
        assert chosen(one=exploring, tells=True) == (("ask", "calm", "two_minds"), ChoiceCause.TASK)

    def test_counts_while_they_get_to_know_each_other_only_as_a_question(self):
        meeting = {"one": task(kind=TaskKind.PERSONA, module_id="ask", origin=PLANNED), "current": "ask"}
        assert chosen(**meeting, tells=True)[0] == ("ask",)
        assert chosen(**meeting, asks=True, unchanged=True)[0] == ("ask", "late")

    def test_leaves_a_strong_emotion_to_the_module_that_names_it_and_a_state_to_no_module_that_needs_a_cue(self):
        assert chosen(STRONG, tells=True)[0] == ("soothe",)
        mourning = task(kind=TaskKind.EMOTION, module_id="grief", origin=PLANNED)
        assert chosen(one=mourning, tells=True, suggested="grief") == (("calm",), ChoiceCause.CURRENT)

    def test_is_passed_over_by_no_preference(self):
        preferred = chosen(CLEAR, tells=True, preferred=("ashamed",))[0]
        assert set(preferred) == {"ashamed", LISTENING, "grief"}


class TestWhatAModuleMayBeUsedFor:
    def test_is_the_session_type_and_part_it_names(self):
        assert "late" in chosen(CIRCULAR)[0]
        assert "late" not in chosen(CIRCULAR, part=Part.OPENING)[0]

    @pytest.mark.parametrize("words", ["", "아버지는 건강하세요"])
    def test_is_nothing_before_a_cue_that_it_needs(self, words):
        mourning = task(kind=TaskKind.EMOTION, module_id="grief", origin=PLANNED)
        assert "grief" not in chosen(CLEAR, one=mourning, heard=words, heard_now=words, suggested="grief")[0]

    def test_begins_with_its_cue(self):
        mourning = task(kind=TaskKind.EMOTION, module_id="grief", origin=PLANNED)
        assert chosen(one=mourning, heard="작년에 아버지가 돌아가셨어요") == (("grief",), ChoiceCause.TASK)
        assert chosen(CLEAR, heard_now="My dad Passed Away in May")[0] == ("grief", LISTENING)

    def test_an_emotion_calls_for_the_module_that_names_it_while_it_is_clear(self):
        assert chosen(CLEAR, state=SHAME)[0] == ("ashamed", LISTENING)
        assert chosen(CLEAR, state=SHAME.model_copy(update={"intensity": 3}))[0] == (LISTENING,)

    def test_an_english_cue_is_a_whole_word(self):
        assert "two_minds" in chosen(CIRCULAR, heard_now="I am torn")[0]
        assert "two_minds" not in chosen(CIRCULAR, heard_now="a tornado")[0]


class TestCandidatesThatFitEqually:
    def test_are_a_question_for_the_model_those_called_for_first_and_no_more_than_it_can_weigh(self):
        found, _ = chosen(CIRCULAR, heard_now="하고는 싶은데")
        assert found == ("two_minds", "circle_1", "circle_2", "late")
        many = [module(f"circle_{number}", answers=(CIRCULAR,)) for number in range(MOST_CANDIDATES + 1)]
        told = {"session_type": SessionType.FIRST_SESSION, "part": Part.EXPLORATION, "current": "calm"}
        assert len(choose(many, Situation(signals=(CIRCULAR,), **told)).candidates) == MOST_CANDIDATES

    def test_the_current_one_stays_while_nothing_has_changed_and_words_call_for_no_other(self):
        assert chosen(CIRCULAR, current="circle_2", unchanged=True)[0] == ("circle_2",)
        assert len(chosen(CIRCULAR, current="circle_2", unchanged=False)[0]) > 1
        called = {"unchanged": True, "heard_now": "하고는 싶은데"}
        assert chosen(CIRCULAR, current="circle_2", **called)[0][0] == "two_minds"
        assert chosen(CIRCULAR, current="two_minds", **called)[0] == ("two_minds",)

    def test_the_personas_preference_decides_and_supervision_before_it(self):
        assert chosen(CIRCULAR, preferred=("circle_2", "hinted"))[0] == ("circle_2",)
        assert chosen(CIRCULAR, preferred=("circle_2",), suggested="circle_1")[0] == ("circle_1",)
        assert len(chosen(CIRCULAR, preferred=("hinted",))[0]) > 1, "a preference is no candidate of its own"

    def test_no_preference_passes_over_a_loss_or_over_listening(self):
        told = {"heard_now": "작년에 돌아가셨어요", "state": SHAME, "preferred": ("ashamed",)}
        assert set(chosen(CLEAR, **told)[0]) == {"grief", "ashamed", LISTENING}


def test_the_planner_may_name_what_part_2_may_use():
    assert {one.id for one in MODULES} - {one.id for one in plannable(MODULES, SessionType.CLOSING)} == {CRISIS_MODULE}
    first = module("first", applicable_to={SessionType.FIRST_SESSION: (Part.OPENING,)})
    assert plannable([first], SessionType.FIRST_SESSION) == ()
