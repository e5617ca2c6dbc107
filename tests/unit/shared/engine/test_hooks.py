import asyncio

import pytest

from shared.domain.turn import Hook, TurnResult
from shared.engine.hooks import HookContext, run_hooks


def context(*hooks):
    result = TurnResult(message_id="m1", seq=1, reply="r", state_snapshot={}, hooks=hooks)
    return HookContext(state="the state", result=result)


class Recorder:
    def __init__(self):
        self.calls = []

    async def handle(self, context, hook):
        self.calls.append((context.state, hook.type, hook.data))

    async def follow(self, context):
        self.calls.append(("after", context.result.reply))


@pytest.fixture
def recorder():
    return Recorder()


async def test_each_hook_goes_to_its_handler_with_the_committed_state(recorder):
    hooks = (Hook(type="a", data={"n": 1}), Hook(type="unheard"), Hook(type="a", data={"n": 2}))
    await run_hooks(context(*hooks), {"a": recorder.handle, "b": recorder.handle}, [])
    assert recorder.calls == [("the state", "a", {"n": 1}), ("the state", "a", {"n": 2})]


async def test_followers_run_behind_the_handlers_hooks_or_not(recorder):
    await run_hooks(context(Hook(type="a")), {"a": recorder.handle}, [recorder.follow])
    await run_hooks(context(), {}, [recorder.follow])
    assert [call[0] for call in recorder.calls] == ["the state", "after", "after"]


async def test_one_that_fails_is_logged_and_the_rest_run(recorder, caplog):
    quoted = "words of a person"

    async def fail(*_):
        raise RuntimeError(quoted)

    await run_hooks(
        context(Hook(type="bad"), Hook(type="a")), {"bad": fail, "a": recorder.handle}, [fail, recorder.follow]
    )
    assert [call[0] for call in recorder.calls] == ["the state", "after"]
    assert "hook_failed hook=bad error=RuntimeError" in caplog.text
    assert "hook_failed hook=after_turn error=RuntimeError" in caplog.text
    assert "RuntimeError" in caplog.text
    assert quoted not in caplog.text, "a foreign error may quote what a person wrote"


async def test_one_that_is_slow_is_given_up_and_logged(recorder, caplog):
    stopped = asyncio.Event()

    async def hang(*_):
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    async with asyncio.timeout(5):
        await run_hooks(context(Hook(type="slow")), {"slow": hang}, [recorder.follow], seconds=0.01)
    assert stopped.is_set()
    assert "hook=slow" in caplog.text
    assert recorder.calls == [("after", "r")]
