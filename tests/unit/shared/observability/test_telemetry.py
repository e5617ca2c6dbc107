import subprocess
import sys

ENTRY_POINTS = (
    "functions.chat.main",
    "functions.planner.main",
    "functions.supervisor.main",
    "functions.session_manager.main",
)


def imported_by(statement):
    told = f"import sys; {statement}; print(*(name for name in sys.modules if name.startswith('opentelemetry')))"
    ended = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True, timeout=60)
    return ended.stdout.split()


def test_no_function_imports_opentelemetry_to_start():
    assert {module: got for module in ENTRY_POINTS if (got := imported_by(f"import {module}")) != []} == {}


SWITCH_ON = """
from shared.config.telemetry import TelemetrySettings
from shared.observability.telemetry import configure_telemetry
configure_telemetry(TelemetrySettings.read({}))
"""


def test_switching_telemetry_on_imports_it_only_where_a_collector_is_named():
    assert imported_by(f"exec({SWITCH_ON.format({})!r})") == []
    named = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    assert "opentelemetry.sdk.trace" in imported_by(f"exec({SWITCH_ON.format(named)!r})")
