"""`python -m local.emulators.deliveries`: delivers signed tasks, events and scheduled calls, like Google.

The state of the process is in files: after a restart it delivers what it had accepted.
"""

import argparse
import asyncio
import logging
import os
import signal
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import httpx
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from local.command import run
from local.emulators.events.missed import missed_events
from local.emulators.events.shim import A_DAY, EventShim
from local.emulators.signing import OidcSigner, certs_route
from local.emulators.surroundings import account
from local.emulators.tasks.dispatch import Disorder
from local.emulators.tasks.emulator import TasksEmulator
from local.emulators.tasks.queue_settings import QueueSettings as Limits
from local.loopback import NO_AUTHORITIES
from shared.adapters.cloud_tasks import queue_path
from shared.adapters.system_clock import SystemClock
from shared.config.platform import FirestoreSettings, QueueSettings
from shared.config.settings import FromEnvironment, ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.contracts.triggers import TRIGGERS
from shared.observability.telemetry import configure_telemetry

log = logging.getLogger(__name__)

IMPATIENT = Limits(max_attempts=8, min_backoff_s=0.5, max_backoff_s=60.0, rate=50.0, concurrency=4)
"""The attempts of the deployed queues (`infra/queues.tf`), with shorter waits."""
SCHEDULED_SECONDS = 60.0


class Rudeness(FromEnvironment):
    """Disorder of the deliveries, which Google's may show at any time.

    Attributes:
        copies: Parallel copies of each delivery.
        newest_first: Deliver waiting items in reverse order.
        delay_s: Delay of events, seconds.
        sweep_s: Seconds between two calls of the scheduler.
    """

    copies: int = Field(default=1, alias="CBOT_DELIVERY_COPIES", ge=1, le=10)
    newest_first: bool = Field(default=False, alias="CBOT_DELIVERY_NEWEST_FIRST")
    delay_s: float = Field(default=0.0, alias="CBOT_DELIVERY_DELAY_SECONDS", ge=0)
    sweep_s: float = Field(default=60.0, alias="CBOT_SWEEP_SECONDS", gt=0)


def _queues(settings: QueueSettings) -> dict[str, Limits]:
    names = (settings.chat_queue, settings.supervisor_queue, settings.planner_queue, settings.session_manager_queue)
    return {queue_path(settings.project, settings.location, name): IMPATIENT for name in names}


def _controls(tasks: TasksEmulator, events: EventShim) -> list[Route]:
    """Return routes with which a test holds deliveries and waits for them."""

    async def hold(_request: Request) -> Response:
        tasks.hold()
        await events.hold()
        return Response(status_code=204)

    async def release(_request: Request) -> Response:
        tasks.release()
        events.release()
        return Response(status_code=204)

    async def idle(_request: Request) -> Response:
        """Answer when nothing is due or running: events may create tasks, but no task creates an event."""
        await events.idle()
        await tasks.idle()
        return Response(status_code=204)

    controls = {"hold": hold, "release": release, "idle": idle}
    return [Route(f"/control/{name}", control, methods=["POST"]) for name, control in controls.items()]


async def _call_again_and_again(url: str, signer: OidcSigner, email: str, seconds: float) -> None:
    """Call like Cloud Scheduler; failures do not stop it."""
    async with httpx.AsyncClient(timeout=SCHEDULED_SECONDS, trust_env=False, verify=NO_AUTHORITIES) as http:
        while True:
            await asyncio.sleep(seconds)
            try:
                await http.post(url, headers={"authorization": f"Bearer {signer.token(url, email)}"})
            except httpx.TransportError as error:
                log.warning("the scheduled call reached nobody: %s", type(error).__name__)


async def _run(arguments: argparse.Namespace) -> None:
    configure_telemetry(TelemetrySettings.read(os.environ))
    queues, rudeness = QueueSettings.read(os.environ), Rudeness.read(os.environ)
    clock, firestore = SystemClock(), FirestoreSettings.read(os.environ)
    signer = OidcSigner.kept_in(arguments.data / "oidc.pem", clock)
    eventarc = partial(signer.token, email=account(queues.project, "eventarc-invoker"))
    async with AsyncExitStack() as stack:
        tasks = await stack.enter_async_context(
            TasksEmulator(
                arguments.data / "tasks" / "tasks.sqlite3",
                signer,
                clock,
                queues=_queues(queues),
                disorder=Disorder(rudeness.copies, rudeness.newest_first),
                port=arguments.tasks_port,
            )
        )
        events = EventShim(
            arguments.data / "events",
            {trigger: f"{arguments.planner}/{trigger}" for trigger in TRIGGERS},
            eventarc,
            clock,
            policy=replace(
                A_DAY,
                copies=rudeness.copies,
                newest_first=rudeness.newest_first,
                deadline_s=A_DAY.deadline_s * ModelAccess.read(os.environ).patience,
            ),
            delay=timedelta(seconds=rudeness.delay_s),
        )
        await events.start(arguments.events_port, more=[certs_route(signer), *_controls(tasks, events)])
        stack.push_async_callback(events.stop)
        for event in await missed_events(firestore.emulator or "", firestore.project, TRIGGERS):
            await events.take(event)
        scheduler = account(queues.project, "scheduler-invoker")
        calling = asyncio.create_task(_call_again_and_again(arguments.sweep, signer, scheduler, rudeness.sweep_s))
        stack.callback(calling.cancel)
        ended = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        print(f"deliveries are ready: tasks at {arguments.tasks_port}, events at {arguments.events_port}", flush=True)
        await ended.wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.emulators.deliveries", description="Tasks, events, calls.")
    parser.add_argument("--data", type=Path, required=True, help="directory for files and keys")
    parser.add_argument("--tasks-port", type=int, required=True, help="Cloud Tasks, gRPC")
    parser.add_argument(
        "--events-port",
        type=int,
        required=True,
        help="where the Firestore emulator posts events; the public keys of the tokens are at /certs",
    )
    parser.add_argument("--planner", required=True, help="address of the function that events call")
    parser.add_argument("--sweep", required=True, help="address that the scheduler calls")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(run(partial(_run, _arguments())))
