from shared.domain.counseling.session import Session
from tests.fakes.counselling import session, slot, task


def test_the_task_in_progress_is_the_current_one_while_it_is_in_progress():
    assert session(task("a", status="in_progress"), current_task="a").task_in_progress.id == "a"
    assert session(task("a", status="sufficient"), current_task="a").task_in_progress is None
    assert session(task("a"), current_task=None).task_in_progress is None
    assert session(task("a"), current_task="gone").task_in_progress is None


def test_progress_is_a_third_a_part_by_its_covered_tasks(subtests):
    cases = [
        (1, [], 0.0),
        (1, ["pending", "sufficient"], 0.167),
        (1, ["sufficient"], 0.333),
        (2, [], 0.333),
        (2, ["completed", "in_progress"], 0.5),
        (3, ["sufficient", "sufficient"], 1.0),
    ]
    for part, statuses, progress in cases:
        with subtests.test(part=part, statuses=statuses, progress=progress):
            tasks = [task(f"t{number}", part, status=status) for number, status in enumerate(statuses)]
            assert session(*tasks, current_part=part).progress == progress


def test_an_ended_session_has_come_all_the_way():
    assert session(status="completed", current_part=1).progress == 1.0
    assert session(status="completed").ended
    assert not session(status="wrapping_up").ended


def test_a_session_survives_being_stored():
    full = session(
        task("a", required_slots=(slot("name", kind="name"),), status="in_progress"),
        current_task="a",
        user_info={"name": "지민", "count": 0, "prior": False, "none": ""},
        asked={"name": 2},
    )
    back = Session.model_validate(full.model_dump(mode="json", by_alias=True))
    assert (back, back.user_info["prior"], back.user_info["count"]) == (full, False, 0)
    assert back.user_info["count"] is not False
