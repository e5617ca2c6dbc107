"""The databases under the contracts of stores."""

import pytest

from shared.adapters.documents.conversation_store import DocumentConversationStore
from shared.domain.counseling.session import Session
from tests.support import databases


@pytest.fixture(params=databases.DATABASES)
def opener(request):
    return databases.opener(request)


@pytest.fixture
async def connect(opener):
    async with opener() as connect:
        yield connect


@pytest.fixture
async def database(connect):
    return await connect()


@pytest.fixture
def store(database):
    return DocumentConversationStore(database, Session)
