import pkgutil
from datetime import date
from importlib import import_module

import pytest
import yaml

import functions
from shared.config.agents import CATALOGUE, agent_models, agent_settings
from shared.domain.errors import ConfigError
from shared.engine.agent import Agent, Speaker
from shared.engine.turn_worker import ANALYSIS_SECONDS, FIRST_WORD_SECONDS
from shared.ports.model_settings import ThinkingLevel

IN_THE_TURN = {
    "counselor", "task_completion_checker", "user_state_detector", "task_selector", "module_selector",
    "wrap_up_answer", "chat",
}  # fmt: skip

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
        assert (settings["counselor"].model, settings["counselor"].timeout_s) == ("gemini-3.6-flash", 25)
        assert settings["task_selector"].model == "gemini-3.5-flash-lite"
        assert (settings["task_selector"].max_output_tokens, settings["task_selector"].timeout_s) == (512, 5)

    def test_a_price_follows_its_model_in_won(self):
        settings = agent_settings()
        assert (settings["counselor"].price_in, settings["counselor"].price_out) == (1.50 * 1400, 7.50 * 1400)
        assert (settings["task_selector"].price_in, settings["task_selector"].price_out) == (0.30 * 1400, 2.50 * 1400)

    @pytest.mark.parametrize(("day", "dollars"), [(date(2026, 12, 31), 3.75), (date(2027, 1, 1), 7.50)])
    def test_a_price_holds_to_its_last_day(self, day, dollars):
        assert agent_models(today=day).by_agent["planner"].price_out == dollars * 1400

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

    def test_uses_no_model_that_is_switched_off_within_three_months(self):
        assert agent_models().warnings == ()

    def test_thinks_as_little_as_it_can_where_a_user_waits(self):
        settings = agent_settings()
        assert {settings[name].thinking_level for name in IN_THE_TURN} == {ThinkingLevel.MINIMAL}

    def test_sends_no_temperature_and_no_budget_to_models_that_take_none(self):
        assert {(one.temperature, one.thinking_budget) for one in agent_settings().values()} == {(None, None)}

    def test_leaves_room_for_thoughts_beside_every_answer(self):
        assert all(one.thought_tokens > 0 for one in agent_settings().values())

    def test_has_a_fallback_for_every_agent_and_after_any_failure_where_somebody_would_get_an_apology(self):
        settings = agent_settings()
        assert {name for name, one in settings.items() if one.fallback is None} == set()
        assert {name for name, one in settings.items() if one.fallback_on_failure} == {"counselor", "chat", "closer"}

    def test_a_late_stream_gets_a_second_one_where_a_person_reads_it_and_nowhere_else(self):
        settings = agent_settings()
        hedged = {name: one.hedge_s for name, one in settings.items() if one.hedge_s is not None}
        assert set(hedged) == {"counselor", "chat"}
        for name, usual in hedged.items():
            assert usual <= FIRST_WORD_SECONDS - ANALYSIS_SECONDS - 0.5, f"{name}: the second one needs its time, too"

    def test_says_of_every_model_when_its_price_was_looked_up(self):
        models = yaml.safe_load(CATALOGUE.read_text("utf-8"))["models"]
        assert {name for name, one in models.items() if not (one["prices"] and one["checked"])} == set()


class TestAnOverride:
    def test_wins_where_it_says_something_and_leaves_the_rest(self, override):
        settings = agent_settings(override("agents: {counselor: {max_output_tokens: 100}}"))
        assert (settings["counselor"].max_output_tokens, settings["counselor"].timeout_s) == (100, 25)
        assert settings["task_selector"] == agent_settings()["task_selector"]

    def test_its_defaults_go_for_every_agent(self, override):
        settings = agent_settings(override("defaults: {timeout_s: 7}"))
        assert {one.timeout_s for one in settings.values()} == {7}

    def test_corrects_the_catalogue(self, override):
        text = "won_per_dollar: 1000\nmodels: {gemini-3.6-flash: {prices: [{in: 1, out: 2}]}}"
        counselor = agent_settings(override(text))["counselor"]
        assert (counselor.price_in, counselor.price_out, counselor.thinking_level) == (1000, 2000, "minimal")

    def test_may_add_a_model_with_what_it_takes(self, override):
        text = """
        models: {big: {thinking_levels: [high], sampling: true, prices: [{in: 9, out: 90}], fallback: gemini-3.6-flash}}
        agents: {counselor: {model: big, thinking_level: high, temperature: 0.5}}
        """
        found = agent_models(override(text))
        counselor = found.by_agent["counselor"]
        assert (counselor.thinking_level, counselor.temperature, counselor.price_out) == ("high", 0.5, 90 * 1400)
        assert counselor.fallback.model == "gemini-3.6-flash"
        assert (counselor.fallback.thinking_level, counselor.fallback.temperature) == ("high", None)
        assert found.warnings == ()

    def test_a_budget_takes_the_place_of_a_level_for_a_model_that_wants_one(self, override):
        counselor = agent_settings(
            override("agents: {counselor: {model: gemini-2.5-flash, thinking_budget: 7, temperature: 0.5}}")
        )["counselor"]
        assert (counselor.thinking_level, counselor.thinking_budget, counselor.temperature) == (None, 7, 0.5)
        assert (counselor.fallback.thinking_level, counselor.fallback.thinking_budget) == (None, None)

    @pytest.mark.parametrize(("budget", "room"), [(2048, 2048), (0, 0), (-1, 8192)])
    def test_a_budget_leaves_as_much_room_for_thoughts(self, override, budget, room):
        text = f"agents: {{counselor: {{model: gemini-2.5-flash, thinking_budget: {budget}}}}}"
        counselor = agent_settings(override(text))["counselor"]
        assert (counselor.thinking_budget, counselor.thought_tokens) == (budget, room)

    def test_an_agents_own_budget_stands_above_a_level_for_all(self, override):
        text = "defaults: {thinking_level: low}\nagents: {counselor: {model: gemini-2.5-flash, thinking_budget: 0}}"
        settings = agent_settings(override(text))
        assert (settings["counselor"].thinking_level, settings["counselor"].thinking_budget) == (None, 0)
        assert settings["closer"].thinking_level is ThinkingLevel.LOW

    def test_a_level_for_an_unknown_model_is_sent_where_the_operator_sets_it(self, override):
        settings = agent_settings(override("agents: {counselor: {model: gemini-9, thinking_level: low}}"))
        assert settings["counselor"].thinking_level is ThinkingLevel.LOW

    @pytest.mark.parametrize(("text", "seconds"), [("0.8", 0.8), ("null", None)])
    def test_says_when_a_second_stream_is_opened(self, override, text, seconds):
        settings = agent_settings(override(f"agents: {{counselor: {{hedge_s: {text}}}}}"))
        assert settings["counselor"].hedge_s == seconds

    def test_may_switch_a_fallback_off_or_name_another(self, override):
        settings = agent_settings(
            override("agents: {counselor: {fallback: none}, closer: {fallback: gemini-3.5-flash}}")
        )
        assert (settings["counselor"].fallback, settings["closer"].fallback.model) == (None, "gemini-3.5-flash")

    def test_may_be_empty(self, override):
        assert agent_settings(override("")) == agent_settings()


class TestAModelForAll:
    def test_stands_above_both_files(self, override):
        settings = agent_settings(override("agents: {counselor: {model: x}}"), model="one")
        assert {one.model for one in settings.values()} == {"one"}

    def test_may_be_named_as_googles_lists_do(self):
        assert agent_settings(model="models/gemini-3.6-flash") == agent_settings(model="gemini-3.6-flash")

    @pytest.mark.parametrize(("model", "budget"), [("gemini-2.5-flash", 0), ("gemini-2.5-pro", 128)])
    def test_thinks_with_the_least_budget_that_it_takes(self, model, budget):
        selector = agent_settings(model=model)["task_selector"]
        assert (selector.thinking_budget, selector.thought_tokens, selector.thinking_level) == (budget, budget, None)

    def test_thinks_at_the_next_higher_level_where_it_lacks_one(self):
        settings = agent_settings(model="gemini-3.8-flash")
        assert settings["task_selector"].thinking_level is ThinkingLevel.LOW
        assert settings["planner"].thinking_level is ThinkingLevel.MEDIUM

    def test_a_fallback_for_those_who_speak_is_asked_after_any_failure(self):
        settings = agent_settings(fallback_model="gemini-3.8-flash")
        spoken = {name: one.fallback for name, one in settings.items() if one.fallback.model == "gemini-3.8-flash"}
        assert set(spoken) == {"counselor", "chat"}
        assert spoken["counselor"].thinking_level is ThinkingLevel.LOW


class TestWarnings:
    def test_name_what_is_unknown_of_a_model_outside_the_catalogue(self):
        found = agent_models(model="gemini-9-flash")
        (warning,) = (one for one in found.warnings if "gemini-9-flash" in one)
        assert all(word in warning for word in ("thinking levels", "price", "retirement"))
        counselor = found.by_agent["counselor"]
        assert (counselor.thinking_level, counselor.thinking_budget, counselor.temperature) == (None, None, None)
        assert counselor.price_in >= max(one.price_in for one in agent_settings().values()), "never free"
        assert counselor.price_out >= max(one.price_out for one in agent_settings().values())
        assert counselor.fallback.model == "gemini-3.6-flash", "a misspelt name leaves nobody alone"
        assert counselor.thought_tokens >= 8192, "who knows how much it thinks"

    def test_name_a_model_that_is_being_switched_off_and_what_can_take_its_place(self, subtests):
        for day, told in ((date(2026, 11, 23), "since 2026-10-20"), (date(2026, 8, 1), "on 2026-10-20")):
            with subtests.test(told=told):
                (warning,) = agent_models(model="gemini-2.5-pro", today=day).warnings
                assert told in warning
                assert "gemini-3.8-flash" in warning

    def test_name_a_temperature_that_is_not_sent(self, override):
        (warning,) = agent_models(override("agents: {counselor: {temperature: 0.1}}")).warnings
        assert "counselor" in warning
        assert "temperature" in warning


class TestMistakes:
    def test_are_told_in_one_line_with_the_file(self, override, subtests):
        cases = [
            ("agents: {counsellor: {temperature: 0.1}}", "unknown agents: counsellor"),
            ("agents: {counselor: {temperature: 9}}", "agent counselor: temperature: "),
            ("agents: {counselor: {model: gemini-3.8-flash}}", "no thinking level minimal (the shipped one, "),
            ("agents: {counselor: {thinking_level: most}}", "agent counselor: thinking_level: "),
            ("agents: {counselor: {thinking_budget: 0}}", "takes thinking_level, no thinking_budget"),
            ("agents: {counselor: {thinking_level: low, thinking_budget: 0}}", "agent counselor: thinking_level and"),
            ("agents: {counselor: {model: gemini-2.5-pro, thinking_budget: 0}}", "thinking_budget of 128 to 32768"),
            ("won_per_dollar: 0", "won_per_dollar: "),
            ("models: {m: {prices: [{in: 1, out: 1}, {until: 2026-01-01, in: 1, out: 1}]}}", "in order of time"),
            ("models: {m: {fallback: nobody}}", "nobody is not in the catalogue"),
            ("agents: {counselor: {tmperature: 1}}", "agent counselor: tmperature: "),
            ("agent: {}", "agent: "),
            ("agents: [counselor]", "agents: "),
            ("agents: {counselor: {", "no YAML"),
            ("models: {m: {prices: [{in: cheap, out: 1}]}}", "models.m.prices.0.in: "),
            ("models: {m: {level: low}}", "models.m.level: "),
        ]
        for text, told in cases:
            with subtests.test(told=told):
                path = override(text)
                with pytest.raises(ConfigError) as caught:
                    agent_settings(path)
                assert str(path) in str(caught.value)
                assert told in str(caught.value)
                assert "\n" not in str(caught.value)

    def test_what_cannot_be_read_is_told_in_one_line(self, tmp_path, subtests):
        cases = [
            ("agents: {}  # 상담".encode("euc-kr"), "not UTF-8"),
            (b"agents: 2026-99-99", "no YAML"),
            (b"\x00", "no YAML"),
        ]
        for content, told in cases:
            with subtests.test(content=content):
                path = tmp_path / "agents.yaml"
                path.write_bytes(content)
                with pytest.raises(ConfigError, match=told) as caught:
                    agent_settings(path)
                assert str(path) in str(caught.value)
                assert "\n" not in str(caught.value)

    def test_a_missing_file_is_named(self, tmp_path):
        with pytest.raises(ConfigError, match=r"nowhere\.yaml: No such file"):
            agent_settings(tmp_path / "nowhere.yaml")
