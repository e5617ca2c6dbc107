"""Reads uploaded files: plain text in a thread, other types in a process that can be ended."""

import asyncio
import json
import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from shared.adapters.document_files import child, limits
from shared.adapters.document_files.kinds import FileKind, kind_of
from shared.adapters.document_files.plain import read_markdown, read_text
from shared.domain.agreement.upload import MOST_BYTES, MOST_CHARACTERS, too_long
from shared.domain.errors import (
    FILE_PROBLEMS,
    FileBroken,
    FileTooLarge,
    FileTooLong,
    FileTooSlow,
    FileWithoutText,
    Overloaded,
)
from shared.ports.file_reader import FileText
from shared.visible_text import UNREADABLE, composed, visible

BUSY_SECONDS = 10
"""`Retry-After` when the machine was too slow for a file, seconds."""
_ROOT = Path(__file__).resolve().parents[3]
_REFUSALS = {error.code: error for error in FILE_PROBLEMS}

log = logging.getLogger(__name__)


@dataclass
class ProcessFileReader:
    """`FileReader` that reads one .docx or .pdf at a time, since the instance's memory is small.

    Attributes:
        seconds: Deadline of one file, the wait for its turn included.
        cpu_seconds: Most computing time of one file; a small one has less.
    """

    seconds: float = limits.WALL_SECONDS
    cpu_seconds: int = limits.CPU_SECONDS
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def read(self, data: bytes, file_name: str) -> FileText:
        """See the port."""
        if len(data) > MOST_BYTES:
            raise FileTooLarge(MOST_BYTES // limits.MEBIBYTE)
        if not data:
            raise FileWithoutText
        kind = await asyncio.to_thread(kind_of, data, file_name)
        if kind in child.READERS:
            raw = await self._in_turn(kind, data)
        else:
            raw = await asyncio.to_thread(read_markdown if kind is FileKind.MARKDOWN else read_text, data)
        return FileText(kind.value, await asyncio.to_thread(_shown, raw))

    async def _in_turn(self, kind: FileKind, data: bytes) -> str:
        try:
            async with asyncio.timeout(self.seconds), self._turn:
                return await self._in_process(kind, data)
        except TimeoutError:
            raise Overloaded(BUSY_SECONDS) from None

    async def _in_process(self, kind: FileKind, data: bytes) -> str:
        cpu_seconds = min(self.cpu_seconds, limits.FIRST_CPU_SECONDS + len(data) // limits.BYTES_A_SECOND)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", child.__name__, kind.value, str(cpu_seconds)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            cwd=_ROOT,
            env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PYTHONDONTWRITEBYTECODE": "1"},
        )
        try:
            answer, _ = await process.communicate(data)
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.kill()
                await asyncio.shield(process.wait())
        return _text_of(answer, process.returncode)


def _text_of(answer: bytes, status: int | None) -> str:
    """Return the text of the process's answer, or raise its error."""
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        raise FileTooSlow
    try:
        found = json.loads(answer)
    except ValueError:
        log.warning("a file's reader ended with status %s", status)
        raise FileBroken from None
    if child.TEXT in found:
        text: str = found[child.TEXT]
        return text
    if found[child.REFUSED] == FileTooLong.code:
        raise too_long()
    raise _REFUSALS[found[child.REFUSED]]


def _shown(raw: str) -> str:
    """Return the text that a person reads, in NFC.

    Raises:
        FileTooLong, FileWithoutText: There is too much, or none.
    """
    if len(raw) > limits.MOST_RAW:
        raise too_long()
    lines = visible(composed(raw)).splitlines()
    text = "\n".join(line.rstrip() for line in lines).strip()
    if len(text) > MOST_CHARACTERS:
        raise too_long()
    if not any(character.isalnum() for character in text.replace(UNREADABLE, "")):
        raise FileWithoutText
    return text
