"""Which judgements a reviewer is to look at."""

import pytest

from functions.supervisor.supervise import supervise
from shared.contracts.tasks import JobKind
from tests.fakes.answers import judgement
from tests.fakes.background_room import Room, payload
from tests.fakes.counselling import session, task

SAID = ("요즘 회사 가기가 무서워요", "팀장님이 다들 보는 데서 혼내요", "잠도 잘 못 자요")


async def test_a_red_item_and_a_low_total_are_flagged_and_a_slip_of_register_is_not(subtests: pytest.Subtests) -> None:
    cases = [
        (8, False, False, []),
        (5, False, False, []),
        (4, False, False, ["low_supervision"]),
        (9, False, True, []),
        (8, True, False, ["red_item"]),
        (3, True, True, ["red_item"]),
    ]
    for score, red, violated, reasons in cases:
        with subtests.test(score=score, red=red, violated=violated, reasons=reasons):
            judged = judgement(
                score, red_item=red, register_or_restriction_violated=violated, improvements=("까닭을.",)
            )
            room = Room({"supervisor": judged})
            await room.open(session(task()), SAID)
            for _ in range(2):
                await supervise(room.context, payload(JobKind.SUPERVISE, 3))
            mark = (await room.session()).staff_review
            flags = mark.flags if mark else ()
            assert [(flag.reason.value, flag.seqs, flag.count) for flag in flags] == [
                (reason, (3,), 1) for reason in reasons
            ]
