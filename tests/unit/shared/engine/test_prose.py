from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import ModelSchemaMismatch
from shared.engine.plain_marks import EMOJI
from shared.engine.prose import Prose, excerpt, shortened, whole_sentences
from shared.visible_text import UNREADABLE, visible

BLANKS = ("\t", "\u3164", "\u115f", "\u2800", "\uffa0", "\u3000", "\xa0")
BREAKS = ("\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028")
EMPTY_LINES = ("\n\n", "\n\n\n", "\n\n\n\n\n\n", "\r\n\r\n\r\n", "\u2028\u2029\n")
PICTURES = ("👩\u200d👩\u200d👧", "❤\ufe0f\u200d🔥", "🧑🏽\u200d⚕\ufe0f", "👍🏽", "🇰🇷", "1\ufe0f\u20e3")


def taken(*pieces):
    prose = Prose()
    shown = "".join(prose.take(piece) for piece in pieces) + prose.end()
    assert shown == prose.text
    return shown


class TestTheText:
    def test_loses_invisible_characters_and_has_one_kind_of_space_and_line_break(self):
        cases = dict.fromkeys(BLANKS, "가 나") | dict.fromkeys(BREAKS, "가\n나")
        cases |= dict.fromkeys(EMPTY_LINES, "가\n\n나")
        assert {between: taken(f"가{between}나") for between in cases} == cases
        assert {between: taken("가", *between, "나") for between in cases} == cases
        assert taken("하나\n \n \n \n둘").count("\n") == 2

    def test_loses_the_same_characters_as_visible_text(self):
        for code in (*range(0x3000), *range(0xFE00, 0x10000), *range(0x1D160, 0x1D180), *range(0xE0000, 0xE1000, 17)):
            char = chr(code)
            if char not in "`{" and not EMOJI.match(char):
                assert taken(f"a{char}b") == visible(f"a{char}b").replace(UNREADABLE, ""), hex(code)

    def test_loses_an_emoji_however_it_is_joined_and_cut(self):
        for picture in PICTURES[:-1]:
            assert taken(f"네 {picture}") == taken("네 ", *picture) == "네."
        assert taken(f"{PICTURES[-1]} 걷기") == taken(*PICTURES[-1], " 걷기") == "걷기."

    @given(st.lists(st.text(max_size=20), max_size=10))
    def test_is_the_same_however_it_is_cut_and_can_be_encoded(self, pieces):
        def outcome(*cut):
            try:
                return taken(*cut)
            except ModelSchemaMismatch:
                assert "{" in whole or "`" in whole
                return None

        whole = "".join(pieces)
        (outcome(whole) or "").encode()
        assert outcome(whole) == outcome(*pieces) == outcome(*whole)


class TestShortening:
    def test_ends_with_a_whole_sentence_or_a_whole_word(self):
        assert shortened("많이 지치셨을 것 같아요, 오늘도요. 그리고 " * 3, 40) == "많이 지치셨을 것 같아요, 오늘도요."
        assert whole_sentences("네. 그런데 혹시 요즘") == "", "too short sentences"
        assert shortened("하나 둘 셋 넷 다섯", 9) == "하나 둘 셋…"

    def test_to_an_excerpt_keeps_the_head_and_tail_of_a_long_text(self):
        assert (excerpt("가나다라", 4), excerpt("abcdefghijklmnop", 9)) == ("가나다라", "abc … nop")

    @given(st.text(min_size=51), st.integers(0, 50))
    def test_never_exceeds_the_limit(self, text, limit):
        assert len(shortened(text, max(10, limit))) <= max(10, limit)
        assert len(excerpt(text, limit)) <= limit
