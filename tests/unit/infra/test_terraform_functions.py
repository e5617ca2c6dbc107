"""The deployed functions against the code: entry points, environment, deadlines, triggers, schedule."""

import ast
import re
from importlib import import_module

from shared.adapters.cloud_tasks.calls import DISPATCH_DEADLINE
from shared.config.platform import CloudSettings, QueueSettings
from shared.config.settings import ChatSettings
from shared.contracts.tasks import JobKind
from shared.contracts.triggers import CREATED, TRIGGERS
from shared.engine.jobs import JOB_SECONDS
from shared.engine.sweep import SECONDS as SWEEP_SECONDS
from shared.engine.turn_worker import TURN_SECONDS
from shared.engine.turns import WAIT_SECONDS
from tests.support.process import ROOT
from tests.support.terraform import block, infrastructure, keys_in, reference

INFRA = infrastructure()
DEPLOYED = INFRA.locals["functions"]
FUNCTION = INFRA.resources["google_cloudfunctions2_function.this"]
SERVICE = block(FUNCTION, "service_config")
BUILD = block(FUNCTION, "build_config")
SOURCES = sorted(path.parent.name for path in (ROOT / "functions").glob("*/main.py"))
COMMIT_SECONDS = 30
"""What a turn or a job may take besides its model calls."""
EVENTARC_SECONDS = 540
"""The longest timeout of an event-driven function: https://cloud.google.com/functions/quotas"""

REFERENCES = {
    "var.project": "cbot-dev-example",
    "var.region": "asia-northeast3",
    "tostring(data.google_project.this.number)": "123456789012",
    'join(",", var.origins)': "https://cbot-dev-example.web.app",
    'join(",", var.app_ids)': "1:123456789012:web:0123456789abcdef",
    "tostring(var.app_check)": "true",
    "var.operator.name": "Example Foundation",
    "var.operator.contact": "privacy@example.com",
}
"""What references without a default may stand for."""


def entry_points(source):
    tree = ast.parse((ROOT / "functions" / source / "main.py").read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.AsyncFunctionDef) and node.decorator_list}


def settings_of(source):
    return import_module(f"functions.{source}.wiring").SETTINGS


def aliases(source, *, required):
    fields = [field for settings in settings_of(source) for field in settings.model_fields.values()]
    return {field.alias for field in fields if field.is_required() or not required}


def given(source):
    """Return the environment of a source's functions as Terraform writes it: names and expressions."""
    groups = [INFRA.locals["environment"][group] for group in INFRA.locals["environment_of"][source]]
    own = dict.fromkeys(keys_in(SERVICE["environment_variables"]), "")
    return {name: value for group in [own, *groups] for name, value in group.items()}


def secrets():
    (dynamic,) = [entry["secret_environment_variables"] for entry in SERVICE["dynamic"]]
    return set(re.findall(r'"([A-Z_]+)"', dynamic["for_each"]))


def rendered(value, *, vertex):
    """Return what a variable holds after a deployment with example values."""
    if not value.startswith("${"):
        return value
    expression = reference(value)
    known = REFERENCES.get(expression)
    if known is not None:
        return known
    if match := re.fullmatch(r"local\.(url|email)\[\"([a-z-]+)\"\]", expression):
        address = f"https://{match[2]}-1.asia-northeast3.run.app"
        return address if match[1] == "url" else f"cbot-{match[2]}@cbot-dev-example.iam.gserviceaccount.com"
    if match := re.fullmatch(r"var\.use_vertex \? (\S+) : \"\"", expression):
        return rendered(f"${{{match[1]}}}", vertex=vertex) if vertex else ""
    if expression == "tostring(var.use_vertex)":
        return str(vertex).lower()
    if match := re.fullmatch(r"tostring\(var\.limits\.([a-z_]+)\)", expression):
        default = re.search(
            rf"{match[1]}=optional\(number,([0-9]+)\)", INFRA.variables["limits"]["type"].replace(" ", "")
        )
        return default[1]
    if match := re.fullmatch(r"(?:tostring\()?var\.([a-z_]+)\)?", expression):
        return str(INFRA.variables[match[1]]["default"])
    raise AssertionError(f"no example value for {value}")


def test_every_entry_point_of_the_code_is_deployed_and_no_other():
    in_code = {(source, entry) for source in SOURCES for entry in entry_points(source)}
    deployed = [(row["source"], row["entry_point"]) for row in DEPLOYED.values()]
    assert set(deployed) == in_code
    assert len(deployed) == len(in_code), "one function an entry point"
    assert reference(BUILD["entry_point"]) == "each.value.entry_point"


def test_every_source_is_staged_and_has_an_account():
    assert sorted(INFRA.locals["account_of"]) == SOURCES
    assert sorted(INFRA.locals["environment_of"]) == SOURCES
    assert 'source_dir  = "${path.module}/../build/stage/${each.key}"' in INFRA.text
    assert 'name   = "${each.key}/${each.value.output_sha256}.zip"' in INFRA.text, "a changed source is a new object"


def test_the_functions_run_on_the_python_that_the_types_are_checked_for():
    version = re.search(r'^python_version = "([0-9.]+)"$', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert BUILD["runtime"] == f"python{version[1].replace('.', '')}"


def test_a_function_is_given_every_variable_that_it_needs():
    assert {
        source: got
        for source in SOURCES
        if (got := aliases(source, required=True) - {"K_SERVICE"}) > given(source).keys() | secrets()
    } == {}


def test_a_function_is_given_no_variable_that_it_does_not_read():
    assert {
        source: got for source in SOURCES if (got := given(source).keys() | secrets()) > aliases(source, required=False)
    } == {}


def test_nothing_that_loosens_a_check_is_ever_set():
    loosening = {
        settings.model_fields[name].alias
        for source in SOURCES
        for settings in settings_of(source)
        if issubclass(settings, CloudSettings)
        for name in settings.LOCAL_ONLY
    }
    assert {"FIRESTORE_EMULATOR_HOST", "CLOUD_TASKS_EMULATOR_HOST", "CBOT_UNSIGNED_TOKENS"} <= loosening
    for name in {*loosening, "FIREBASE_AUTH_EMULATOR_HOST", "GOOGLE_GEMINI_BASE_URL", "K_SERVICE"}:
        assert not re.search(rf"\b{name}\b", INFRA.text), name


def test_the_settings_accept_what_they_are_given(subtests):
    for vertex in (False, True):
        for source in SOURCES:
            with subtests.test(vertex=vertex, source=source):
                environment = {name: rendered(value, vertex=vertex) for name, value in given(source).items()}
                environment |= {
                    "K_SERVICE": source,
                    "CBOT_INVOKERS": "cbot-tasks-invoker@cbot-dev-example.iam.gserviceaccount.com",
                    "CBOT_AUDIENCES": "https://supervisor-*.a.run.app",
                    **({} if vertex else dict.fromkeys(secrets(), "a-key")),
                }

                read = {settings.__name__: settings.read(environment) for settings in settings_of(source)}

                assert read["ModelAccess"].configured
                assert read["ModelAccess"].use_vertex is vertex


def test_functions_framework_leaves_our_logging_alone():
    assert INFRA.locals["framework"] == {"LOG_EXECUTION_ID": "false"}
    assert ", local.framework, [" in SERVICE["environment_variables"]


def test_an_unset_option_is_left_out_of_the_environment():
    assert SERVICE["environment_variables"].endswith(': name => value if value != ""}}')
    assert "local.environment_of[each.value.source]" in SERVICE["environment_variables"]


def test_the_addresses_of_the_queues_are_those_of_the_functions_that_do_their_work():
    queues = INFRA.locals["environment"]["queues"]
    entry_of = {
        name: DEPLOYED[re.search(r'"([a-z-]+)"', value)[1]]["entry_point"]
        for name, value in queues.items()
        if name.endswith("_URL")
    }

    assert entry_of == {
        "CBOT_ANSWER_URL": "answer_waiting",
        "CBOT_SUPERVISOR_URL": "supervise",
        "CBOT_PLANNER_URL": "plan",
        "CBOT_SESSION_MANAGER_URL": "manage_session",
    }
    assert len(JobKind) == 8, "a new kind of task needs a queue and an address"
    assert entry_of.keys() == {
        field.alias for name, field in QueueSettings.model_fields.items() if name.endswith("_url")
    }


def test_each_functions_audiences_are_its_own_addresses():
    assert "CBOT_AUDIENCES = local.audiences[each.key]" in SERVICE["environment_variables"]
    audiences = INFRA.locals["audiences"]
    assert "for name in keys(local.functions) : name =>" in audiences
    assert audiences.count("${name}") == 2
    assert "local.url[name]" in audiences


def test_a_function_has_the_time_that_its_code_allows_itself(subtests):
    for name in DEPLOYED:
        with subtests.test(name=name):
            needed = {
                "chat": max(WAIT_SECONDS, TURN_SECONDS + COMMIT_SECONDS),
                "answer_waiting": max(WAIT_SECONDS, TURN_SECONDS + COMMIT_SECONDS),
                "sweep": SWEEP_SECONDS + COMMIT_SECONDS,
            }.get(DEPLOYED[name]["entry_point"], JOB_SECONDS + COMMIT_SECONDS)
            assert needed < DEPLOYED[name]["timeout"] <= EVENTARC_SECONDS
            assert reference(SERVICE["timeout_seconds"]) == "each.value.timeout"


def test_cloud_tasks_waits_longer_than_the_code_works_and_hangs_up_before_the_function_is_stopped(subtests):
    for name in [name for name, row in DEPLOYED.items() if row["invoker"] == "tasks-invoker"]:
        with subtests.test(name=name):
            deadline = DISPATCH_DEADLINE.total_seconds()
            assert JOB_SECONDS < deadline < DEPLOYED[name]["timeout"]
            assert deadline >= TURN_SECONDS + COMMIT_SECONDS, (
                "a turn ends in its attempt; a chain of them goes on in the next"
            )


def test_an_instance_of_chat_has_room_for_reads_danger_and_refusals_beside_its_turns():
    assert rendered("${tostring(var.limits.turns_per_instance)}", vertex=False) == str(ChatSettings().turns)
    assert 0.6 * DEPLOYED["chat"]["concurrency"] < ChatSettings().turns < DEPLOYED["chat"]["concurrency"]


def test_the_triggers_are_those_of_the_code():
    deployed = {row["entry_point"]: row["document"] for row in DEPLOYED.values() if row["document"] is not None}
    (dynamic,) = [entry["event_trigger"] for entry in FUNCTION["dynamic"]]
    trigger = block(dynamic, "content")
    filters = {entry["attribute"]: entry for entry in trigger["event_filters"]}
    assert deployed == TRIGGERS
    assert trigger["event_type"] == CREATED
    assert filters["document"]["operator"] == "match-path-pattern"
    assert filters["document"]["value"] == "${event_trigger.value}"
    assert filters["database"]["value"] == "${google_firestore_database.this.name}"
    assert filters["namespace"]["value"] == "(default)"


def test_a_lost_event_is_delivered_again():
    (dynamic,) = [entry["event_trigger"] for entry in FUNCTION["dynamic"]]
    assert block(dynamic, "content")["retry_policy"] == "RETRY_POLICY_RETRY"


def test_the_triggers_are_where_the_database_is():
    (dynamic,) = [entry["event_trigger"] for entry in FUNCTION["dynamic"]]
    assert block(dynamic, "content")["trigger_region"] == "${var.firestore_location}"
    assert INFRA.resources["google_firestore_database.this"]["location_id"] == "${var.firestore_location}"


def test_the_sweep_is_called_every_five_minutes_and_never_twice_at_once():
    job = INFRA.resources["google_cloud_scheduler_job.sweep"]
    target = block(job, "http_target")
    token = block(target, "oidc_token")
    row = DEPLOYED["session-manager-sweep"]
    assert row["entry_point"] == "sweep"
    assert target["uri"] == token["audience"] == '${local.url["session-manager-sweep"]}'
    assert token["service_account_email"] == f'${{local.email["{row["invoker"]}"]}}'
    assert job["schedule"] == "*/5 * * * *"
    assert row["timeout"] < int(job["attempt_deadline"].removesuffix("s")) < 300
    assert row["concurrency"] == row["max_instances"] == 1


def test_the_region_is_a_variable_everywhere():
    for name, body in INFRA.resources.items():
        for place in ("location", "region"):
            assert body.get(place, "${var.region}") == "${var.region}", name
    assert INFRA.variables["region"]["default"] == "asia-northeast3"
    assert "asia-" not in re.sub(r'(?s)variable "(region|firestore_location)" \{.*?\n\}', "", INFRA.text)


def test_a_token_without_a_signature_is_believed_only_where_iam_has_checked_it():
    behind = SERVICE["environment_variables"]
    assert 'CBOT_INVOKERS_BEHIND_IAM = each.value.invoker == null ? "" : "true"' in INFRA.text
    assert "CBOT_INVOKERS_BEHIND_IAM" in keys_in(behind)
    assert [name for name, row in DEPLOYED.items() if row["invoker"] in (None, "null", "${null}")] == ["chat"]


def test_the_builder_leaves_byte_code_that_needs_no_file_times():
    assert "SOURCE_DATE_EPOCH" in BUILD["environment_variables"]
