"""`python -m local.gemini`: the simulator alone."""

import argparse
import asyncio
import os
import signal
import sys
from functools import partial

from local.command import run
from local.gemini.latency import Latency
from local.gemini.server import serve


async def _run(arguments: argparse.Namespace) -> None:
    asked = {"ttft_ms": arguments.ttft_ms, "token_ms": arguments.token_ms}
    usual = Latency.from_environment(os.environ)
    latency = usual.model_copy(update={name: value for name, value in asked.items() if value is not None})
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with await serve(arguments.host, arguments.port, latency=latency) as running:
        print(f"Gemini simulator (demo, no real model) on {running.address}", flush=True)
        await ended.wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m local.gemini", description="A simulated Gemini API.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0, help="0: a free one")
    parser.add_argument("--ttft-ms", type=float, help="time to the first token, milliseconds")
    parser.add_argument("--token-ms", type=float, help="time per further token, milliseconds")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(run(partial(_run, _arguments())))
