"""The demo's model answers the lines of the stories, and reads nothing into others."""

import pytest

from cases.case import session_before
from cases.story import load_stories
from functions.chat.reading import NOTHING, NOTHING_READ, READER, Reading, reader_input, trust
from local.gemini.agents import AgentAnswers
from local.gemini.neutral import LONGEST
from local.gemini.prompt import Prompt
from local.gemini.protocol import Content
from local.gemini.stories import StoryAnswers
from shared.content.catalogue import content
from shared.locale import Locale
from shared.prompts.data import as_data
from shared.services.counseling.evidence import is_verbatim_quote

STORIES = {story.id: story for story in load_stories()}
SHIPPED = content()


@pytest.fixture(scope="module")
def brain():
    return AgentAnswers()


def asked(story, number, text=None):
    """What the reader is asked about a line, or about `text` in its place."""
    session, said = session_before(story, number, SHIPPED), text or story.lines[number - 1].client
    return reader_input(session, said, SHIPPED.modules(story.locale), booking_offered=True)


def answered(brain, story, given):
    prompt = READER.prompt.render(story.locale, given)
    return Reading.model_validate(brain.answer_json("Reading", prompt.system, [Content(role="user", text=prompt.user)]))


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
    planned = StoryAnswers().plan(prompt)
    assert (planned["goal"], planned["ratings"]) == (story.plan[at].goal, [])
    assert [task["title"] for task in planned["tasks"]] == [task.title for task in story.plan[at].tasks]


def test_a_greeting_with_which_a_story_begins_too_makes_nobody_that_storys_client(brain):
    prompt = "<dialogue>\n[1] 내담자: 안녕하세요\n[2] 내담자: 창밖에 눈이 오네요\n</dialogue>"
    planned = StoryAnswers().plan(Prompt(prompt, "한국어로 답합니다. " * 5))
    assert planned["goal"] not in {story.plan[0].goal for story in STORIES.values() if story.plan}


def test_a_story_goes_on_after_other_text_also_with_a_short_line(brain):
    story = STORIES["asks_for_more"]
    number = next(at for at, line in enumerate(story.lines, start=1) if line.client == "그러시죠")
    said = [line.client for line in story.lines[: number - 1]]
    contents = [Content(role="user", text=text) for text in (*said, "창밖에 눈이 오네요", "그러시죠")]
    assert brain.answer_text("<stance>work</stance>", contents) == story.lines[number - 1].reply


def test_a_story_is_closed_by_its_own_sentences_as_far_as_the_client_came(brain):
    story = STORIES["circular_divorce"]

    def closing(count):
        said = "\n".join(f"[{at}] 내담자: {as_data(one.client)}" for at, one in enumerate(story.lines[:count], start=1))
        prompt = f"<dialogue>\n{said}\n</dialogue>"
        return brain.answer_json("ClosingWork", "한국어로 답합니다. " * 5, [Content(role="user", text=prompt)])

    whole, begun = closing(len(story.lines)), closing(4)
    assert [one["text"] for one in whole["sentences"]] == [text for _, text in story.closing.sentences]
    assert all(is_verbatim_quote(one["quote"], story.lines[one["seq"] - 1].client) for one in whole["sentences"])
    assert whole["goals"]
    assert [one["text"] for one in begun["sentences"]] == [story.closing.sentences[0][1]]
    assert begun["goals"] == []


def test_a_summary_has_the_words_that_the_story_marks_and_fits_its_answer(brain):
    for story in STORIES.values():
        labels = "내담자" if story.locale is Locale.KO else "Client"
        said = "\n".join(f"[{at}] {labels}: {as_data(one.client)}" for at, one in enumerate(story.lines, start=1))
        prompt = f"<summary>\n</summary><dialogue>\n{said}\n</dialogue>"
        kept = brain.answer_json("Summary", "한국어로 답합니다. " * 5, [Content(role="user", text=prompt)])["sentences"]
        assert len(kept) > 4, story.id
        assert all(is_verbatim_quote(one["quote"], story.lines[one["seq"] - 1].client) for one in kept), story.id
        assert sum(len(one["text"] + one["quote"]) for one in kept) <= LONGEST, story.id
