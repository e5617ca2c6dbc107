"""Loading without garbage collections."""

import gc

import pytest

from shared.loading import collection_paused


@pytest.fixture
def collections():
    """Count the collections of a test; what it froze is released at its end."""
    seen = []
    gc.callbacks.append(note := lambda phase, _info: seen.append(phase))
    yield seen
    gc.callbacks.remove(note)
    gc.unfreeze()


def test_nothing_is_collected_while_things_are_loaded(collections):
    with collection_paused():
        kept = [[] for _ in range(10_000)]
        inside = list(collections)
    assert (inside, len(kept)) == ([], 10_000)
    assert gc.isenabled()


def test_later_collections_leave_out_what_was_loaded(collections):
    with collection_paused():
        kept = [object() for _ in range(3)], []
    assert not any(one is kept for one in gc.get_objects())
    assert gc.get_freeze_count() > 0


def test_collections_go_on_after_a_failed_load(collections):
    with pytest.raises(ImportError), collection_paused():
        raise ImportError("no such module")
    assert gc.isenabled()


def test_an_inner_pause_does_not_end_the_outer_one(collections):
    with collection_paused():
        with collection_paused():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
