"""Stored documents can always be read (reliability.md, promise 10).

Every version of every kind has a frozen example, which is never edited: documents like it may lie in the database for
as long as documents are kept. A shape that older documents of its version would not fit is a new version.
"""

import json
import re

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.adapters.documents.kinds import KINDS, kind_of
from shared.adapters.documents.mapping import from_document, to_document
from shared.domain.counseling.session import Session
from shared.domain.errors import DocumentTooNew, DocumentUnreadable
from shared.ports.document_writes import Document, Put
from tests.fakes.memory_database import MemoryDocumentDatabase
from tests.unit.shared.adapters.documents import stored_kinds
from tests.unit.shared.adapters.documents.narrowing import narrowed
from tests.unit.shared.adapters.documents.stored_kinds import EXAMPLES, example, newest, records, versions

MODELS = stored_kinds.models()
ALL = [(kind, version) for kind in sorted(MODELS) for version in versions(kind)]
C1 = "da62d569848c44c2b6f140dd9497c6cd"
FREEZE = "python -m tests.unit.shared.adapters.documents.freeze"


def test_every_version_is_read_as_the_current_model(subtests):
    for kind, version in ALL:
        with subtests.test(kind=kind, version=version):
            stored = example(kind, version)
            assert stored.data.get("schema_version", 0) == version
            read = from_document(MODELS[kind], stored)
            assert korean_in(stored.data) <= korean_in(read.model_dump(mode="json")), "every Korean word is kept"


def test_a_read_document_is_written_back_without_loss(subtests):
    for kind in sorted(MODELS):
        with subtests.test(kind=kind):
            stored = example(kind, newest(kind))
            beside = {name: stored.data[name] for name in kind_of(stored.path).beside}
            written = to_document(stored.path, from_document(MODELS[kind], stored), **beside)
            assert holds(written, stored.data)


def test_the_current_schema_accepts_every_document_of_the_newest_version(subtests):
    for kind in sorted(MODELS):
        with subtests.test(kind=kind):
            frozen = json.loads(stored_kinds.schema_file(kind, newest(kind)).read_text("utf-8"))
            problems = narrowed(frozen, MODELS[kind].model_json_schema())
            assert not problems, (
                f"stored documents of {kind} version {newest(kind)} would not be read any more."
                f" Add an upcaster to kinds.py, an example v{newest(kind) + 1}.json, and run `{FREEZE}`"
            )


def test_every_version_has_an_example_and_the_folder_holds_no_other_file():
    files = {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*") if path.is_file()}
    schemas = {f"{kind}/v{version}.schema.json" for kind, version in ALL if version > 0}
    assert files == {f"{kind}/v{version}.json" for kind, version in ALL} | schemas
    assert set(KINDS) <= set(MODELS)
    assert len(MODELS) == 17 + len(list(records())), "two records share a collection"


def test_a_document_of_newer_code_or_a_damaged_one_is_refused_without_quoting_it(subtests):
    for kind in sorted(MODELS):
        stored = example(kind, newest(kind))
        cases = [
            (DocumentTooNew, {"schema_version": newest(kind) + 1}),
            (DocumentTooNew, {"a_field_of_tomorrow": {"said": "비밀이에요"}}),
            (DocumentUnreadable, {name: {"said": "비밀이에요"} for name in stored.data if name != "schema_version"}),
        ]
        for error, change in cases:
            with subtests.test(kind=kind, change=change):
                with pytest.raises(error, match=re.escape(stored.path)) as caught:
                    from_document(MODELS[kind], Document(stored.path, {**stored.data, **change}, "1"))
                assert "비밀" not in str(caught.value)
                assert caught.value.__cause__ is None, "pydantic's message quotes the value"
                assert caught.value.__context__ is None or caught.value.__suppress_context__


async def test_unversioned_documents_are_read_and_upgraded_by_the_next_write():
    database = MemoryDocumentDatabase()
    oldest = [example(kind, versions(kind)[0]) for kind in MODELS]
    await database.commit([Put(stored.path, stored.data) for stored in oldest])
    store = DocumentConversationStore(database, Session)
    snapshot, view = await store.load(C1), await store.view(C1)
    assert snapshot.session.state.user_info["name"] == "지우"
    assert "무서워요" in snapshot.mailbox.box.head().text
    assert [found.conversation_id for found in await store.views_of(view.user_id, None, 10)] == [C1]
    assert len(await store.messages(C1, -1, 10)) == 1
    (before,) = await database.get([f"conversations/{C1}"])
    await store.save_state(snapshot.session, view)
    (after,) = await database.get([f"conversations/{C1}"])
    assert (before.data.get("schema_version", 0), after.data["schema_version"]) == (0, newest("conversations"))
    assert await store.view(C1) == view


def korean_in(value):
    return set(re.findall(r"[가-힣]+", json.dumps(value, ensure_ascii=False, default=str)))


def holds(whole, part):
    """Return whether `whole` has all fields of `part`, at every depth."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(name in whole and holds(whole[name], part[name]) for name in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(holds, whole, part))
    return whole == part
