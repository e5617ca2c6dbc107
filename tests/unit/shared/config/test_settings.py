import logging
from pathlib import Path

import pytest

from shared.config.platform import FirestoreSettings, IdentitySettings, InvokerSettings, QueueSettings
from shared.config.settings import ChatSettings, LocalSettings, ModelAccess
from shared.config.telemetry import TelemetrySettings
from shared.domain.errors import ConfigError

PROJECT = {"CBOT_PROJECT": "cbot-demo"}
QUEUES = {
    **PROJECT,
    "CBOT_TASKS_LOCATION": "asia-northeast3",
    "CBOT_TASKS_SERVICE_ACCOUNT": "tasks@cbot-demo.iam.gserviceaccount.com",
    "CBOT_ANSWER_URL": "https://chat.example/answer_waiting",
    "CBOT_SUPERVISOR_URL": "https://supervisor.example",
    "CBOT_PLANNER_URL": "https://planner.example",
    "CBOT_SESSION_MANAGER_URL": "https://session-manager.example",
}
INVOKERS = {"CBOT_INVOKERS": "tasks@a.example, eventarc@a.example", "CBOT_AUDIENCES": "https://planner-*.a.run.app"}
BEHIND_IAM = {**INVOKERS, "CBOT_INVOKERS_BEHIND_IAM": "true"}
CLOUD = {"K_SERVICE": "chat"}
KEY = {"GEMINI_API_KEY": "k"}
VERTEX = {"GOOGLE_GENAI_USE_VERTEXAI": "true", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "asia"}

WRONG = [
    (ModelAccess, KEY, "GOOGLE_GEMINI_BASE_URL", [
        "localhost", "http://[::1", "http://:80", "http://host:99999", "//host", "http://a b", "ftp://host",
    ]),
    (ModelAccess, KEY, "GOOGLE_GENAI_API_VERSION", ["beta", "/v1", "v1/models", "1"]),
    (ModelAccess, KEY, "CBOT_MODEL_PATIENCE", ["0.5", "slow", "nan", "inf"]),
    (ModelAccess, {}, "GEMINI_API_KEY", ["키", "two words", "tab\there", "line\n", "caf\u00e9", "\udcff"]),
    (ChatSettings, {}, "CBOT_MAX_WAITING_MESSAGES", ["0", "many"]),
    (ChatSettings, {}, "CBOT_USER_WON_PER_DAY", ["nan"]),
    (ChatSettings, {}, "CBOT_ORIGINS", [
        f"https://good.example,{origin}" for origin in (
            "*", "null", "https://a.example/", "https://a.example?", "HTTPS://A.EXAMPLE", "https://me@a.example",
            "ftp://a.example",
        )
    ]),
    (LocalSettings, {}, "PORT", ["65536"]),
    (IdentitySettings, {}, "CBOT_PROJECT", ["", "CBot", "cbot/demo"]),
    (IdentitySettings, PROJECT, "CBOT_PROJECT_NUMBER", ["cbot-demo", "12", "1234567890 ", "projects/123456789"]),
    (IdentitySettings, PROJECT, "CBOT_FIREBASE_CERTS_URL", ["127.0.0.1:9099"]),
    (IdentitySettings, PROJECT, "CBOT_APP_CHECK_CERTS_URL", ["127.0.0.1:9099"]),
    (InvokerSettings, INVOKERS, "CBOT_OIDC_CERTS_URL", ["ftp://127.0.0.1/certs"]),
    (InvokerSettings, INVOKERS, "CBOT_INVOKERS", [
        "", " ", ",", " , ", "*", "*@cbot-demo.iam.gserviceaccount.com", "allUsers", "a b@c", "a@b@c",
    ]),
    (InvokerSettings, INVOKERS, "CBOT_AUDIENCES", [
        "", " ", ",", " , ", "*", "https://*", "https://*.app", "https://planner-*", "https://planner-*.app",
        "https://planner.*.run.app", "http://planner-*.a.run.app", "https://planner-*.a.run.app:8443/*/plan",
        "https://user@planner-*.a.run.app", "http://127.0.0.1:*", "http://127.0.0.1:8081/*/plan",
        "http://127.0.0.1:8081/**", "planner",
    ]),
    (TelemetrySettings, {}, "CBOT_LOG_LEVEL", ["info"]),
    (TelemetrySettings, {}, "OTEL_EXPORTER_OTLP_ENDPOINT", ["collector:4318"]),
]  # fmt: skip
LOOSENED = [
    (FirestoreSettings, PROJECT, "FIRESTORE_EMULATOR_HOST", "127.0.0.1:8080"),
    (QueueSettings, QUEUES, "CLOUD_TASKS_EMULATOR_HOST", "127.0.0.1:8123"),
    (InvokerSettings, INVOKERS, "CBOT_OIDC_CERTS_URL", "http://127.0.0.1:8200/certs"),
    (IdentitySettings, PROJECT, "CBOT_UNSIGNED_TOKENS", "1"),
    (IdentitySettings, PROJECT, "FIREBASE_AUTH_EMULATOR_HOST", "127.0.0.1:9099"),
    (IdentitySettings, PROJECT, "CBOT_FIREBASE_CERTS_URL", "https://certs.example/keys"),
    (IdentitySettings, PROJECT, "CBOT_APP_CHECK_CERTS_URL", "https://certs.example/keys"),
]


def wrong(settings, environment):
    with pytest.raises(ConfigError) as caught:
        settings.read(environment)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_wrong_value_is_reported_in_one_line_with_its_variable_and_a_key_is_never_shown(subtests):
    for settings, environment, variable, values in WRONG:
        for value in values:
            with subtests.test(variable=variable, value=value):
                message = wrong(settings, {**environment, variable: value})
                assert message.startswith(f"{variable}: ")
                assert variable != "GEMINI_API_KEY" or value not in message
    secret = "AIza-very-secret"
    assert secret not in wrong(ModelAccess, {"GEMINI_API_KEY": secret, "GOOGLE_GEMINI_BASE_URL": f"ftp://{secret}"})
    assert secret not in repr(ModelAccess.read({"GEMINI_API_KEY": secret}))


def test_an_incomplete_setting_names_the_missing_variable(subtests):
    cases = [
        (ModelAccess, {**VERTEX, "GOOGLE_CLOUD_PROJECT": ""}, "GOOGLE_CLOUD_PROJECT"),
        (ModelAccess, {"GOOGLE_GEMINI_BASE_URL": "http://localhost:9099"}, "is set but GEMINI_API_KEY is not"),
        (ModelAccess, {**CLOUD, "CBOT_MODEL_PATIENCE": "5"}, "CBOT_MODEL_PATIENCE must be at most 4 in the cloud"),
        (ChatSettings, {"CBOT_OPERATOR_NAME": "x"}, "set both or neither"),
        (IdentitySettings, {**PROJECT, "CBOT_APP_CHECK": "1"}, "CBOT_PROJECT_NUMBER"),
        (InvokerSettings, BEHIND_IAM, "CBOT_INVOKERS_BEHIND_IAM is for the cloud"),
        (TelemetrySettings, {"CBOT_TRACES": "otlp"}, "CBOT_TRACES=otlp needs OTEL_EXPORTER_OTLP_ENDPOINT"),
    ]
    for settings, environment, expected in cases:
        with subtests.test(expected=expected):
            assert expected in wrong(settings, environment)


def test_variables_that_loosen_a_check_are_refused_only_in_the_cloud(subtests):
    for settings, environment, variable, value in LOOSENED:
        with subtests.test(variable=variable):
            message = wrong(settings, {**environment, **CLOUD, variable: value})
            assert message.startswith(f"{variable} must not be set in the cloud")
            assert value not in message or len(value) == 1
            assert settings.read({**environment, variable: value})
            assert settings.read({**environment, **CLOUD}), "the settings of the cloud are accepted"
    assert not IdentitySettings.read({**PROJECT, **CLOUD, "CBOT_UNSIGNED_TOKENS": "false"}).unsigned
    assert InvokerSettings.read({**BEHIND_IAM, **CLOUD}).behind_iam


def test_no_model_is_configured_by_default_and_a_key_or_vertex_is_enough():
    for environment in ({}, {"GEMINI_API_KEY": "", "GOOGLE_GENAI_USE_VERTEXAI": "  "}):
        access = ModelAccess.read(environment)
        assert (access.configured, access.api_key, access.base_url) == (False, None, None)
    named = {"CBOT_MODEL": "m", "CBOT_FALLBACK_MODEL": "f", "CBOT_AGENTS_FILE": "/etc/a.yaml"}
    access = ModelAccess.read({**KEY, **named})
    assert (access.configured, access.api_key.get_secret_value()) == (True, "k")
    assert (access.model, access.fallback_model, access.agents_file) == ("m", "f", Path("/etc/a.yaml"))
    assert ModelAccess.read(VERTEX).configured
    for url in ("http://[::1]:9099", "https://proxy.example/gemini", "http://localhost:1"):
        assert ModelAccess.read({"GOOGLE_GEMINI_BASE_URL": url, **KEY}).base_url == url


def test_by_default_tokens_must_be_signed_by_firebase_and_any_app_may_call():
    settings = IdentitySettings.read(PROJECT)
    assert (settings.unsigned, settings.certs_url, settings.app_check) == (False, None, False)
    app_check = {"CBOT_APP_CHECK": "1", "CBOT_PROJECT_NUMBER": "123456789", "CBOT_APP_IDS": "1:1:web:a, b"}
    assert IdentitySettings.read({**PROJECT, **app_check}).app_ids == ("1:1:web:a", "b")


def test_logs_are_text_by_default_and_json_in_the_cloud_unless_set_otherwise():
    read = TelemetrySettings.read
    assert (read({}).form, read({}).level, read({}).collector) == ("text", logging.WARNING, None)
    assert (read(CLOUD).form, read(CLOUD).level) == ("json", logging.INFO)
    loud = read({**CLOUD, "CBOT_LOG_FORMAT": "text", "CBOT_LOG_LEVEL": "ERROR"})
    assert (loud.form, loud.level) == ("text", logging.ERROR)


def test_setting_a_collector_turns_the_export_on_unless_traces_are_off():
    named = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}
    for traces, address in (({}, "http://127.0.0.1:4318"), ({"CBOT_TRACES": "off"}, None)):
        assert TelemetrySettings.read({**named, **traces}).collector == address
