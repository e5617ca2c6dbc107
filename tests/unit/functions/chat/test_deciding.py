"""What a turn makes of a reading: `apply` and `decide`, over whole values and over random sessions."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from functions.chat.applying import Moment, Plain, apply
from functions.chat.deciding import decide
from functions.chat.findings import Findings, after
from functions.chat.reading import NOTHING_HEARD, Felt, Told, asked_last, reader_input, states_of
from functions.chat.speaking import asked_for
from shared.content.catalogue import content
from shared.content.conditions import Effect, load_conditions
from shared.domain.conversation import Message, Role
from shared.domain.counseling.background_events import WrapUpSuggested
from shared.domain.counseling.directive import Stance
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.domain.counseling.session import PlanStatus, WrapUp, WrapUpAim, WrapUpStage
from shared.domain.counseling.session_events import ReplanAsked, WentBack, WrapUpUnclear
from shared.domain.counseling.task import CompletionRule, Part, TaskStatus
from shared.domain.counseling.task_events import TaskCovered
from shared.domain.counseling.user_state import EmotionLabel
from shared.domain.ids import ModuleId, TaskId
from shared.domain.slots import SlotKind
from shared.locale import Locale, Register
from tests.builders.sessions import session, slot, task

NOW = datetime(2026, 11, 2, 9, tzinfo=UTC)
CONTENT = content()
TEMPLATES = CONTENT.templates("first_session", Locale.KO, Register.FORMAL)
JUDGED = {"completion_rule": CompletionRule.JUDGED, "min_turns": 2, "status": TaskStatus.IN_PROGRESS}


def exploring(*tasks, **more):
    """Return a session in a planned Part 2."""
    own = tasks or (task("task_a", Part.EXPLORATION, **JUDGED),)
    given = {"current_part": Part.EXPLORATION, "announced_part": Part.EXPLORATION, "current_task": own[0].id}
    return session(*own, **given | {"plan_status": PlanStatus.READY, "seq": 8, "part2_started_seq": 4} | more)


def asked(aim=WrapUpAim.END, *, choice=False, seq=8):
    return WrapUp(stage=WrapUpStage.PROPOSED, aim=aim, seq=seq, choice=choice)


def heard(*signs, **more):
    return replace(NOTHING_HEARD, signs=dict.fromkeys(signs, "words"), **more)


def turn(before, found=NOTHING_HEARD, **more):
    """Return the session after a turn's decisions, what led to it, and the directive."""
    moment = Moment(before=before, seq=before.seq + 1, now=NOW, **more)
    applied = apply(moment, found, before, Findings(), CONTENT)
    now = after(before, applied.events, NOW)
    if now.ended:
        return now, applied, None
    decision = decide(moment, found, now, applied, CONTENT)
    return decision.session, applied + decision.found, decision.directive


class TestAnAnswerToAProposal:
    @pytest.mark.parametrize("plain", [Plain.YES, Plain.STOP])
    def test_a_plain_yes_or_stop_ends_the_session(self, plain):
        ended, found, _ = turn(exploring(wrap_up=asked()), plain=plain)
        assert ended.ended
        assert [hook.type for hook in found.hooks] == ["session_completed"]

    @pytest.mark.parametrize(
        ("proposal", "found", "how"),
        [
            (asked(choice=True), NOTHING_HEARD, {"plain": Plain.YES}),  # to stay or to end
            (asked(), heard("agrees"), {"answers": False}),  # sent before the question was seen
            (asked(), heard("agrees", "asks_counsellor"), {}),  # beside a question of theirs
        ],
    )
    def test_a_yes_that_may_mean_something_else_ends_nothing(self, proposal, found, how):
        assert not turn(exploring(wrap_up=proposal), found, **how)[0].ended

    def test_a_yes_beside_a_question_of_theirs_is_unclear_and_is_asked_again_later(self):
        _, found, directive = turn(exploring(wrap_up=asked()), heard("agrees", "asks_counsellor"))
        assert found.of(WrapUpUnclear)
        assert directive.follows == ""

    def test_a_no_to_the_end_in_the_closing_goes_back_to_where_the_talk_was(self):
        closing = task("task_z", Part.CLOSING, status=TaskStatus.SUFFICIENT)
        explored = task("task_a", Part.EXPLORATION, status=TaskStatus.COMPLETED)
        now, found, _ = turn(exploring(closing, explored, wrap_up=asked(), current_part=Part.CLOSING), plain=Plain.NO)
        assert found.of(WentBack)
        assert now.current_part is Part.EXPLORATION

    def test_in_a_follow_through_only_a_plain_yes_ends(self):
        risk = exploring().risk.model_copy(update={"level": 2})
        before = exploring(wrap_up=asked(), risk=risk)
        assert before.risk.follow_through
        assert not turn(before, heard("agrees"))[0].ended
        assert turn(before, plain=Plain.YES)[0].ended


class TestTasks:
    def test_a_judged_task_of_part_2_needs_signs_of_two_turns(self):
        once, found, _ = turn(exploring(), heard("complete"))
        assert not found.of(TaskCovered)
        _, again, _ = turn(once.model_copy(update={"seq": 9}), heard("complete"))
        assert [event.task_id for event in again.of(TaskCovered)] == ["task_a"]

    def test_words_that_go_round_in_circles_are_no_sign(self):
        said = Message(seq=8, role=Role.USER, text="그 얘기요", created_at=NOW)
        now, _, _ = turn(exploring(recent=(said,)), heard("complete", "circular"))
        assert now.task("task_a").signs == ()

    def test_the_planner_is_asked_where_nothing_fits_in_part_2_alone(self):
        nothing = heard(fits_none=True)
        assert turn(exploring(), nothing)[1].of(ReplanAsked)
        opening = session(task("task_a", **JUDGED), current_task="task_a", seq=3)
        assert not turn(opening, nothing)[1].of(ReplanAsked)

    def test_the_reading_takes_up_another_task_that_waits(self):
        two = (task("task_a", Part.EXPLORATION, **JUDGED), task("task_b", Part.EXPLORATION))
        now, _, _ = turn(exploring(*two), heard(next_task=TaskId("task_b"), guide="천천히"))
        assert (now.current_task, now.execution_guide) == ("task_b", "천천히")


class TestTheOneThingToAsk:
    WANTS = task("task_a", required_slots=(slot("reason"),), status=TaskStatus.IN_PROGRESS)

    def opening(self, **more):
        return session(self.WANTS, current_task="task_a", seq=3, **more)

    def test_a_missing_value_is_asked_for(self):
        assert turn(self.opening())[2].ask.slot == "reason"

    @pytest.mark.parametrize(
        "sign", ["asks_counsellor", "dont_know", "loss", "misread", "declines", "strong_resistance"]
    )
    def test_what_the_client_asks_or_tells_goes_first(self, sign):
        assert turn(self.opening(), heard(sign))[2].ask is None

    def test_a_new_strong_feeling_is_received_first(self):
        grief = Felt(name=EmotionLabel.SADNESS, intensity=8, quote="words")
        assert turn(self.opening(), heard(feeling=grief))[2].ask is None

    def test_what_was_told_or_declined_is_not_asked(self):
        told = heard(values={"reason": Told(value="잠", quote="words")})
        assert turn(self.opening(), told)[2].ask is None
        assert turn(self.opening(last_asked="reason"), heard("declines"))[0].declined_slots == ("reason",)

    def test_enough_of_questions_rests_for_three_turns(self):
        now, _, directive = turn(self.opening(), heard("too_many_questions"))
        quiet = [directive.quiet]
        for _ in range(3):
            now, _, directive = turn(now.model_copy(update={"seq": now.seq + 1}))
            quiet.append(directive.quiet)
        assert quiet == [True, True, True, False]


def test_resistance_that_refuses_is_met_by_its_module_whatever_the_reading_picks():
    now, _, directive = turn(exploring(), heard("strong_resistance", module=ModuleId("reframing")))
    assert now.current_module == directive.module_id == RESISTANCE_MODULE


def test_a_wish_to_stop_is_met_with_the_fixed_question_whether_to_end_behind_the_reply():
    _, _, directive = turn(exploring(), heard("wants_to_stop"))
    assert directive.stance is Stance.CONFIRM_END
    assert directive.follows in CONTENT.messages(Locale.KO, Register.FORMAL).variants("confirm_end")


def drawn(dice, state):
    """Return some reading of a message in a state, as the prompt's offers allow it."""
    given = reader_input(state, "…", CONTENT.modules(state.locale), booking_offered=True)
    shown = [name for name, one in load_conditions().shown(states_of(state)).items() if one.each is None]
    values = {
        one.name: Told(value=True if one.kind is SlotKind.BOOLEAN else "말", quote="말")
        for one in given.slots
        if dice.random() < 0.3
    }
    feeling = Felt(name=dice.choice(list(EmotionLabel)[1:]), intensity=dice.randint(1, 10), quote="말")
    return heard(
        *dice.sample(shown, dice.randint(0, 3)),
        values=values,
        feeling=feeling if dice.random() < 0.5 else None,
        next_task=dice.choice([*(one.id for one in given.tasks), None]),
        fits_none=dice.random() < 0.15,
        module=dice.choice([one.id for one in given.modules]),
    )


def after_the_turn(state, directive, seq):
    """Return the session as the next message meets it: what was asked is noted, planner and reviewer did their work."""
    state = after(state, asked_for(seq, directive, asks=True, whole=True), NOW)
    state = state.model_copy(update={"seq": seq, "message_count": seq})
    if state.plan_status is PlanStatus.PLANNING:
        planned = (task("task_p", Part.EXPLORATION, completion_rule=CompletionRule.JUDGED),)
        moved = {"current_part": Part.EXPLORATION, "plan_status": PlanStatus.READY, "part2_started_seq": seq}
        state = state.model_copy(update={"tasks": (*state.tasks, *planned), **moved})
    if state.leaving_seq is not None and state.current_part is not Part.CLOSING:
        known = {one.id for one in state.tasks}
        closing = (one for one in TEMPLATES if one.part is Part.CLOSING and one.id not in known)
        moved = {"current_part": Part.CLOSING, "leaving_seq": None, "tasks": (*state.tasks, *closing)}
        state = state.model_copy(update=moved)
    return after(state, (WrapUpSuggested(reason="all_said"),), NOW) if seq % 9 == 0 and not state.wrap_up else state


@pytest.mark.parametrize("seed", range(40))
def test_no_random_session_ends_unasked_or_asks_what_it_knows_and_each_can_end(seed):
    dice = random.Random(seed)
    state = session(*(one for one in TEMPLATES if one.part is not Part.CLOSING), current_task="task_welcome_1")
    for seq in range(1, 40):
        found = drawn(dice, state)
        proposed = {"wrap_up", "end", "stay_or_end"} & set(asked_last(state))
        plain = dice.choice([None, *Plain]) if proposed else None
        found = NOTHING_HEARD if plain else found
        moment = {"plain": plain, "short": dice.random() < 0.3}
        now, _, directive = turn(state, found, **moment)
        if now.ended:
            assert proposed & {"end", "stay_or_end"}
            assert plain in (Plain.YES, Plain.STOP) or {Effect.TAKE_AS_YES, Effect.ASK_END} & found.effects
            return
        assert turn(state, found, **moment)[2] == directive
        if directive.ask:
            assert directive.ask.slot not in (*now.user_info, *now.declined_slots)
        state = after_the_turn(now, directive, seq)
        state = state.model_copy(update={"created_at": state.created_at + timedelta(minutes=seq)})
    asks, _, directive = turn(state, heard("wants_to_stop"))
    assert asks.ended or directive.stance is Stance.CONFIRM_END
    assert asks.ended or turn(after_the_turn(asks, directive, state.seq + 1), plain=Plain.YES)[0].ended
