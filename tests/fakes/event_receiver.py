"""A function of one trigger on a port: a real authenticator and decoder, and work that does as a test says."""

import asyncio

from starlette.applications import Starlette
from starlette.routing import Route

from local.listening import InLoopServer, bound
from local.ports import HOST
from shared.adapters.eventarc.decode import CreatedEvents
from shared.adapters.system_clock import SystemClock
from shared.domain.errors import Unauthenticated
from shared.engine.jobs import JobResult
from shared.web.background import handle_event
from shared.web.invoker_auth import InvokerAuth


def token_for(audience):
    """Sign nothing: name the audience."""
    return f"for-{audience}"


class EventReceiver:
    """Takes events about part transitions; tokens have to be for its `url`."""

    def __init__(self, project, *outcomes):
        """Prepare; the attempts get these outcomes, the last one for ever; done, if there is none."""
        self._outcomes = list(outcomes) or [JobResult.DONE]
        self._listener = bound(0)
        self.url = f"http://{HOST}:{self._listener.getsockname()[1]}/"
        self._auth = InvokerAuth(self, CreatedEvents(project))
        app = Starlette(routes=[Route("/", self._receive, methods=["POST"])])
        self._server = InLoopServer(app, self._listener)
        self.documents = []
        self.headers = []
        self.bodies = []
        self.statuses = []

    async def verify(self, authorization):
        if authorization != f"Bearer {token_for(self.url)}":
            raise Unauthenticated("no token for this function")

    async def __aenter__(self):
        self._server.start()
        return self

    async def __aexit__(self, kind, error, trace):
        await self._server.stop()

    async def _receive(self, request):
        self.headers.append(dict(request.headers))
        self.bodies.append(await request.body())
        now = SystemClock().now()
        response = await handle_event(request, "part_transitions", self._work, now, self._auth)
        self.statuses.append(response.status_code)
        return response

    async def _work(self, document):
        self.documents.append(document)
        await asyncio.sleep(0)
        return self._outcomes.pop(0) if len(self._outcomes) > 1 else self._outcomes[0]
