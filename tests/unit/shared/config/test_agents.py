import pkgutil
from importlib import import_module

import pytest
import yaml

import functions
from shared.config.agents import DEFAULTS, agent_settings
from shared.domain.errors import ConfigError
from shared.engine.agent import Agent, Speaker

IN_THE_TURN = {
    "counselor",
    "task_completion_checker",
    "user_state_detector",
    "task_selector",
    "module_selector",
    "wrap_up_answer",
    "chat",
}

LONGEST_ANSWER_TOKENS = 4096
"""Own threshold: a plan of six tasks in Korean is the longest answer, and stays below it."""


@pytest.fixture(scope="module")
def agents():
    """The names of all that ask a model, as the functions define them."""
    modules = [import_module(found.name) for found in pkgutil.walk_packages(functions.__path__, "functions.")]
    return {one.name for module in modules for one in vars(module).values() if isinstance(one, (Agent, Speaker))}


@pytest.fixture
def override(tmp_path):
    def write(text):
        path = tmp_path / "agents.yaml"
        path.write_text(text, "utf-8")
        return path

    return write


class TestTheDefaults:
    def test_know_every_agent_that_the_flows_run(self):
        assert set(agent_settings()) >= IN_THE_TURN

    def test_an_agent_has_its_own_settings_over_those_of_all(self):
        settings = agent_settings()
        assert settings["counselor"].model == "gemini-2.5-flash"
        assert settings["counselor"].timeout_s == 25
        assert settings["task_selector"].model == "gemini-2.5-flash-lite"
        assert (settings["task_selector"].temperature, settings["task_selector"].timeout_s) == (0.2, 5)

    def test_a_price_follows_its_model(self):
        settings = agent_settings()
        assert (settings["counselor"].price_in, settings["counselor"].price_out) == (420, 3500)
        assert (settings["task_selector"].price_in, settings["task_selector"].price_out) == (140, 560)

    def test_cannot_be_changed_by_who_reads_them(self):
        with pytest.raises(TypeError):
            agent_settings()["counselor"] = None


class TestWhatIsShipped:
    def test_has_every_agent_and_bounds_how_much_it_says(self, agents):
        settings = agent_settings()
        assert len(agents) > 10
        assert agents <= set(settings)
        assert {
            name for name, one in settings.items() if not 0 < one.max_output_tokens <= LONGEST_ANSWER_TOKENS
        } == set()

    def test_bounds_it_in_the_file_and_not_by_chance(self):
        shipped = yaml.safe_load(DEFAULTS.read_text("utf-8"))
        assert shipped["defaults"]["max_output_tokens"] > 0
        assert shipped["defaults"]["thinking_budget"] == 0

    def test_lets_no_agent_think_before_it_speaks(self, agents):
        settings = agent_settings()
        assert {settings[name].thinking_budget for name in agents} == {0}
        assert {one.thinking_budget for one in settings.values()} == {0}


class TestAnOverride:
    def test_wins_where_it_says_something_and_leaves_the_rest(self, override):
        settings = agent_settings(override("agents: {counselor: {temperature: 0.1}}"))
        assert (settings["counselor"].temperature, settings["counselor"].timeout_s) == (0.1, 25)
        assert settings["task_selector"] == agent_settings()["task_selector"]

    def test_its_defaults_go_for_every_agent(self, override):
        settings = agent_settings(override("defaults: {thinking_budget: 7}"))
        assert {one.thinking_budget for one in settings.values()} == {7}

    def test_its_prices_win(self, override):
        settings = agent_settings(override("models: {gemini-2.5-flash: {price_in: 100}}"))
        assert (settings["counselor"].price_in, settings["counselor"].price_out) == (100, 3500)

    def test_a_new_model_brings_its_own_prices_or_none(self, override):
        text = "models: {big: {price_in: 9, price_out: 90}}\nagents: {counselor: {model: big}, chat: {model: unpriced}}"
        settings = agent_settings(override(text))
        assert (settings["counselor"].price_in, settings["counselor"].price_out) == (9, 90)
        assert (settings["chat"].price_in, settings["chat"].price_out) == (0, 0)

    def test_may_be_empty(self, override):
        assert agent_settings(override("")) == agent_settings()


class TestAModelForAll:
    def test_stands_above_both_files(self, override):
        settings = agent_settings(override("agents: {counselor: {model: x}}"), model="one")
        assert {one.model for one in settings.values()} == {"one"}

    def test_a_fallback_is_for_those_who_speak_only(self):
        settings = agent_settings(fallback_model="two")
        assert {name for name, one in settings.items() if one.fallback_model} == {"counselor", "chat"}


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("agents: {counsellor: {temperature: 0.1}}", "unknown agents: counsellor"),
            ("agents: {counselor: {temperature: 9}}", "agent counselor: temperature: "),
            ("agents: {counselor: {tmperature: 1}}", "agent counselor: tmperature: "),
            ("agent: {}", "agent: "),
            ("agents: [counselor]", "agents: "),
            ("agents: {counselor: {", "no YAML"),
            ("models: {m: {price_in: cheap}}", "models.m.price_in: "),
        ],
    )
    def test_are_told_in_one_line_with_the_file(self, override, text, told):
        path = override(text)
        with pytest.raises(ConfigError) as caught:
            agent_settings(path)
        assert str(path) in str(caught.value)
        assert told in str(caught.value)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            ("agents: {}  # 상담".encode("euc-kr"), "not UTF-8"),
            (b"agents: 2026-99-99", "no YAML"),
            (b"\x00", "no YAML"),
        ],
    )
    def test_what_cannot_be_read_is_told_in_one_line(self, tmp_path, content, told):
        path = tmp_path / "agents.yaml"
        path.write_bytes(content)
        with pytest.raises(ConfigError, match=told) as caught:
            agent_settings(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(ConfigError, match=r"nowhere\.yaml: No such file"):
            agent_settings(tmp_path / "nowhere.yaml")
