"""Reads uploaded files: plain text in a thread, other types in a process that can be ended."""

import asyncio
import json
import logging
import os
import re
import signal
import sys
import unicodedata
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from shared.adapters.document_files import child, limits
from shared.adapters.document_files.kinds import FileKind, kind_of
from shared.domain.agreement.upload import MOST_BYTES, MOST_CHARACTERS, too_long
from shared.domain.errors import (
    FILE_PROBLEMS,
    FileBroken,
    FileTooLarge,
    FileTooLong,
    FileTooSlow,
    FileTypeRefused,
    FileWithoutText,
    Overloaded,
)
from shared.ports.file_reader import FileText
from shared.visible_text import UNREADABLE, composed, visible

_BOMS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_WITHOUT_BOM = ("utf-8", "cp949")
_ODD = frozenset({"Cc", "Cn", "Co", "Cs"})
_ODD_SHARE = 0.02
"""Share of controls and unassigned characters above which the bytes are no text. Text has almost none; bytes of another
format that happen to decode have many."""
_MARKUP = re.compile(r"^\s*(<\?xml|<!doctype|<html|<svg)", re.IGNORECASE)
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


def read_text(data: bytes) -> str:
    """Decode a text: UTF-8, UTF-16 with a byte order mark, or CP949.

    Raises:
        FileTypeRefused: It is none.
    """
    text = _decoded(data)
    if "\x00" in text or _MARKUP.match(text[:200]) or _odd(text) > _ODD_SHARE * len(text):
        raise FileTypeRefused
    return text


def read_markdown(data: bytes) -> str:
    """Decode Markdown and drop the marks of emphasis and quotes.

    Raises:
        FileTypeRefused: See `read_text`.
    """
    return "\n".join(map(_unmarked, read_text(data).splitlines()))


def _decoded(data: bytes) -> str:
    declared = next((encoding for mark, encoding in _BOMS if data.startswith(mark)), None)
    for encoding in (declared,) if declared else _WITHOUT_BOM:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FileTypeRefused


def _unmarked(line: str) -> str:
    """Drop the marks of quotes and emphasis; those of headings tell the parser what is one."""
    # Underscores stay: a contract has them as blanks to fill in.
    return line.lstrip(" \t").removeprefix(">").lstrip(" \t").replace("**", "")


def _odd(text: str) -> int:
    counted = Counter(text)
    return sum(
        count
        for character, count in counted.items()
        if character not in "\n\r\t\f" and unicodedata.category(character) in _ODD
    )
