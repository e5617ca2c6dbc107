"""What a supervision means for judging a task."""

from shared.domain.counseling.background_events import Supervised
from shared.domain.counseling.task_remarks import FRESH, TaskRemarks, task_remarks
from tests.fakes.counselling import NOW, session

WANTED = ("하던 이야기를 마저 들으세요",)


def heeded(gist, *, seq=4):
    supervised = Supervised(seq=3, upto=3, gist={"improvements": list(WANTED), **gist}).apply(session(), NOW)
    return task_remarks(supervised, seq)


def test_the_scores_of_the_task_decide_and_without_them_the_total(subtests):
    cases = [
        ({"total": 7.0}, ((), False)),
        ({"total": 6.9}, (WANTED, False)),
        ({"total": 4.9}, (WANTED, True)),
        ({"total": 9.0, "scores": {"task_adherence": 4, "information_stage": 9}}, (WANTED, True)),
        ({"total": 9.0, "scores": {"task_adherence": 9, "information_stage": 6}}, (WANTED, False)),
        ({"total": 4.0, "scores": {"task_adherence": 8, "information_stage": 9}}, ((), False)),
        ({"total": 4.0, "scores": {"empathy": 2}}, (WANTED, True)),
        ({"total": 4.0, "scores": "bad", "improvements": "bad"}, ((), True)),
        ({"left_out": [1]}, ((), False)),
        ({}, ((), False)),
    ]
    for gist, remarks in cases:
        with subtests.test(gist=gist, remarks=remarks):
            found = heeded(gist)
            assert (found.improvements, found.astray) == remarks


def test_it_counts_while_it_is_fresh():
    low = {"total": 3.0}
    assert heeded(low, seq=3 + FRESH).astray
    assert heeded(low, seq=4 + FRESH) == TaskRemarks()


def test_without_a_supervision_there_is_nothing_to_heed():
    assert task_remarks(session(), 5) == TaskRemarks()
