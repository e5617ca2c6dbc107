"""One server per data directory."""

import fcntl
import os
from pathlib import Path

from shared.domain.errors import ConfigError

LOCK = "lock"


class DirectoryLock:
    """An advisory lock on `<directory>/lock`, which the kernel releases when the process ends."""

    def __init__(self, directory: Path) -> None:
        """Acquire the lock.

        Raises:
            ConfigError: Another server holds it.
            OSError: The directory is not writable, or its file system has no locks.
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
        """Release it; safe to repeat.

        The file stays: after a deletion two servers could lock two files of the same name.
        """
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
