"""When tasks are dispatched, how many at a time, and in which order."""

from google.api_core.exceptions import NotFound

from local.emulators.tasks import Disorder, QueueSettings
from tests.support.polling import eventually
from tests.support.tasks_bench import QUEUE


async def busy(bench, count):
    async def so_many():
        return bench.receiver.busy == count

    await eventually(so_many, what=f"{count} at a time")


async def test_a_scheduled_task_is_dispatched_when_its_time_has_come(bench):
    await bench.create("later", delay=600)
    await bench.create("now")
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["now"]
    bench.pass_time(600)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["now", "later"]


async def test_a_paused_queue_takes_tasks_and_dispatches_them_when_it_is_resumed(bench):
    assert (await bench.client.pause_queue(name=QUEUE)).state.name == "PAUSED"
    await bench.create("t1")
    await bench.client.create_queue(parent="projects/p/locations/l", queue={"name": f"{QUEUE}2"})
    await bench.create("other", queue=f"{QUEUE}2")
    assert await bench.received(1) == ["other"]
    assert (await bench.client.resume_queue(name=QUEUE)).state.name == "RUNNING"
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["other", "t1"]


async def test_while_deliveries_are_held_nothing_goes_out_whatever_becomes_of_the_queues(bench):
    bench.emulator.hold()
    await bench.create("t1")
    await bench.client.pause_queue(name=QUEUE)
    await bench.client.resume_queue(name=QUEUE)
    await bench.client.create_queue(parent="projects/p/locations/l", queue={"name": f"{QUEUE}2"})
    await bench.create("t2", queue=f"{QUEUE}2")
    await bench.client.pause_queue(name=f"{QUEUE}2")
    assert (await bench.get("t1")).dispatch_count == 0
    bench.emulator.release()
    assert await bench.received(1) == ["t1"]
    await bench.client.resume_queue(name=f"{QUEUE}2")
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1", "t2"]


async def test_no_more_than_the_limit_are_dispatched_at_a_time(open_bench):
    bench = await open_bench(settings=QueueSettings(concurrency=3))
    bench.receiver.gate.clear()
    for number in range(9):
        await bench.create(f"t{number}")
    await busy(bench, 3)
    bench.receiver.gate.set()
    await bench.emulator.idle()
    assert bench.receiver.busiest == 3
    assert sorted(bench.receiver.tasks) == [f"t{number}" for number in range(9)]


async def test_a_task_can_be_run_now_although_its_queue_is_paused_and_its_time_has_not_come(bench):
    await bench.client.pause_queue(name=QUEUE)
    await bench.create("t1", delay=600)
    run = await bench.client.run_task(name=f"{QUEUE}/tasks/t1")
    assert run.dispatch_count == 1
    assert await bench.received(1) == ["t1"]

    async def gone():
        try:
            await bench.client.run_task(name=f"{QUEUE}/tasks/t1")
        except NotFound:
            return True

    await eventually(gone)


async def test_copies_of_a_task_are_sent_at_once_and_all_must_be_taken(open_bench):
    bench = await open_bench(200, 500, 200, settings=QueueSettings(min_backoff_s=1), disorder=Disorder(copies=3))
    await bench.create("t1")
    await bench.failed("t1", 1)
    assert bench.receiver.tasks == ["t1"] * 3
    bench.pass_time(1)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t1"] * 6


async def test_in_reverse_order_the_newest_of_what_waited_comes_first(open_bench):
    bench = await open_bench(settings=QueueSettings(concurrency=1), disorder=Disorder(newest_first=True))
    await bench.client.pause_queue(name=QUEUE)
    await bench.create("later", delay=60)
    for number in range(4):
        await bench.create(f"t{number}")
        bench.clock.advance(1)
    await bench.client.resume_queue(name=QUEUE)
    await bench.emulator.idle()
    assert bench.receiver.tasks == ["t3", "t2", "t1", "t0"]
    bench.pass_time(60)
    await bench.emulator.idle()
    assert bench.receiver.tasks[-1] == "later"
