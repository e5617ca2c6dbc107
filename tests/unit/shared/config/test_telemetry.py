import logging

import pytest

from shared.config.telemetry import TelemetrySettings
from shared.domain.errors import ConfigError

COLLECTOR = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}


def read(**variables):
    return TelemetrySettings.read(variables)


def test_without_variables_there_are_warnings_as_text_and_nothing_is_exported():
    settings = read()
    assert (settings.form, settings.level, settings.collector) == ("text", logging.WARNING, None)


def test_in_the_cloud_lines_are_json_from_info_on():
    settings = read(K_SERVICE="chat")
    assert (settings.form, settings.level) == ("json", logging.INFO)


def test_the_operator_may_say_otherwise():
    assert read(K_SERVICE="chat", CBOT_LOG_FORMAT="text", CBOT_LOG_LEVEL="ERROR").level == logging.ERROR
    assert read(CBOT_LOG_FORMAT="json").level == logging.INFO


def test_naming_a_collector_switches_export_on_and_off_is_off():
    assert read(**COLLECTOR).collector == "http://127.0.0.1:4318"
    assert read(**COLLECTOR, CBOT_TRACES="otlp").collector
    assert read(**COLLECTOR, CBOT_TRACES="off").collector is None


def test_a_wrong_setting_is_named(subtests):
    cases = [
        ({"CBOT_LOG_FORMAT": "xml"}, "CBOT_LOG_FORMAT: Input should be 'json' or 'text'"),
        ({"CBOT_LOG_LEVEL": "info"}, "CBOT_LOG_LEVEL: Input should be 'DEBUG', 'INFO', 'WARNING' or 'ERROR'"),
        ({"CBOT_TRACES": "on"}, "CBOT_TRACES: Input should be 'off' or 'otlp'"),
        ({"CBOT_TRACES": "otlp"}, "CBOT_TRACES=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "collector:4318"}, "OTEL_EXPORTER_OTLP_ENDPOINT: must begin with http://"),
        ({"OTEL_TRACES_SAMPLER_ARG": "2"}, "OTEL_TRACES_SAMPLER_ARG: Input should be less than or equal to 1"),
        ({"CBOT_PROJECT": "A B"}, "CBOT_PROJECT: String should match pattern"),
    ]
    for variables, problem in cases:
        with subtests.test(problem=problem):
            with pytest.raises(ConfigError) as refused:
                TelemetrySettings.read(variables)
            assert problem in str(refused.value)
