"""What holds after every write of a session; each rule is a function that names itself."""

from collections.abc import Callable, Sequence

from shared.content.catalogue import content
from shared.domain.conversation import MOST_RECENT_MESSAGES, Role
from shared.domain.counseling.completions import MOST_UNWRITTEN
from shared.domain.counseling.lifecycle import (
    BOUNDED,
    LONGEST_UNEXPLAINED,
    PART2_MAX_REPLANS,
    may_become,
    may_turn,
    part_before_closing,
)
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.domain.counseling.review import required_task_waits
from shared.domain.counseling.safety_plan import PlanStage
from shared.domain.counseling.session import NEWEST_LOG_ENTRIES, PlanStatus, Session, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import CompletionRule, Part, Task, TaskStatus
from shared.lexicon.words import Answer
from shared.services.counseling.evidence import is_verbatim_quote
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.service_world import ServiceWorld

FEWEST_TASKS, MOST_TASKS = 3, 6
"""Tasks of a plan of Part 2, as they were specified; on purpose not the code's own figures."""
LONGEST_SUMMARY = 1200
TURNS_OF_REST = 3
LONGEST_HELD = 2
"""Turns after its bound for which new feelings keep a task open."""

Rule = Callable[[Session, Session], None]


def parts_go_only_forward_but_for_who_wants_to_go_on(before: Session, after: Session) -> None:
    if _went_back(before, after):
        assert after.current_part is part_before_closing(before)
        assert after.seq == before.seq + 1, "only the user's own word leads back"
        return
    assert after.current_part >= before.current_part


def part_two_is_left_only_by_the_users_yes_to_the_question_whether_to_close(before: Session, after: Session) -> None:
    """At the bounds, too: they are asked, and what they asked for is carried out later by the planner."""
    if before.current_part is not Part.CLOSING and after.current_part is Part.CLOSING:
        assert before.leaving_seq is not None, "nobody asked for it"
    if before.leaving_seq is None and after.leaving_seq is not None:
        asked = before.wrap_up
        assert (asked.stage, asked.aim, asked.seq) == (WrapUpStage.PROPOSED, WrapUpAim.WRAP_UP, before.seq), asked
        assert _asks(before, "propose_wrap_up"), _replied(before)


def a_safety_plan_is_kept_only_by_a_plain_yes_to_the_question_whether_to_keep_it(
    before: Session, after: Session
) -> None:
    if before.safety_plan.stage is not PlanStage.KEPT and after.safety_plan.stage is PlanStage.KEPT:
        asked = before.safety_plan
        assert asked.kept or (asked.stage is PlanStage.SHOWN and asked.seq == before.seq and _agrees(_said(after)))


def a_safety_plan_is_offered_to_nobody_in_danger_or_under_14(before: Session, after: Session) -> None:
    if before.safety_plan.stage is not PlanStage.OFFERED and after.safety_plan.stage is PlanStage.OFFERED:
        assert (after.risk.follow_through, after.under_14, after.risk.just_over(after.seq)) == (False,) * 3


def closing_is_proposed_in_part_two_only_when_nothing_required_waits_or_at_a_bound(
    before: Session, after: Session
) -> None:
    proposed = after.wrap_up is not None and after.wrap_up.stage is WrapUpStage.PROPOSED
    if proposed and after.wrap_up != before.wrap_up and after.wrap_up.aim is WrapUpAim.WRAP_UP:
        assert after.wrap_up.reason == BOUNDED or not required_task_waits(after), after.wrap_up


def what_is_declined_is_not_asked_for_again(before: Session, after: Session) -> None:
    for slot in before.declined_slots:
        assert slot in after.declined_slots or slot in after.user_info, slot
        if slot in after.declined_slots:
            assert after.asked.get(slot, 0) == before.asked.get(slot, 0), slot
            assert after.last_asked != slot or after.seq == before.seq, slot
    assert not set(after.declined_slots) & set(after.user_info)


def no_slot_is_asked_for_more_often_than_it_has_wordings(_before: Session, after: Session) -> None:
    wordings = {slot.name: len(slot.questions) for task in after.tasks for slot in task.slots}
    assert all(times <= wordings.get(slot, times) for slot, times in after.asked.items()), after.asked


def nothing_is_asked_for_while_resistance_is_met(before: Session, after: Session) -> None:
    if after.seq > before.seq and after.current_module == RESISTANCE_MODULE and not after.ended:
        assert after.asked == before.asked, "asked in resistance"


def feedback_rests_after_a_replan(before: Session, after: Session) -> None:
    if before.replanned_seq is None or after.current_part is not Part.EXPLORATION:
        return
    if after.part2_task_update_count > before.part2_task_update_count:
        assert before.seq - before.replanned_seq >= TURNS_OF_REST, (before.replanned_seq, before.seq)
    if after.replans > max(1, before.replans) and not before.ended:
        assert before.seq - before.replanned_seq >= TURNS_OF_REST, "more than one request in the rest after a re-plan"


def a_replan_drops_no_task(before: Session, after: Session) -> None:
    if after.part2_task_update_count > before.part2_task_update_count:
        assert {old.id: old.status for old, _ in _pairs(before, after)} == {
            new.id: new.status for _, new in _pairs(before, after)
        }


def one_task_at_most_is_in_progress_and_is_the_current_one_of_the_present_part(
    _before: Session, after: Session
) -> None:
    working = [(task.id, task.part) for task in after.tasks if task.status is TaskStatus.IN_PROGRESS]
    assert working in ([], [(after.current_task, after.current_part)]), (working, after.current_task)


def completed_is_for_ever_and_every_step_legal(before: Session, after: Session) -> None:
    for old, new in _pairs(before, after):
        if old.status is TaskStatus.COMPLETED and _went_back(before, after):
            assert new.status is TaskStatus.COMPLETED or old.part is after.current_part, old.id
            continue
        through_progress = may_become(old, TaskStatus.IN_PROGRESS)
        assert may_become(old, new.status) or through_progress, (old.id, old.status, new.status)
        assert old.status is not TaskStatus.COMPLETED or new.status is TaskStatus.COMPLETED, old.id
    assert may_turn(before, after.status), (before.status, after.status)


def no_task_is_ever_deleted_or_renamed_and_an_id_is_one_tasks(before: Session, after: Session) -> None:
    names = [task.id for task in after.tasks]
    assert names[: len(before.tasks)] == [task.id for task in before.tasks]
    assert len(set(names)) == len(names)


def times_and_turns_of_tasks_agree_with_their_status(_before: Session, after: Session) -> None:
    for task in after.tasks:
        assert (task.completed_at is not None) == (task.status is TaskStatus.COMPLETED), task.id
        assert task.status is not TaskStatus.IN_PROGRESS or task.started_at is not None, task.id
        explains = any(slot.agrees for slot in task.required_slots)
        assert task.turns_spent <= task.max_turns + (LONGEST_UNEXPLAINED if explains else LONGEST_HELD), task.id


def plans_are_bounded_and_a_first_one_has_three_to_six_tasks(before: Session, after: Session) -> None:
    own = (task for task in after.tasks if task.completion_rule is not CompletionRule.STEPS)
    planned = sum(task.part is Part.EXPLORATION for task in own)
    assert after.part2_task_update_count <= PART2_MAX_REPLANS
    assert planned <= MOST_TASKS * (1 + PART2_MAX_REPLANS)
    if before.current_part is Part.OPENING and after.current_part is Part.EXPLORATION:
        assert FEWEST_TASKS <= planned <= MOST_TASKS, planned


def the_plan_status_fits_the_part(_before: Session, after: Session) -> None:
    if after.plan_status is PlanStatus.PLANNING:
        assert after.current_part is Part.OPENING
        assert not after.ended
    if after.current_part is Part.EXPLORATION:
        assert after.plan_status is PlanStatus.READY


def turns_and_versions_are_counted_without_gaps_and_watermarks_only_rise(before: Session, after: Session) -> None:
    assert after.seq - before.seq in (0, 1)
    assert after.message_count == after.seq
    assert after.state_version == before.state_version + 1
    for mark in ("supervised", "reviewed", "summarized", "completions"):
        assert (getattr(after.watermarks, mark) or 0) >= (getattr(before.watermarks, mark) or 0), mark


def logs_are_bounded(_before: Session, after: Session) -> None:
    assert len(after.supervision_log) <= NEWEST_LOG_ENTRIES
    assert len(after.session_manager_log) <= NEWEST_LOG_ENTRIES
    assert len(after.completion_log) <= max(NEWEST_LOG_ENTRIES, MOST_UNWRITTEN)
    assert len(after.recent) <= MOST_RECENT_MESSAGES
    assert len(after.summary_text) <= LONGEST_SUMMARY


def a_persona_is_fixed_once_part_two_starts(before: Session, after: Session) -> None:
    assert before.current_part is Part.OPENING or before.user_persona == after.user_persona
    assert before.user_persona.type in (None, after.user_persona.type)


def risk_is_lowered_by_the_users_word_alone(before: Session, after: Session) -> None:
    if after.risk.level < before.risk.level:
        assert after.seq == before.seq + 1, "lowered outside a turn"
        assert content().crisis_answers.reassurances(content().screening.screen(_said(after))), _said(after)


def every_value_and_every_sentence_of_a_summary_has_its_source(before: Session, after: Session) -> None:
    """In the user's words of the turn that it names; a value changes only with the turn that gave the new one.

    A closing by rule begins with a sentence of its own.
    """
    assert set(after.info_sources) == set(after.user_info)
    for name, value in after.user_info.items():
        source = after.info_sources[name]
        assert value == before.user_info.get(name, value) or source != before.info_sources[name], name
        if source.seq == after.seq > before.seq:
            assert is_verbatim_quote(source.quote, _said(after)), (name, source)
    if not after.closing_made:
        assert " ".join(each.text for each in after.summary_sources) == after.summary_text


def no_part_and_no_proposal_changes_while_a_crisis_is_followed_through(before: Session, after: Session) -> None:
    """A transition or an agreement from before the crisis is carried out; in one, only the wish to end is taken up."""
    if before.risk.follow_through and after.risk.follow_through and after.wrap_up != before.wrap_up:
        asked = after.wrap_up is not None and after.wrap_up.stage is WrapUpStage.PROPOSED
        assert not asked or after.wrap_up.aim is WrapUpAim.END, after.wrap_up


def an_ended_session_stays_as_it_is_and_has_closed_its_tasks(before: Session, after: Session) -> None:
    if before.ended:
        for field in ("tasks", "current_task", "current_part", "status", "ended_at", "plan_status", "user_persona"):
            assert getattr(before, field) == getattr(after, field), field
        assert not before.closing_made or after.closing_made
    if after.ended:
        assert all(task.status is TaskStatus.COMPLETED for task in after.tasks)
        assert after.current_task is None
        assert after.plan_status is not PlanStatus.PLANNING
        assert after.ended_at is not None


def due_work_is_marked(_before: Session, after: Session) -> None:
    assert (after.due_since is not None) == bool(CounselingPolicy(content()).overdue(after))


RULES: Sequence[Rule] = (
    parts_go_only_forward_but_for_who_wants_to_go_on,
    part_two_is_left_only_by_the_users_yes_to_the_question_whether_to_close,
    closing_is_proposed_in_part_two_only_when_nothing_required_waits_or_at_a_bound,
    what_is_declined_is_not_asked_for_again, no_slot_is_asked_for_more_often_than_it_has_wordings,
    nothing_is_asked_for_while_resistance_is_met, feedback_rests_after_a_replan, a_replan_drops_no_task,
    one_task_at_most_is_in_progress_and_is_the_current_one_of_the_present_part,
    completed_is_for_ever_and_every_step_legal, no_task_is_ever_deleted_or_renamed_and_an_id_is_one_tasks,
    times_and_turns_of_tasks_agree_with_their_status, plans_are_bounded_and_a_first_one_has_three_to_six_tasks,
    a_safety_plan_is_kept_only_by_a_plain_yes_to_the_question_whether_to_keep_it,
    a_safety_plan_is_offered_to_nobody_in_danger_or_under_14,
    the_plan_status_fits_the_part, turns_and_versions_are_counted_without_gaps_and_watermarks_only_rise,
    logs_are_bounded,
    every_value_and_every_sentence_of_a_summary_has_its_source,
    a_persona_is_fixed_once_part_two_starts, risk_is_lowered_by_the_users_word_alone,
    no_part_and_no_proposal_changes_while_a_crisis_is_followed_through,
    an_ended_session_stays_as_it_is_and_has_closed_its_tasks, due_work_is_marked,
)  # fmt: skip


def only_the_user_ends(world: ServiceWorld, before: Session, after: Session) -> None:
    """Ended by the endpoint, or by a word of the user's right behind the question whether to end."""
    if before.ended or not after.ended:
        return
    if after.seq == before.seq:
        assert world.ended_by_endpoint, "ended by nobody"
        return
    asked, said = before.wrap_up, _said(after)
    assert (asked.stage, asked.aim, asked.seq) == (WrapUpStage.PROPOSED, WrapUpAim.END, before.seq), asked
    if before.risk.follow_through or before.under_14:
        assert content().plain_words.kind(said) == "yes", said
    else:
        assert _asks(before, *(("rest_or_end", "stay_or_end") if asked.choice else ("confirm_end",))), _replied(before)


def _agrees(said: str) -> bool:
    return content().lexicon.read(said).answer is Answer.CONFIRM


def _replied(session: Session) -> str:
    """Return the newest reply."""
    return next(m.text for m in reversed(session.recent) if m.role is Role.COUNSELOR)


def _asks(session: Session, *questions: str) -> bool:
    """Return whether the newest reply holds one of these questions in code's own words."""
    messages = content().messages(session.locale, session.register_)
    return any(one in _replied(session) for key in questions for one in messages.variants(key))


def _went_back(before: Session, after: Session) -> bool:
    return after.went_back > before.went_back and before.current_part is Part.CLOSING


def hold_for_each_write(world: ServiceWorld, since: int) -> None:
    """Check every write since a place in the history."""
    for place in range(max(1, since), len(world.history)):
        before, after = world.history[place - 1], world.history[place]
        for rule in RULES:
            rule(before, after)
        only_the_user_ends(world, before, after)


def _pairs(before: Session, after: Session) -> list[tuple[Task, Task]]:
    return [(task, found) for task in before.tasks if (found := after.task(task.id)) is not None]


def _said(session: Session) -> str:
    """Return what the user said in the newest turn."""
    return next(m.text for m in reversed(session.recent) if m.role is Role.USER and m.seq == session.seq)
