"""The runbook's commands, as they stand there."""

import json
import re
import shutil
import subprocess
from textwrap import dedent

import httpx
import pytest

from tests.support.answering import answering
from tests.support.chat_client import ANSWER_WITHIN_S
from tests.support.forked import ForkedServer
from tests.support.process import LOOPBACK, ROOT, clean_environment

RUNBOOK = (ROOT / "docs" / "operations.md").read_text("utf-8")
GOOGLE = "https://identitytoolkit.googleapis.com"
TALKED_WITHIN_S = 180
MESSAGES = ("안녕하세요, 저는 지훈이에요.", '회사 일로 "많이" 지쳤어요.', "잠을 잘 못 자요.")


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("curl")), reason="bash and curl are not installed")
def test_what_the_runbook_says_to_a_new_deployment_is_answered_and_erased(tmp_path):
    _, _, after = RUNBOOK.partition("Talk to it with a real token")
    talking, leaving = re.findall(r"^ *```\n(.*?)^ *```$", after, re.DOTALL | re.MULTILINE)[:2]
    assert talking.count(GOOGLE) == 1
    options = {"capture_output": True, "text": True, "timeout": TALKED_WITHIN_S}
    with ForkedServer(tmp_path) as server:
        signed = httpx.post(f"{server.address}/local/sign-in", json={}, timeout=ANSWER_WITHIN_S, **LOOPBACK).json()
        token = signed["id_token"]
        expected = {
            "/v1/accounts:signUp?key=web-key": {"returnSecureToken": True},
            "/v1/accounts:delete?key=web-key": {"idToken": token},
        }

        def identity_toolkit(path, body):
            """Give out the local server's token, and take it back."""
            return 200 if expected.get(path) == json.loads(body) else 400, {"idToken": token}

        with answering(identity_toolkit) as address:
            left = 'call "$CHAT/api/conversations"\n'
            script = f"{dedent(talking).replace(GOOGLE, address)}\n{left}{dedent(leaving)}{left}"
            command, typed = ["bash", "-euo", "pipefail", "-c", script], "\n".join(["web-key", *MESSAGES, ""])
            environment = clean_environment({"CHAT": server.address})
            ended = subprocess.run(command, input=typed, env=environment, check=False, **options)
    assert ended.returncode == 0, ended.stderr
    replies, before, after = ended.stdout.partition('{"conversations":')
    assert len([line for line in replies.splitlines() if line]) >= len(MESSAGES)
    assert before
    assert after.count('"conversation_id"') == 1, "there before it was erased, and not afterwards"
