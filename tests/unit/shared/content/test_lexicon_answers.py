"""What a reply to "shall we stop here?" means, as people really put it, and who asks to end."""

from shared.content.catalogue import content
from shared.content.lexicon import Answer
from tests.support.sentences import sentences

LEXICON = content().lexicon
SAID = sentences("lexicon/answers")


def read_otherwise(texts, wanted):
    return {text: answer for text in texts if (answer := LEXICON.answer(text)) is not wanted}


def test_agreement_is_recognised():
    assert read_otherwise(SAID["confirm"], Answer.CONFIRM) == {}


def test_a_wish_to_go_on_wins():
    assert read_otherwise(SAID["cancel"], Answer.CANCEL) == {}


def test_half_an_answer_is_left_to_the_model():
    assert read_otherwise(["", *SAID["unclear"]], Answer.UNCLEAR) == {}


def test_nothing_more_is_no_yes_where_something_is_told_with_it():
    assert [text for text in SAID["no_confirm"] if LEXICON.answer(text) is Answer.CONFIRM] == []


def misheard(is_meant, meant, not_meant):
    """Return what is not recognised though it is meant, and what is though it is not."""
    missed = [text for text in SAID[meant] if not is_meant(text)]
    return missed + [text for text in ("", *SAID[not_meant]) if is_meant(text)]


def test_a_request_to_end_is_recognised_and_ending_something_else_is_none():
    assert misheard(LEXICON.asks_to_end, "ends", "no_end") == []


def test_a_finished_subject_is_recognised():
    assert misheard(LEXICON.says_task_done, "done", "not_done") == []


def test_that_all_is_said_is_recognised():
    assert misheard(LEXICON.says_all_is_said, "all_said", "not_all_said") == []
    assert [text for text in SAID["all_said"] if not LEXICON.says_task_done(text)] == []


def test_a_no_to_whether_anything_is_left_is_recognised():
    assert misheard(LEXICON.has_nothing_to_say, "nothing_left", "something_left") == []


def test_words_that_can_be_a_yes_as_well_as_a_no_are_recognised():
    assert misheard(LEXICON.is_ambiguous, "ambiguous", "not_ambiguous") == []
