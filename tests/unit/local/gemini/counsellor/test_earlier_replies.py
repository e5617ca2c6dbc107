"""The simulator remembers what it asked before the window of its prompt."""

from local.gemini.counsellor.earlier_replies import EarlierReplies
from local.gemini.protocol import Content

WINDOW = 8


def talk(memory, turns, others=()):
    """Let the counsellor reply `turns` times, each time shown the newest messages; return what it knew at the end."""
    told = [Content("model", "안녕하세요")]
    for turn in range(turns):
        told.append(Content("user", f"말 {turn}"))
        if turn in others:
            told.append(Content("model", "정해진 답"))
        else:
            memory.keep(told[-WINDOW:], f"물음 {turn}?")
            told.append(Content("model", f"물음 {turn}?"))
    return memory.before([*told, Content("user", "끝")][-WINDOW:])


def test_every_reply_of_the_dialogue_is_known_though_the_prompt_shows_only_the_newest():
    assert talk(EarlierReplies(), 9) == ("안녕하세요", *(f"물음 {turn}?" for turn in range(9)))


def test_a_fixed_text_between_two_replies_breaks_nothing():
    assert talk(EarlierReplies(), 6, others=(4,)) == ("안녕하세요", *(f"물음 {turn}?" for turn in (0, 1, 2, 3, 5)))


def test_dialogues_that_differ_know_nothing_of_each_other():
    memory = EarlierReplies()
    talk(memory, 3)
    assert memory.before([Content("model", "안녕하세요"), Content("user", "다른 말")]) == ()
