from shared.contracts.events import Done, Failed
from shared.contracts.tasks import JobKind, TaskPayload
from shared.domain.errors import NotFound
from shared.engine.event_stream import EventStream
from shared.engine.jobs import JobResult
from shared.engine.waiting import answer_waiting

TASK = TaskPayload(conversation_id="c1", kind=JobKind.ANSWER, seq=4, state_version=0)


class Resumed:
    """`Turns` whose resumed stream ends as a test says."""

    def __init__(self, ending=None, error=None):
        self.ending = ending
        self.error = error

    async def resume(self, conversation_id):
        if self.error:
            raise self.error
        if self.ending is None:
            return None
        stream = EventStream()
        stream.emit(self.ending)
        return stream


def done():
    return Done.model_construct()


def failed(*, retryable):
    return Failed(code="store_unavailable", detail="", retryable=retryable)


async def test_waiting_messages_are_tried_again_only_while_that_can_help():
    cases = [
        (Resumed(done()), JobResult.DONE),
        (Resumed(failed(retryable=True)), JobResult.RETRY),
        (Resumed(failed(retryable=False)), JobResult.DONE),
        (Resumed(), JobResult.MOOT),
        (Resumed(error=NotFound("conversation")), JobResult.MOOT),
    ]
    assert [(result, got) for turns, result in cases if (got := await answer_waiting(turns, TASK)) is not result] == []
