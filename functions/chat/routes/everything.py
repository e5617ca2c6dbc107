"""All that is stored of a person, as one JSON document that is written while it is read.

One conversation is in memory at a time, however many there are.
"""

import json
from collections.abc import AsyncIterator
from datetime import datetime

from functions.chat.routes.reading import Store, export
from shared.domain.counseling.profile import Profile
from shared.ports.identity import Caller

PAGE = 20
"""Conversations listed at a time. Own figure."""


async def everything(store: Store, caller: Caller, now: datetime) -> AsyncIterator[str]:
    """Yield a `PersonExport` piece by piece. Before the first piece the store has answered for the first time."""
    found = await store.user(caller.user_id, Profile)
    views = await store.views_of(caller.user_id, None, PAGE)
    profile = found.document.model_dump_json() if found else "null"
    who = json.dumps(caller.user_id, ensure_ascii=False)
    yield f'{{"user_id":{who},"exported_at":{json.dumps(now.isoformat())},"profile":{profile},"conversations":['
    between = ""
    while views:
        for view in views:
            conversation = await export(store, view.conversation_id, now)
            yield between + conversation.model_dump_json(by_alias=True)
            between = ","
        views = await store.views_of(caller.user_id, views[-1].created_at, PAGE)
    yield "]}"
