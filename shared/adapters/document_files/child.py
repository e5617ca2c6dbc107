"""The process that reads one file: bytes on standard input, JSON on standard output.

A process of its own can be ended by force and has limits of CPU time and memory, which a thread has not; it gets no
environment with keys, and the libraries that read formats are loaded only here.
"""

import json
import os
import resource
import sys
from collections.abc import Callable

from shared.adapters.document_files.archive import check_archive
from shared.adapters.document_files.kinds import FileKind
from shared.adapters.document_files.limits import MEMORY_BYTES, MOST_RAW
from shared.domain.errors import FileBroken, FileIsBomb, FileRefused, FileTooLong

TEXT, REFUSED = "text", "refused"
LESS_URGENT = 10


def _word(data: bytes) -> str:
    check_archive(data)
    from shared.adapters.document_files.word import read_word  # noqa: PLC0415 - only where a file needs it

    return read_word(data)


def _pdf(data: bytes) -> str:
    from shared.adapters.document_files.pdf import read_pdf  # noqa: PLC0415 - only where a file needs it

    return read_pdf(data)


READERS: dict[FileKind, Callable[[bytes], str]] = {FileKind.DOCX: _word, FileKind.PDF: _pdf}


def answer(kind: FileKind, data: bytes) -> dict[str, str]:
    """Return the text of a file, or the code of its error."""
    try:
        text = READERS[kind](data)
        return {TEXT: text} if len(text) <= MOST_RAW else {REFUSED: FileTooLong.code}
    except FileRefused as error:
        return {REFUSED: error.code}
    except (MemoryError, RecursionError):
        return {REFUSED: FileIsBomb.code}
    except Exception:  # noqa: BLE001 - the edge of the process: readers raise anything for a damaged file
        return {REFUSED: FileBroken.code}


def limit_resources(cpu_seconds: int) -> None:
    """Limit this process; the kernel ends it when its CPU time is used up."""
    os.nice(LESS_URGENT)  # the instance has one CPU, and turns stream on it
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main() -> None:
    """Read a file of the kind of the first argument, in the CPU seconds of the second."""
    limit_resources(int(sys.argv[2]))
    found = answer(FileKind(sys.argv[1]), sys.stdin.buffer.read())
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
