"""The demo's model answers the lines of the stories, and reads nothing into others."""

import pytest

from cases.case import session_before
from cases.story import load_stories
from functions.chat.reading import NOTHING, NOTHING_READ, READER, Reading, reader_input, trust
from local.gemini.counsellor.brain import CounsellorBrain
from local.gemini.counsellor.prompt import Prompt
from local.gemini.protocol import Content
from local.gemini.stories import StoryAnswers
from shared.content.catalogue import content
from shared.prompts.data import as_data

STORIES = {story.id: story for story in load_stories()}
SHIPPED = content()


@pytest.fixture(scope="module")
def brain():
    return CounsellorBrain()


def asked(story, number, text=None):
    """What the reader is asked about a line, or about `text` in its place."""
    session, said = session_before(story, number, SHIPPED), text or story.lines[number - 1].client
    return reader_input(session, said, SHIPPED.modules(story.locale), booking_offered=True)


def answered(brain, story, given):
    prompt = READER.prompt.render(story.locale, given)
    schema = Reading.model_json_schema()
    return Reading.model_validate(brain.answer_json(schema, prompt.system, [Content(role="user", text=prompt.user)]))


@pytest.mark.parametrize("story", STORIES.values(), ids=STORIES)
def test_every_line_of_a_story_is_read_as_the_story_says_as_far_as_the_prompt_asks(brain, story):
    for number, line in enumerate(story.lines, start=1):
        given, gold = asked(story, number), line.reading
        heard = trust(answered(brain, story, given), given)
        assert heard.dropped == (), number
        assert heard.danger == gold.dangers, number
        assert heard.signs == {name: quote for name, quote in gold.signs.items() if name in given.conditions}, number
        told = {**gold.values, **gold.corrects}
        offered = {one.name for one in given.slots} | {one.slot.name for one in given.known}
        assert {**heard.values, **heard.corrections}.keys() == told.keys() & offered, number
        assert (heard.feeling and heard.feeling.quote) == (gold.feeling and gold.feeling[2]), number


def test_spaces_and_punctuation_make_no_difference_and_letters_do(brain):
    story = STORIES["burnout_to_the_end"]
    line = story.lines[2].client
    same, other = (asked(story, 3, text) for text in (f"  {line} !!", line + "요"))
    assert answered(brain, story, same) == answered(brain, story, asked(story, 3))
    assert answered(brain, story, other).signs == ()


def test_another_line_is_read_as_nothing_and_the_session_stays_where_it_is(brain):
    story = STORIES["burnout_to_the_end"]
    given = asked(story, 9, "창밖에 눈이 오네요")
    found = answered(brain, story, given)
    stays = {"next_task": "task_p2_1", "module": found.module}
    assert found == NOTHING_READ.model_copy(update=stays)
    assert [one.id for one in given.modules if one.current] == [found.module]


def test_a_bare_yes_is_known_by_the_lines_before_it_and_alone_by_nobody(brain):
    story = STORIES["terse_student"]
    number = next(at for at, line in enumerate(story.lines, start=1) if line.client == "네")
    assert answered(brain, story, asked(story, number)).asked == "process_agreed"
    assert answered(brain, story, asked(story, 1, "네")).asked == NOTHING


def test_the_counsellor_replies_to_a_line_of_a_story_as_the_story_does(brain):
    story = STORIES["burnout_to_the_end"]
    said = [Content(role="user", text=line.client) for line in story.lines[:3]]
    assert brain.answer_text("<stance>work</stance>", said) == story.lines[2].reply
    other = brain.answer_text("<stance>work</stance>", [*said, Content(role="user", text="창밖에 눈이 오네요")])
    assert other not in {line.reply for line in story.lines}


def test_a_reply_asks_nothing_itself_where_code_asks_behind_it(brain):
    story = STORIES["burnout_to_the_end"]
    number = next(at for at, line in enumerate(story.lines, start=1) if line.asks == "wrap_up")
    said = [Content(role="user", text=line.client) for line in story.lines[:number]]
    own = story.lines[number - 1].reply
    cut = brain.answer_text("<stance>propose_wrap_up</stance><follows>이제 마무리할까요?</follows>", said)
    assert own.endswith("?")
    assert "?" not in cut
    assert cut
    assert own.startswith(cut)
    unknown = [Content(role="user", text="창밖에 눈이 오네요")]
    assert "?" not in brain.answer_text("<stance>confirm_end</stance><follows>마칠까요?</follows>", unknown)


@pytest.mark.parametrize(("tasks", "at"), [("", 0), ('<task status="pending">하나 — 둘</task>', -1)])
def test_the_first_plan_is_the_storys_and_one_made_anew_is_its_newest(tasks, at):
    story = STORIES["circular_divorce"]
    said = "\n".join(f"내담자: {as_data(line.client)}" for line in story.lines[:12])
    prompt = Prompt(f"<dialogue>\n{said}\n</dialogue>\n{tasks}", "한국어로 답합니다. " * 5)
    planned = StoryAnswers().planned(prompt, {"ratings": []})
    assert (planned["goal"], planned["ratings"]) == (story.plan[at].goal, [])
    assert [task["title"] for task in planned["tasks"]] == [task.title for task in story.plan[at].tasks]
