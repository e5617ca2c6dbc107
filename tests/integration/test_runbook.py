"""The runbook's commands, as they stand there."""

import json
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from textwrap import dedent

import httpx
import pytest

from local.loopback import NO_AUTHORITIES
from tests.support.chat_client import ANSWER_WITHIN_S
from tests.support.forked import ForkedServer
from tests.support.local_server import LocalServer
from tests.support.process import ROOT, clean_environment

RUNBOOK = (ROOT / "docs" / "operations.md").read_text("utf-8")
GOOGLE = "https://identitytoolkit.googleapis.com/v1/accounts"
TALKED_WITHIN_S = 180
MESSAGES = ("안녕하세요, 저는 지훈이에요.", '회사 일로 "많이" 지쳤어요.', "잠을 잘 못 자요.")


def blocks(beginning: str, count: int) -> list[str]:
    """Return the first code blocks after some words."""
    _, found, after = RUNBOOK.partition(beginning)
    assert found
    return [dedent(block) for block in re.findall(r"^ *```\n(.*?)^ *```$", after, re.DOTALL | re.MULTILINE)[:count]]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LocalServer]:
    with ForkedServer(tmp_path) as running:
        yield running


@pytest.fixture
def accounts(server: LocalServer) -> Iterator[ThreadingHTTPServer]:
    """Identity Toolkit's part: gives out the local server's tokens, and takes them back."""
    address = f"{server.address}/local/sign-in"
    token = httpx.post(address, json={}, timeout=ANSWER_WITHIN_S, trust_env=False, verify=NO_AUTHORITIES).json()[
        "id_token"
    ]

    class Accounts(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            expected = {
                "/v1/accounts:signUp?key=web-key": {"returnSecureToken": True},
                "/v1/accounts:delete?key=web-key": {"idToken": token},
            }
            self.send_response(200 if expected.get(self.path) == asked else 400)
            self.end_headers()
            self.wfile.write(json.dumps({"idToken": token}).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of http.server
            """Say nothing."""

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Accounts)
    thread = threading.Thread(target=listening.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield listening
    listening.shutdown()
    thread.join()
    listening.server_close()


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("curl")), reason="bash and curl are not installed")
def test_what_the_runbook_says_to_a_new_deployment_is_answered_and_erased(
    server: LocalServer, accounts: ThreadingHTTPServer
) -> None:
    talking, leaving = blocks("Talk to it with a real token", 2)
    assert talking.count(GOOGLE) == 1
    toolkit = f"http://127.0.0.1:{accounts.server_port}/v1/accounts"
    left = 'call "$CHAT/api/conversations"\n'
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"{talking.replace(GOOGLE, toolkit)}\n{left}{leaving}{left}"],
        input="\n".join(["web-key", *MESSAGES, ""]),
        env=clean_environment({"CHAT": server.address}),
        capture_output=True,
        text=True,
        timeout=TALKED_WITHIN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    replies, before, after = ended.stdout.partition('{"conversations":')
    assert len([line for line in replies.splitlines() if line]) >= len(MESSAGES)
    assert before
    assert after.count('"conversation_id"') == 1, "there before it was erased, and not afterwards"
