import pkgutil
from datetime import date
from importlib import import_module

import pytest
import yaml

import functions
from shared.config.agents import CATALOGUE, agent_models
from shared.config.settings import ModelAccess
from shared.domain.errors import ConfigError
from shared.engine.agent import Agent, Speaker
from shared.engine.turn_worker import ANALYSIS_SECONDS, FIRST_WORD_SECONDS
from shared.ports.model_settings import ThinkingLevel
from tests.builders.shipped_settings import agent_settings

LONGEST_ANSWER_TOKENS = 4096
"""Own threshold: a plan of six tasks in Korean is the longest answer, and stays below it."""
FLASH, LITE, NEWER = "gemini-3.6-flash", "gemini-3.5-flash-lite", "gemini-3.8-flash"


@pytest.fixture
def override(tmp_path):
    """Return a file with this text, or these bytes."""

    def write(content):
        path = tmp_path / "agents.yaml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def counselor(override):
    """Return the counselor's settings with these overrides."""
    return lambda said: agent_settings(override(f"agents: {{counselor: {{{said}}}}}"))["counselor"]


class TestTheShippedSettings:
    def test_have_every_agent_and_bound_its_output(self):
        modules = [import_module(found.name) for found in pkgutil.walk_packages(functions.__path__, "functions.")]
        agents = {one.name for module in modules for one in vars(module).values() if isinstance(one, (Agent, Speaker))}
        settings = agent_settings()
        assert len(agents) > 10
        assert set(settings) >= agents
        assert [one for one in settings.values() if not 0 < one.max_output_tokens <= LONGEST_ANSWER_TOKENS] == []
        with pytest.raises(TypeError):
            settings["counselor"] = None

    def test_have_the_price_of_a_model_in_won_up_to_the_last_day_of_the_price(self):
        for day, dollars in ((date(2026, 12, 31), 3.75), (date(2027, 1, 1), 7.50)):
            for model in (FLASH, "gemini-3.7-flash", NEWER):
                found = agent_models(ModelAccess(model=model), today=day)
                assert found.by_agent["planner"].price_out == dollars * 1509

    def test_use_no_model_that_is_retired_within_three_months_and_date_every_price(self):
        assert agent_models().warnings == ()
        models = yaml.safe_load(CATALOGUE.read_text("utf-8"))["models"]
        assert [name for name, one in models.items() if not (one["prices"] and one["checked"])] == []

    def test_have_a_fallback_for_every_agent_and_after_any_failure_if_the_user_would_get_an_apology(self):
        settings = agent_settings()
        assert [name for name, one in settings.items() if one.fallback is None] == []
        speakers = {"counselor", "chat", "agreement_responder"}
        assert {name for name, one in settings.items() if one.fallback_on_failure} == {*speakers, "closer"}

    def test_hedge_only_the_streams_that_a_user_reads(self):
        hedged = {name: one.hedge_s for name, one in agent_settings().items() if one.hedge_s is not None}
        assert set(hedged) == {"counselor", "chat", "agreement_responder"}
        in_time = FIRST_WORD_SECONDS - ANALYSIS_SECONDS - 0.5
        assert all(usual <= in_time for usual in hedged.values()), "the second stream needs time too"


class TestAnOverride:
    def test_changes_only_the_settings_that_it_names(self, override):
        settings = agent_settings(override("agents: {counselor: {max_output_tokens: 100}}"))
        assert (settings["counselor"].max_output_tokens, settings["counselor"].timeout_s) == (100, 25)
        assert settings["reader"] == agent_settings()["reader"]
        assert {one.timeout_s for one in agent_settings(override("defaults: {timeout_s: 7}")).values()} == {7}
        assert agent_settings(override("")) == agent_settings()

    def test_corrects_the_catalogue_and_may_add_a_model(self, override):
        text = "won_per_dollar: 1000\nmodels: {gemini-3.6-flash: {prices: [{in: 1, out: 2}]}}"
        corrected = agent_settings(override(text))["counselor"]
        assert (corrected.price_in, corrected.price_out, corrected.thinking_level) == (1000, 2000, "minimal")
        text = """
        models: {big: {thinking_levels: [high], sampling: true, prices: [{in: 9, out: 90}], fallback: gemini-3.6-flash}}
        agents: {counselor: {model: big, thinking_level: high, temperature: 0.5}}
        """
        found = agent_models(ModelAccess(agents_file=override(text)))
        added, fallback = found.by_agent["counselor"], found.by_agent["counselor"].fallback
        assert (added.thinking_level, added.temperature, added.price_out) == ("high", 0.5, 90 * 1509)
        assert (fallback.model, fallback.thinking_level, fallback.temperature) == (FLASH, "high", None)
        assert found.warnings == ()
        assert added.catalogued, "an operator's entry names a model as ours do"

    def test_sets_a_thinking_budget_instead_of_a_level_for_a_model_that_takes_one(self, counselor):
        one = counselor("model: gemini-2.5-flash, thinking_budget: -1")
        assert (one.thinking_level, one.thinking_budget, one.thought_tokens) == (None, -1, 8192)
        assert (one.fallback.thinking_level, one.fallback.thinking_budget) == (None, None)

    def test_may_name_another_model_of_embeddings(self, override):
        embedding = agent_models().catalogue.embedding
        found = agent_models(ModelAccess(agents_file=override("embedding: {model: e5, dimension: 384}")))
        assert found.catalogue.embedding == embedding.model_copy(update={"model": "e5", "dimension": 384})


def test_patience_multiplies_every_time_limit_of_every_agent_and_fallback():
    limits = ("timeout_s", "first_token_s", "idle_s", "hedge_s")
    for slow, usual in zip(agent_settings(patience=10).values(), agent_settings().values(), strict=True):
        for one, other in ((slow, usual), (slow.fallback, usual.fallback)):
            for limit in limits:
                assert getattr(one, limit) == ((usually := getattr(other, limit)) and 10 * usually)


class TestAModelForAll:
    def test_overrides_both_files_and_may_have_the_prefix_of_googles_lists(self, override):
        settings = agent_settings(override("agents: {counselor: {model: x}}"), model="one")
        assert {one.model for one in settings.values()} == {"one"}
        assert agent_settings(model=f"models/{FLASH}") == agent_settings(model=FLASH)

    def test_thinks_with_its_smallest_budget_or_at_the_next_higher_level_that_it_has(self):
        for model, budget in (("gemini-2.5-flash", 0), ("gemini-2.5-pro", 128)):
            one = agent_settings(model=model)["reader"]
            assert (one.thinking_budget, one.thought_tokens, one.thinking_level) == (budget, budget, None)
        settings = agent_settings(model=NEWER)
        levels = [settings[name].thinking_level for name in ("reader", "planner")]
        assert levels == [ThinkingLevel.LOW, ThinkingLevel.MEDIUM]


class TestWarnings:
    def test_name_the_unknown_data_of_a_model_outside_the_catalogue(self):
        found = agent_models(ModelAccess(model="gemini-9-flash"))
        (warning,) = found.warnings
        assert all(word in warning for word in ("thinking levels", "price", "retirement"))
        one, shipped = found.by_agent["counselor"], agent_settings().values()
        assert (one.thinking_level, one.thinking_budget, one.temperature) == (None, None, None)
        assert one.price_in >= max(other.price_in for other in shipped), "never free"
        assert one.price_out >= max(other.price_out for other in shipped)
        assert found.names == ("gemini-9-flash",), "another address need not serve Gemini's models"
        assert {other.thought_tokens for other in found.by_agent.values()} == {0}
        assert not one.catalogued
        assert all(other.catalogued for other in shipped)

    def test_of_a_model_outside_the_catalogue_spare_what_the_operator_chose(self, override):
        chosen = override("defaults: {thinking_level: low, fallback: small}")
        one = agent_settings(chosen, model="big")["planner"]
        assert (one.thinking_level, one.thought_tokens, one.fallback.model) == ("low", 1024, "small")

    @pytest.mark.parametrize(
        ("day", "date_named"), [(date(2026, 12, 1), "since 2026-12-01"), (date(2026, 10, 1), "on 2026-12-01")]
    )
    @pytest.mark.parametrize(("model", "successor"), [("gemini-2.5-pro", NEWER), ("gemini-2.5-flash", LITE)])
    def test_name_a_model_that_is_retired_soon_and_its_replacement(self, day, date_named, model, successor):
        (warning,) = agent_models(ModelAccess(model=model), today=day).warnings
        assert date_named in warning
        assert successor in warning


def test_a_mistake_is_reported_in_one_line_with_the_file(override, tmp_path, subtests):
    cases = [
        ("agents: {counsellor: {temperature: 0.1}}", "unknown agents: counsellor"),
        ("agents: {counselor: {temperature: 9}}", "agent counselor: temperature: "),
        ("agents: {counselor: {model: gemini-3.8-flash}}", "no thinking level minimal (the shipped one, "),
        ("agents: {counselor: {thinking_budget: 0}}", "takes thinking_level, no thinking_budget"),
        ("agents: {counselor: {thinking_level: low, thinking_budget: 0}}", "agent counselor: thinking_level and"),
        ("agents: {counselor: {model: gemini-2.5-pro, thinking_budget: 0}}", "thinking_budget of 128 to 32768"),
        ("models: {m: {prices: [{in: 1, out: 1}, {until: 2026-01-01, in: 1, out: 1}]}}", "in order of time"),
        ("models: {m: {fallback: nobody}}", "nobody is not in the catalogue"),
        ("models: {m: {retires_on: 2027-01-01}}", "it ends on 2027-01-01, and no fallback outlives it"),
        ("models: {m: {retires_on: 2027-01-01, fallback: gemini-2.5-pro}}", "no fallback outlives it"),
        ("embedding: {dimension: 4096}", "embedding.dimension: "),
        ("agents: {counselor: {", "no YAML"),
        ("models: {m: {prices: [{in: cheap, out: 1}]}}", "models.m.prices.0.in: "),
        ("agents: {}  # 상담".encode("euc-kr"), "not UTF-8"),
    ]
    for content, message in cases:
        with subtests.test(message=message):
            path = override(content)
            with pytest.raises(ConfigError) as caught:
                agent_settings(path)
            assert all(part in str(caught.value) for part in (str(path), message))
            assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: No such file"):
        agent_settings(tmp_path / "nowhere.yaml")
