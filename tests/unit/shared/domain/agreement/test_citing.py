"""The check of an answer's sources."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.agreement.citing import CitationCheck, Fault, Sources
from shared.domain.agreement.tools import PassageRef
from shared.locale import Locale
from tests.builders.agreements import library

READ = tuple(PassageRef(document_id="service", passage_id=one) for one in ("article-4", "article-5", "article-5-2"))
SOURCES = Sources.of(library(), (*READ, PassageRef(document_id="standard", passage_id="article-3")), Locale.KO)
WORDS = ["상담은 50분이에요", "“비밀로 합니다”", "60분", "1.5", ". ", "?", "\n"]
MARKS = ["[제4조]", " [제5조의2, 제4조]", "[제9조]", "[없음]", "[", "]"]
PIECE = st.sampled_from([*WORDS, *MARKS])


def checked(text, size=1000):
    check = CitationCheck(SOURCES, "30분인가요?", "나머지는 몰라요.")
    shown = "".join(check.take(text[at : at + size]) for at in range(0, len(text), size)) + check.end()
    assert shown == check.result.text
    return check.result


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("50분이에요. [제4조]", "50분이에요 [제4조]."),
        ("50분이에요 [제4조 제1항].", "50분이에요 [제4조]."),
        ("50분이에요. [article-4]", "50분이에요 [제4조]."),
        ("비밀이에요! [제5조(비밀보장), 제4조]", "비밀이에요 [제5조, 제4조]!"),
        ("비밀이에요. [상담 표준계약서 제3조]", "비밀이에요 [상담 표준계약서 제3조]."),
        ("30분이 아니라 50분이에요. [제4조]", "30분이 아니라 50분이에요 [제4조]."),
        ("주차는 없어요. [없음]", ""),
        ("50분이에요. [제4조] 주차는 없어요. [없음]", "50분이에요 [제4조]. 나머지는 몰라요."),
        ("“상담 내용은  비밀로 합니다.”라고 해요. [제5조]", "“상담 내용은  비밀로 합니다.”라고 해요 [제5조]."),
    ],
)
def test_a_sentence_that_holds_is_shown_with_its_source(said, shown):
    assert checked(said).text == shown


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("50분이에요.", Fault.UNCITED),
        ("환불돼요. [제12조]", Fault.NOT_READ),
        ("비밀이에요. [제5조의3]", Fault.NOT_READ),
        ("비밀이에요. [제5조, 제99조]", Fault.NOT_READ),
        ("“영원한 비밀”이라고 해요. [제5조]", Fault.NOT_QUOTED),
        ("60분이에요. [제4조]", Fault.FIGURE),
        ("5분이에요. [제4조]", Fault.FIGURE),
        ("포인트를 모으면 선물을 보내 드려요. [제4조]", Fault.UNSUPPORTED),
        ("상담 내용은 비밀로 하지 않아요. [제5조]", Fault.CONTRADICTED),
    ],
)
def test_a_sentence_that_does_not_hold_is_left_out(said, fault):
    found = checked(said)
    assert (found.text, found.faults) == ("", [fault])


@given(st.lists(PIECE, max_size=14).map("".join), st.integers(1, 9))
def test_the_result_does_not_depend_on_the_pieces_and_names_only_what_was_read(text, size):
    whole, pieces = checked(text), checked(text, size)
    assert (whole.text, whole.faults) == (pieces.text, pieces.faults)
    assert "제9조" not in whole.text
    assert "60분" not in whole.text
