from hypothesis import given
from hypothesis import strategies as st

from shared.domain.errors import ModelSchemaMismatch
from shared.engine.prose import Prose, excerpt, shortened, whole_sentences
from shared.visible_text import UNREADABLE, visible

FAMILY = "👩\u200d👩\u200d👧"
HEART = "❤\ufe0f\u200d🔥"
UNSEEN = (
    *("\x00", "\x07", "\x1b", "\x7f", "\x9f"),
    *("\u061c", "\u200e", "\u202a", "\u202e", "\u2066", "\u2069"),
    *("\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\U000e0041", "\ud83d"),
    *("\u034f", "\u17b4", "\u180b", "\ufe01", "\ufe0f", "\ufff0", "\U000e0100", "\U000e0fff", "\U0001d173", "\ue000"),
)
HEALER = "🧑🏽\u200d⚕\ufe0f"


def taken(*pieces):
    prose = Prose()
    shown = "".join(prose.take(piece) for piece in pieces)
    assert shown == prose.text
    return shown


class TestTheText:
    def test_loses_what_cannot_be_seen(self):
        assert {unseen: got for unseen in UNSEEN if (got := taken(f"가{unseen}나", unseen, "다")) != "가나다"} == {}

    def test_has_one_kind_of_space(self):
        assert {
            empty: got
            for empty in ("\t", "\u3164", "\u115f", "\u2800", "\uffa0", "\u3000", "\xa0")
            if (got := taken(f"가{empty}나")) != "가 나"
        } == {}

    def test_has_one_kind_of_line_break(self):
        assert [
            line
            for line in ("\r", "\r\n", "\x0b", "\x0c", "\x85", "\u2028")
            if not (taken(f"가{line}나") == taken("가", *line, "나") == "가\n나")
        ] == []

    def test_hides_what_is_hidden_from_any_reader(self):
        for code in (*range(0x3000), *range(0xFE00, 0x10000), *range(0x1D160, 0x1D180), *range(0xE0000, 0xE1000, 17)):
            char = chr(code)
            if char not in "`{":
                assert taken(f"a{char}b") == visible(f"a{char}b").replace(UNREADABLE, ""), hex(code)

    def test_keeps_an_emoji_that_is_joined_however_it_is_cut(self, subtests):
        for emoji in (FAMILY, HEART, HEALER, "👍🏽", "🇰🇷"):
            with subtests.test(emoji=emoji):
                assert taken(f"네 {emoji}.") == f"네 {emoji}."
                assert taken("네 ", *emoji, ".") == f"네 {emoji}."

    def test_loses_a_joiner_between_a_picture_and_a_letter(self):
        assert taken("👩\u200d가", "👩\u200d") == "👩가👩"

    def test_has_one_blank_line_at_the_most(self, subtests):
        for breaks in ("\n\n", "\n\n\n", "\n\n\n\n\n\n", "\r\n\r\n\r\n", "\u2028\u2029\n"):
            with subtests.test(breaks=breaks):
                assert taken(f"하나{breaks}둘") == "하나\n\n둘"
                assert taken("하나", *breaks, "둘") == "하나\n\n둘"

    def test_has_no_more_of_them_for_blanks_between(self):
        assert taken("하나\n \n \n \n둘").count("\n") == 2

    def test_keeps_words_apart_that_a_tab_held_apart(self):
        assert taken("하나\t둘") == "하나 둘"

    @given(st.lists(st.text(max_size=20), max_size=10))
    def test_is_the_same_however_it_is_cut(self, pieces):
        def outcome(*cut):
            try:
                return taken(*cut)
            except ModelSchemaMismatch:
                return None

        whole = "".join(pieces)
        assert outcome(whole) == outcome(*pieces) == outcome(*whole)

    @given(st.text())
    def test_can_be_stored_and_sent(self, text):
        try:
            taken(text).encode()
        except ModelSchemaMismatch:
            assert "{" in text or "`" in text


class TestShortening:
    def test_ends_with_a_whole_sentence(self):
        assert shortened("많이 지치셨을 것 같아요, 오늘도요. 그리고 " * 3, 40) == "많이 지치셨을 것 같아요, 오늘도요."

    def test_of_too_short_sentences_is_none(self):
        assert whole_sentences("네. 그런데 혹시 요즘") == ""

    def test_without_a_sentence_ends_with_a_whole_word(self):
        assert shortened("하나 둘 셋 넷 다섯", 9) == "하나 둘 셋…"

    @given(st.text(min_size=51), st.integers(10, 50))
    def test_keeps_to_the_limit(self, text, limit):
        assert len(shortened(text, limit)) <= limit


class TestAnExcerpt:
    def test_of_what_fits_is_all_of_it(self):
        assert excerpt("가나다라", 4) == "가나다라"

    def test_keeps_head_and_tail(self):
        assert excerpt("abcdefghijklmnop", 9) == "abc … nop"

    @given(st.text(), st.integers(0, 30))
    def test_keeps_to_the_limit(self, text, limit):
        assert len(excerpt(text, limit)) <= limit
