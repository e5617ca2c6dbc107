"""One server per data directory."""

import fcntl
import os
from pathlib import Path

from shared.domain.errors import ConfigError

LOCK = "lock"
"""Name of the lock's file."""


class DirectoryLock:
    """An advisory lock on `<directory>/lock`; the kernel lets go of it when the process dies, however it dies."""

    def __init__(self, directory: Path) -> None:
        """Take the lock.

        Raises:
            ConfigError: Another server holds it.
            OSError: The directory cannot be written, or its file system knows no locks.
        """
        path = directory / LOCK
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.read(self._descriptor, 20).decode("ascii", "replace").strip() or "unknown"
            self.release()
            raise ConfigError(
                f"data directory {directory} is in use by another server (process {owner}); "
                f"stop it or choose another directory"
            ) from error
        except OSError:
            self.release()
            raise
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let go; safe to repeat. The file stays: deleting it would let two servers lock two files of one name."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
