"""Google's Firestore emulator as a child process."""

import json
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self
from urllib.error import URLError
from urllib.request import Request, urlopen

from local.emulators.orphans import ending_with_parent
from local.ports import HOST, free_port
from shared.domain.errors import ConfigError

READY_SECONDS = 120.0
END_SECONDS = 10.0
FIRST_COMMIT_SECONDS = 120.0
"""The first commit loads most of the emulator, which takes seconds on a busy machine, longer than callers' timeouts."""
_FIRST_DOCUMENTS = "projects/demo-first-commit/databases/(default)/documents"
_POLL_SECONDS = 0.05
_MAIN = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"
_JAVA_OPTIONS = ("-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
"""The emulator keeps every version of a document: at 256 MB it ran out of memory after 8,000 writes of 27 kB, and
answered nothing or 500. What it does not need of the limit it does not take."""
_IN_SDK = Path("platform/cloud-firestore-emulator/cloud-firestore-emulator.jar")

NO_JAVA = "no Java: install a Java runtime, 17 or newer (Debian: apt-get install openjdk-17-jre-headless)"
NO_EMULATOR = (
    "no Firestore emulator: run `gcloud components install cloud-firestore-emulator`"
    " (Debian: apt-get install google-cloud-cli-firestore-emulator), or name its jar in FIRESTORE_EMULATOR_JAR"
)


def find_jar(environment: Mapping[str, str]) -> Path:
    """Return the emulator's jar: `FIRESTORE_EMULATOR_JAR`, or that of the Google Cloud CLI or firebase-tools.

    Raises:
        ConfigError: There is none; the message says how to get it.
    """
    named = environment.get("FIRESTORE_EMULATOR_JAR", "").strip()
    if named:
        if not Path(named).is_file():
            raise ConfigError(f"FIRESTORE_EMULATOR_JAR: {named} is no file")
        return Path(named)
    firebase = sorted(Path.home().glob(".cache/firebase/emulators/cloud-firestore-emulator-v*.jar"))
    candidates = [*(root / _IN_SDK for root in _sdk_roots(environment.get("PATH", ""))), *firebase[-1:]]
    for jar in candidates:
        if jar.is_file():
            return jar
    raise ConfigError(NO_EMULATOR)


def find_java(environment: Mapping[str, str]) -> str:
    """Return the Java launcher.

    Raises:
        ConfigError: There is none; the message says how to get it.
    """
    home = environment.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else None
    java = java or shutil.which("java", path=environment.get("PATH", ""))
    if java is None:
        raise ConfigError(NO_JAVA)
    return java


def _sdk_roots(path: str) -> list[Path]:
    """Return possible places of the Google Cloud CLI: next to `gcloud`, and of Debian's package."""
    gcloud = shutil.which("gcloud", path=path)
    beside = [Path(gcloud).resolve().parent.parent] if gcloud else []
    return [*beside, Path("/usr/lib/google-cloud-sdk"), Path.home() / "google-cloud-sdk"]


class FirestoreEmulator:
    """One emulator; every project id in it is a separate database.

    Attributes:
        address: `host:port` for `FIRESTORE_EMULATOR_HOST`.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        log: Path,
        *,
        rules: Path | None = None,
        port: int = 0,
        functions: str | None = None,
    ) -> None:
        """Prepare without starting.

        Args:
            environment: Environment for finding Java and the jar.
            log: File for the emulator's output.
            rules: Security rules of every project.
            port: Port; 0 for a free one.
            functions: `host:port` that receives the events of registered triggers.

        Raises:
            ConfigError: Java or the emulator is missing.
        """
        self.address = f"{HOST}:{port or free_port()}"
        self._log = log
        port_text = self.address.rpartition(":")[2]
        self._command = [find_java(environment), *_JAVA_OPTIONS, "-cp", str(find_jar(environment)), _MAIN]
        self._command += ["--host", HOST, "--port", port_text]
        self._command += ["--rules", str(rules)] if rules else []
        self._command += ["--functions_emulator", functions] if functions else []
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Id of the running process, or None."""
        return self._process.pid if self._process and self._process.poll() is None else None

    def start(self) -> Self:
        """Start it and wait until it answers.

        Raises:
            ConfigError: It ended or was not ready in time; the message has its last line.
        """
        self.launch()
        self.wait_ready()
        return self

    def launch(self) -> None:
        """Start it without waiting. It ends with the calling thread, so call this from the main thread."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("ab") as log:
            # A session of its own, so that Ctrl-C reaches only us, and we end it after its users.
            self._process = subprocess.Popen(  # noqa: S603 - our own words, a jar of the operator
                ending_with_parent(self._command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_ready(self) -> None:
        """Wait until it answers and has stored a document, in a project of its own.

        Raises:
            ConfigError: See `start`.
        """
        deadline = time.monotonic() + READY_SECONDS
        while not self._answers():
            if self.pid is None or time.monotonic() > deadline:
                self.stop()
                raise ConfigError(f"the Firestore emulator did not start: {self._last_words()}")
            time.sleep(_POLL_SECONDS)
        try:
            with urlopen(self._first_commit(), timeout=FIRST_COMMIT_SECONDS):  # noqa: S310 - our own http address
                pass
        except OSError as error:
            self.stop()
            raise ConfigError(f"the Firestore emulator stores nothing: {error}") from None

    def wait(self) -> None:
        """Wait until it has ended."""
        if self._process is not None:
            self._process.wait()

    def stop(self) -> None:
        """End it; safe to repeat."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _last_words(self) -> str:
        lines = [line for line in self._log.read_text("utf-8", errors="replace").splitlines() if line.strip()]
        return lines[-1].strip() if lines else "it said nothing"

    def _first_commit(self) -> Request:
        body = {"writes": [{"update": {"name": f"{_FIRST_DOCUMENTS}/first/commit", "fields": {}}}]}
        headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
        return Request(f"http://{self.address}/v1/{_FIRST_DOCUMENTS}:commit", json.dumps(body).encode(), headers)

    def _answers(self) -> bool:
        try:
            with urlopen(f"http://{self.address}/", timeout=1) as response:
                return bool(response.status == 200)
        except (URLError, OSError):
            return False
