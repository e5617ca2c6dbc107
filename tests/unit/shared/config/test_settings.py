from pathlib import Path

import pytest

from shared.config.settings import ChatSettings, LocalSettings, ModelAccess
from shared.domain.errors import ConfigError


def wrong(settings, **environment):
    with pytest.raises(ConfigError) as caught:
        settings.read(environment)
    message = str(caught.value)
    assert "\n" not in message
    return message


class TestModelAccess:
    def test_with_nothing_set_there_is_no_model(self):
        access = ModelAccess.read({})
        assert (access.configured, access.api_key, access.base_url) == (False, None, None)

    def test_a_key_is_enough(self):
        access = ModelAccess.read({"GEMINI_API_KEY": "k", "CBOT_MODEL": "m", "CBOT_FALLBACK_MODEL": "f"})
        assert access.configured
        assert access.api_key.get_secret_value() == "k"
        assert (access.model, access.fallback_model) == ("m", "f")

    def test_vertex_needs_no_key(self):
        environment = {
            "GOOGLE_GENAI_USE_VERTEXAI": "true",
            "GOOGLE_CLOUD_PROJECT": "p",
            "GOOGLE_CLOUD_LOCATION": "asia",
        }
        assert ModelAccess.read(environment).configured

    @pytest.mark.parametrize("missing", ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"])
    def test_vertex_needs_its_project_and_location(self, missing):
        environment = {"GOOGLE_GENAI_USE_VERTEXAI": "1", "GOOGLE_CLOUD_PROJECT": "p", "GOOGLE_CLOUD_LOCATION": "asia"}
        assert missing in wrong(ModelAccess, **environment | {missing: ""})

    def test_a_base_url_without_a_key_is_half_a_setting(self):
        message = wrong(ModelAccess, GOOGLE_GEMINI_BASE_URL="http://localhost:9099")
        assert message.startswith("GOOGLE_GEMINI_BASE_URL is set but GEMINI_API_KEY is not")

    def test_a_base_url_that_is_none_is_named(self):
        assert wrong(ModelAccess, GOOGLE_GEMINI_BASE_URL="localhost", GEMINI_API_KEY="k").startswith(
            "GOOGLE_GEMINI_BASE_URL: "
        )

    def test_a_base_url_needs_a_host_that_can_be_read(self, subtests):
        cases = [
            "http://[::1", "http://[zz]", "http://", "http://:80", "https://host:port", "http://host:99999",
            "http://host:", "//host", "http://a b", "ftp://host",
        ]  # fmt: skip
        for url in cases:
            with subtests.test(url=url):
                message = wrong(ModelAccess, GOOGLE_GEMINI_BASE_URL=url, GEMINI_API_KEY="k")
                assert message.startswith("GOOGLE_GEMINI_BASE_URL: ")

    @pytest.mark.parametrize("url", ["http://[::1]:9099", "https://proxy.example/gemini", "http://localhost:1"])
    def test_a_base_url_may_have_a_port_and_a_path(self, url):
        assert ModelAccess.read({"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": "k"}).base_url == url

    def test_a_key_that_fits_no_header_is_refused_without_showing_it(self, subtests):
        for key in ("키", "two words", "tab\there", "line\n", "caf\u00e9", "\udcff"):
            with subtests.test(key=key):
                message = wrong(ModelAccess, GEMINI_API_KEY=key)
                assert message.startswith("GEMINI_API_KEY: ")
                assert key not in message

    @pytest.mark.parametrize("blank", ["", "  "])
    def test_an_empty_variable_counts_as_unset(self, blank):
        assert not ModelAccess.read({"GEMINI_API_KEY": blank, "GOOGLE_GENAI_USE_VERTEXAI": blank}).configured

    def test_an_error_never_shows_a_value(self):
        secret = "AIza-very-secret"
        assert secret not in wrong(ModelAccess, GEMINI_API_KEY=secret, GOOGLE_GEMINI_BASE_URL=f"ftp://{secret}")
        assert secret not in repr(ModelAccess.read({"GEMINI_API_KEY": secret}))

    def test_the_agents_file_is_a_path(self):
        assert ModelAccess.read({"CBOT_AGENTS_FILE": "/etc/a.yaml"}).agents_file == Path("/etc/a.yaml")


class TestChatSettings:
    def test_limits_are_read_as_numbers(self):
        settings = ChatSettings.read(
            {"CBOT_MAX_WAITING_MESSAGES": "7", "CBOT_MESSAGES_PER_MINUTE": "8", "CBOT_CALLS_PER_CONVERSATION": "9"}
        )
        assert (settings.waiting, settings.per_minute, settings.llm_calls) == (7, 8, 9)

    def test_a_wrong_value_is_told_with_its_name_in_one_line(self):
        cases = [
            ("CBOT_MAX_WAITING_MESSAGES", "0"),
            ("CBOT_MAX_WAITING_MESSAGES", "many"),
            ("CBOT_MESSAGES_PER_MINUTE", "-1"),
            ("CBOT_CALLS_PER_CONVERSATION", "1.5"),
            ("CBOT_USER_WON_PER_DAY", "nan"),
            ("CBOT_PROJECT", "Not A Project"),
        ]
        assert [
            value for name, value in cases if not wrong(ChatSettings, **{name: value}).startswith(f"{name}: ")
        ] == []

    def test_who_runs_the_service_is_named_with_a_contact_or_not_at_all(self):
        named = ChatSettings.read({"CBOT_OPERATOR_NAME": "마음재단", "CBOT_OPERATOR_CONTACT": "privacy@example.com"})
        assert (named.operator_name, named.operator_contact) == ("마음재단", "privacy@example.com")
        assert ChatSettings.read({}).operator_name is None
        for name in ("CBOT_OPERATOR_NAME", "CBOT_OPERATOR_CONTACT"):
            assert "set both or neither" in wrong(ChatSettings, **{name: "x"})

    def test_origins_are_separated_by_commas(self):
        assert ChatSettings.read({"CBOT_ORIGINS": "https://a.example, https://b.example,"}).origins == (
            "https://a.example",
            "https://b.example",
        )
        assert ChatSettings.read({}).origins == ()

    def test_what_no_browser_sends_as_its_origin_is_refused(self, subtests):
        cases = [
            "foo",
            "*",
            "null",
            "https://",
            "https://a.example/",
            "https://a.example/path",
            "https://a.example?x",
            "https://a.example?",
            "https://a.example#",
            "https://A.example".upper(),
            "https://a.example:99999",
            "https://me@a.example",
            "ftp://a.example",
            "https://[::1",
        ]
        for origin in cases:
            with subtests.test(origin=origin):
                message = wrong(ChatSettings, CBOT_ORIGINS=f"https://good.example,{origin}")
                assert message.startswith("CBOT_ORIGINS: ")

    @pytest.mark.parametrize("origin", ["http://localhost:5173", "https://a.example", "http://[::1]:8080"])
    def test_an_origin_is_a_scheme_a_host_and_perhaps_a_port(self, origin):
        assert ChatSettings.read({"CBOT_ORIGINS": origin}).origins == (origin,)

    def test_other_variables_do_not_matter(self):
        assert ChatSettings.read({"PATH": "/bin", "HOME": "/"}) == ChatSettings.read({})


class TestLocalSettings:
    def test_its_limits_do_not_hinder_trying_things_out(self):
        local, cloud = LocalSettings.read({}), ChatSettings.read({})
        assert local.per_minute > cloud.per_minute
        assert local.waiting > cloud.waiting
        assert local.llm_calls > cloud.llm_calls

    def test_a_port_is_a_port(self):
        assert [
            port for port in ("-1", "65536", "http") if not wrong(LocalSettings, PORT=port).startswith("PORT: ")
        ] == []

    def test_port_and_directory_are_read(self):
        settings = LocalSettings.read({"PORT": "0", "CBOT_DATA_DIR": "/tmp/x"})
        assert (settings.port, settings.data_dir) == (0, Path("/tmp/x"))
