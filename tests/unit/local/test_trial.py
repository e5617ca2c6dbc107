"""What a start without a key offers its page, and nobody else."""

import asyncio
import json

import pytest

from local.pages import pages
from local.trial import trial_routes
from local.trial_stories import client_lines, offers
from tests.builders.service_parts import Ids
from tests.fakes.settable_clock import SettableClock
from tests.unit.local.test_serving import called

STORY = "asks_for_more"
LINES = client_lines(STORY)


async def asked(path, body=None, *, host="localhost", more=()):
    server = pages("demo-cbot", SettableClock(), Ids(), demo=True, more=more or trial_routes())
    return await called(server, host, path, "GET" if body is None else "POST", json.dumps(body).encode())


async def test_the_stories_are_told_by_title_and_sentence_alone():
    stories = (await asked("/trial/stories")).json()["stories"]
    assert [one["id"] for one in stories] == [one.id for one in offers()]
    assert all(set(one) == {"id", "locale", "title", "sentence", "session_type"} for one in stories)


@pytest.mark.parametrize(
    ("said", "line", "read"),
    [
        ([], LINES[0], False),
        ([f" {LINES[0]} !"], LINES[1], True),
        ([LINES[0], "창밖에 눈이 오네요"], LINES[1], False),
        (LINES, None, True),
    ],
)
async def test_a_conversation_is_told_the_next_line_and_whether_its_newest_message_is_read(said, line, read):
    assert (await asked("/trial/talk", {"story": STORY, "said": said})).json() == {"next": line, "read": read}


async def test_without_a_story_no_line_comes_next():
    assert (await asked("/trial/talk", {"said": ["창밖에 눈이 오네요"]})).json() == {"next": None, "read": False}


@pytest.mark.parametrize(
    ("body", "status", "detail"),
    [
        ({"story": "nobody", "said": []}, 404, "there is no story 'nobody'"),
        ({"story": STORY, "said": [7]}, 400, "said.0: Input should be a valid string"),
        ({"story": STORY, "sad": []}, 400, "sad: Extra inputs are not permitted"),
    ],
)
async def test_a_wrong_question_is_refused_with_its_reason(body, status, detail):
    answer = await asked("/trial/talk", body)
    assert (answer.status_code, answer.json()["detail"]) == (status, detail)


async def test_the_stories_are_for_this_machine_alone():
    assert (await asked("/trial/stories", host="evil.example")).status_code == 400


async def test_the_next_line_waits_for_the_background_work():
    done = asyncio.Event()
    waiting = asyncio.create_task(asked("/trial/settled", more=trial_routes(done.wait)))
    await asyncio.wait({waiting}, timeout=0.05)
    assert not waiting.done()
    done.set()
    assert (await waiting).status_code == 200
