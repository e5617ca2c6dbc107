"""Rules that hold after every write of a session, one function each."""

from collections.abc import Callable, Sequence

from shared.content.catalogue import content
from shared.domain.conversation import MOST_RECENT_MESSAGES, Role
from shared.domain.counseling.completions import MOST_UNWRITTEN
from shared.domain.counseling.lifecycle import BOUNDED, PART2_MAX_REPLANS, may_become, may_turn, part_before_closing
from shared.domain.counseling.module import RESISTANCE_MODULE
from shared.domain.counseling.review import required_task_waits
from shared.domain.counseling.session import NEWEST_LOG_ENTRIES, PlanStatus, Session, WrapUpAim, WrapUpStage
from shared.domain.counseling.task import Part, Task, TaskStatus
from shared.lexicon.words import Answer
from shared.services.counseling.policy import CounselingPolicy
from tests.builders.service_world import ServiceWorld

FEWEST_TASKS, MOST_TASKS = 3, 6
"""Tasks of a plan of Part 2 as specified; on purpose not imported from the code."""
LONGEST_SUMMARY = 1200
ANSWER_LENGTH = 40
TURNS_OF_REST = 3

Rule = Callable[[Session, Session], None]


def parts_go_only_forward_unless_the_user_continues_after_the_closing(before: Session, after: Session) -> None:
    if _went_back(before, after):
        assert after.current_part is part_before_closing(before)
        assert after.seq == before.seq + 1, "only a message of the user leads back"
        return
    assert after.current_part >= before.current_part


def part_two_is_left_only_after_the_user_agreed_to_the_closing(before: Session, after: Session) -> None:
    """Also at the bounds: the user is asked, and the planner carries the closing out later."""
    if before.current_part is not Part.CLOSING and after.current_part is Part.CLOSING:
        assert before.leaving_seq is not None, "the closing was not asked for"
    if before.leaving_seq is None and after.leaving_seq is not None:
        asked = before.wrap_up
        assert (asked.stage, asked.aim, asked.seq) == (WrapUpStage.PROPOSED, WrapUpAim.WRAP_UP, before.seq), asked
        assert content().session_words.asks_to_wrap_up(_replied(before)), _replied(before)
        assert _agrees(_said(after)), _said(after)


def a_wrap_up_is_proposed_only_without_required_tasks_or_at_a_bound(before: Session, after: Session) -> None:
    proposed = after.wrap_up is not None and after.wrap_up.stage is WrapUpStage.PROPOSED
    if proposed and after.wrap_up != before.wrap_up and after.wrap_up.aim is WrapUpAim.WRAP_UP:
        assert after.wrap_up.reason == BOUNDED or not required_task_waits(after), after.wrap_up


def a_declined_slot_is_not_asked_for_again(before: Session, after: Session) -> None:
    for slot in before.declined_slots:
        assert slot in after.declined_slots or slot in after.user_info, slot
        if slot in after.declined_slots:
            assert after.asked.get(slot, 0) == before.asked.get(slot, 0), slot
            assert after.last_asked != slot or after.seq == before.seq, slot
    assert not set(after.declined_slots) & set(after.user_info)


def no_slot_is_asked_for_more_often_than_it_has_wordings(_before: Session, after: Session) -> None:
    wordings = {slot.name: len(slot.questions) for task in after.tasks for slot in task.slots}
    assert all(times <= wordings.get(slot, times) for slot, times in after.asked.items()), after.asked


def no_slot_is_asked_for_during_resistance(before: Session, after: Session) -> None:
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
        pairs = _pairs(before, after)
        assert [old.status for old, _ in pairs] == [new.status for _, new in pairs]


def only_the_current_task_of_the_current_part_is_in_progress(_before: Session, after: Session) -> None:
    working = [(task.id, task.part) for task in after.tasks if task.status is TaskStatus.IN_PROGRESS]
    assert working in ([], [(after.current_task, after.current_part)]), (working, after.current_task)


def completed_tasks_stay_completed_and_every_transition_is_legal(before: Session, after: Session) -> None:
    for old, new in _pairs(before, after):
        if old.status is TaskStatus.COMPLETED and _went_back(before, after):
            assert new.status is TaskStatus.COMPLETED or old.part is after.current_part, old.id
            continue
        through_progress = may_become(old, TaskStatus.IN_PROGRESS)
        assert may_become(old, new.status) or through_progress, (old.id, old.status, new.status)
        assert old.status is not TaskStatus.COMPLETED or new.status is TaskStatus.COMPLETED, old.id
    assert may_turn(before, after.status), (before.status, after.status)


def no_task_is_deleted_or_renamed_and_task_ids_are_unique(before: Session, after: Session) -> None:
    names = [task.id for task in after.tasks]
    assert names[: len(before.tasks)] == [task.id for task in before.tasks]
    assert len(set(names)) == len(names)


def times_and_turns_of_tasks_agree_with_their_status(_before: Session, after: Session) -> None:
    for task in after.tasks:
        assert (task.completed_at is not None) == (task.status is TaskStatus.COMPLETED), task.id
        assert task.status is not TaskStatus.IN_PROGRESS or task.started_at is not None, task.id
        assert task.turns_spent <= task.max_turns, task.id


def plans_are_bounded_and_the_first_has_three_to_six_tasks(before: Session, after: Session) -> None:
    planned = sum(task.part is Part.EXPLORATION for task in after.tasks)
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
    assert before.user_persona.counseling_level == after.user_persona.counseling_level


def risk_is_lowered_only_by_the_user(before: Session, after: Session) -> None:
    if after.risk.level < before.risk.level:
        assert after.seq == before.seq + 1, "lowered outside a turn"
        assert content().crisis_answers.reassurances(content().screening.screen(_said(after))), _said(after)


def only_the_end_is_proposed_while_a_crisis_is_followed_through(before: Session, after: Session) -> None:
    """A transition or an agreement from before the crisis is still carried out."""
    if before.risk.follow_through and after.risk.follow_through and after.wrap_up != before.wrap_up:
        asked = after.wrap_up is not None and after.wrap_up.stage is WrapUpStage.PROPOSED
        assert not asked or after.wrap_up.aim is WrapUpAim.END, after.wrap_up


def an_ended_session_is_unchanged_and_its_tasks_are_completed(before: Session, after: Session) -> None:
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
    assert (after.due_since is not None) == bool(CounselingPolicy(content().crisis_replies).overdue(after))


RULES: Sequence[Rule] = (
    parts_go_only_forward_unless_the_user_continues_after_the_closing,
    part_two_is_left_only_after_the_user_agreed_to_the_closing,
    a_wrap_up_is_proposed_only_without_required_tasks_or_at_a_bound,
    a_declined_slot_is_not_asked_for_again, no_slot_is_asked_for_more_often_than_it_has_wordings,
    no_slot_is_asked_for_during_resistance, feedback_rests_after_a_replan, a_replan_drops_no_task,
    only_the_current_task_of_the_current_part_is_in_progress,
    completed_tasks_stay_completed_and_every_transition_is_legal, no_task_is_deleted_or_renamed_and_task_ids_are_unique,
    times_and_turns_of_tasks_agree_with_their_status, plans_are_bounded_and_the_first_has_three_to_six_tasks,
    the_plan_status_fits_the_part, turns_and_versions_are_counted_without_gaps_and_watermarks_only_rise,
    logs_are_bounded,
    a_persona_is_fixed_once_part_two_starts, risk_is_lowered_only_by_the_user,
    only_the_end_is_proposed_while_a_crisis_is_followed_through,
    an_ended_session_is_unchanged_and_its_tasks_are_completed, due_work_is_marked,
)  # fmt: skip


def only_the_user_ends(world: ServiceWorld, before: Session, after: Session) -> None:
    """Ended by the endpoint, or by the user's yes to the question right before it."""
    if before.ended or not after.ended:
        return
    if after.seq == before.seq:
        assert world.ended_by_endpoint, "ended without the user"
        return
    asked, said = before.wrap_up, _said(after)
    assert (asked.stage, asked.aim, asked.seq) == (WrapUpStage.PROPOSED, WrapUpAim.END, before.seq), asked
    followed = before.risk.follow_through or before.under_14
    question = _replied(before)
    assert followed or content().session_words.asks_to_end(question), question
    assert question.count("?") == 1 or followed, question
    assert _agrees(said), said
    plain = content().lexicon.read(said).answer is Answer.CONFIRM
    assert plain or not content().lexicon.read(said).hesitates, f"no plain yes: {said}"


def _agrees(said: str) -> bool:
    answer = content().lexicon.read(said).answer
    return answer is Answer.CONFIRM or (answer is Answer.UNCLEAR and len(said) <= ANSWER_LENGTH)


def _replied(session: Session) -> str:
    return next(m.text for m in reversed(session.recent) if m.role is Role.COUNSELOR)


def _went_back(before: Session, after: Session) -> bool:
    return after.went_back > before.went_back and before.current_part is Part.CLOSING


def check_each_write(world: ServiceWorld, since: int) -> None:
    for place in range(max(1, since), len(world.history)):
        before, after = world.history[place - 1], world.history[place]
        for rule in RULES:
            rule(before, after)
        only_the_user_ends(world, before, after)


def _pairs(before: Session, after: Session) -> list[tuple[Task, Task]]:
    return [(task, found) for task in before.tasks if (found := after.task(task.id)) is not None]


def _said(session: Session) -> str:
    return next(m.text for m in reversed(session.recent) if m.role is Role.USER and m.seq == session.seq)
