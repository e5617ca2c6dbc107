"""`DocumentDatabase` that remembers what it was asked for, over another one."""


class RecordingDatabase:
    """Passes everything on; `writes` and `queries` are all there were, in order."""

    def __init__(self, database):
        self._database = database
        self.writes = []
        self.queries = []

    def __getattr__(self, name):
        return getattr(self._database, name)

    async def commit(self, writes):
        versions = await self._database.commit(writes)
        self.writes += writes
        return versions

    async def query(self, query):
        self.queries.append(query)
        return await self._database.query(query)
